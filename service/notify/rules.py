"""The channels by which people are told things, and what governs which of them are used.

Everything stands in a person's log of events (`event_log.py`). What of it goes out by which
channel says the registry: webhooks tell as much as their owners want; for mails there are kinds of
letters, and each kind is governed by a preference.
"""

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import NamedTuple

from service.notify.event_log import EVENT_TYPES
from service.notify.preferences import OFF, URGENT, Preferences

OPENED = "decision.opened"
REMINDER = "decision.reminder"
STARTED = "game.started"
DIGEST = "digest"  # a letter with several turns, of those who do not want one for each
ANSWER = "answer"  # a letter that answers a reply
SIGN_IN = "sign_in"  # a letter with a code and a link
INVITATION = "invitation"  # a letter that invites an address to a table


class Channel(StrEnum):
    """A way to tell people something."""

    webhook = "webhook"
    mail = "mail"


class Governor(StrEnum):
    """The preference that decides whether something is told."""

    types = "types"  # those that the owner of the webhook chose, or all
    turns = "turns"  # every turn, several at once, daily; not if only what is urgent is wanted
    urgent = "urgent"  # as long as any mail is wanted
    news = "news"
    asked = "asked"  # whatever somebody prefers: it answers what they wrote


class Told(NamedTuple):
    """How a channel tells events of a type: for mails, by which kind of letter."""

    governor: Governor
    letter: str | None = None


_CALLED = {Channel.webhook: Told(Governor.types)}
_MAILED: Mapping[str, Told] = {
    OPENED: Told(Governor.turns, "turn"),
    REMINDER: Told(Governor.urgent, "reminder"),
    "seat.away": Told(Governor.urgent, "away"),
    "webhook.disabled": Told(Governor.urgent, "webhook_off"),
    STARTED: Told(Governor.news, "started"),
    "game.finished": Told(Governor.news, "finished"),
    "message.posted": Told(Governor.news, "mention"),
    "table.cancelled": Told(Governor.news, "cancelled"),
    "table.rematch": Told(Governor.news, "rematch"),
}
REGISTRY: Mapping[str, Mapping[Channel, Told]] = {
    kind: _CALLED | ({Channel.mail: _MAILED[kind]} if kind in _MAILED else {})
    for kind in EVENT_TYPES
}
_GOVERNORS = {told.letter: told.governor for told in _MAILED.values()} | {
    DIGEST: Governor.turns,
    ANSWER: Governor.asked,
}


def letter_for(event_type: str) -> str | None:
    """The kind of letter that tells of such events; None if none does."""
    told = REGISTRY.get(event_type, {}).get(Channel.mail)
    return told and told.letter


def calls_for(event_type: str, chosen: Collection[str]) -> bool:
    """Whether a webhook whose owner chose these types, or none and so all, tells of such events."""
    told = REGISTRY.get(event_type, {}).get(Channel.webhook)
    return told is not None and (not chosen or event_type in chosen)


def unwanted(letter: str, wanted: Preferences) -> str | None:
    """Why somebody with these preferences does not want letters of this kind; None if they do."""
    governor = _GOVERNORS[letter]
    if governor == Governor.asked:
        return None
    if wanted.turns == OFF:
        return "off"
    if wanted.turns == URGENT and governor != Governor.urgent:
        return "urgent_only"
    if governor == Governor.news and not wanted.news:
        return "no_news"
    return None
