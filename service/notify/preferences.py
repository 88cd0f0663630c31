"""Which mails a person wants: what they chose, and what holds where they chose nothing."""

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
    """Which letters a person wants. Codes to sign in are always sent."""

    turns: str = EVERY
    delay_minutes: int = 60  # of a mail with several turns
    daily_hour: int = 8  # local time
    reminders: tuple[str, ...] = DEFAULT_REMINDERS
    news: bool = True
    invitations: bool = True  # to tables, by people who know the address
    check_sender: bool = False  # replies count only if they come from the account's address
    calendar: bool = False  # the deadline as a file in mails about a turn


def preferences(chosen: Mapping[str, Any]) -> Preferences:
    """All preferences of somebody who chose these."""
    known = {name: chosen[name] for name in Preferences._fields if name in chosen}
    if "reminders" in known:
        known["reminders"] = tuple(known["reminders"])
    return Preferences(**known)
