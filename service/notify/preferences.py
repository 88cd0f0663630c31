"""Mail preferences of a person, with defaults for those they did not choose."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from service.core.time_control import DEFAULT_REMINDERS

EVERY, BATCHED, DAILY, URGENT, OFF = "every", "batched", "daily", "urgent", "off"
TURNS: Mapping[str, str] = {
    EVERY: "A mail for every turn",
    BATCHED: "Several turns in one mail, after a while",
    DAILY: "One mail a day with all my turns",
    URGENT: "Only when my time runs out or a bot keeps my seat",
    OFF: "None",
}
REMINDER_WORDS: Mapping[str, str] = {
    "half": "when half of the time has passed",
    "fifth": "when a fifth of it is left",
    "two_hours": "2 hours before the end",
}
LONGEST_DELAY = 24 * 60  # minutes


class Preferences(NamedTuple):
    """Mail preferences. Sign-in codes are always sent."""

    turns: str = EVERY
    delay_minutes: int = 60  # of `batched`
    daily_hour: int = 8  # local time
    reminders: tuple[str, ...] = DEFAULT_REMINDERS
    news: bool = True
    invitations: bool = True  # to tables
    check_sender: bool = False  # accept replies only from the account's address
    calendar: bool = False  # attach the deadline of a turn as a calendar file
    receipts: bool = True  # send answers that ask nothing and refuse nothing


def preferences(chosen: Mapping[str, Any]) -> Preferences:
    """The stored choices of a person, completed by defaults."""
    known = {name: chosen[name] for name in Preferences._fields if name in chosen}
    if "reminders" in known:
        known["reminders"] = tuple(known["reminders"])
    return Preferences(**known)
