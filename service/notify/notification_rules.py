"""Rules of notification: the channels of each type of event, and their conditions.

All events are in a person's log (`event_log.py`). Webhooks send the types their owners chose. Mails
are letters of several kinds, each of them under a condition on the preferences of its recipient.
"""

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import NamedTuple

from service.notify.event_log import EVENT_TYPES
from service.notify.preferences import OFF, URGENT, Preferences

OPENED = "decision.opened"
REMINDER = "decision.reminder"
STARTED = "game.started"
# Kinds of letters that follow from no event.
DIGEST = "digest"  # several turns
ANSWER = "answer"  # to a reply
SIGN_IN = "sign_in"
INVITATION = "invitation"  # to a table
CONFIRMATION = "confirmation"  # to an address without an account that wrote to us
FOR_STRANGERS = (INVITATION, CONFIRMATION)
OPERATOR_MAIL = "operator_mail"  # a mail to postmaster@ or abuse@, passed on


class Channel(StrEnum):
    """A way to send events."""

    webhook = "webhook"
    mail = "mail"


class Condition(StrEnum):
    """The preference that decides whether something is sent."""

    types = "types"  # event types of the webhook
    turns = "turns"  # `turns` is every, batched or daily
    urgent = "urgent"  # `turns` is not off
    news = "news"  # as `turns`, and `news` is on
    always = "always"


class Rule(NamedTuple):
    """Condition under which a channel sends an event; for mails, the kind of letter."""

    condition: Condition
    letter: str | None = None


_WEBHOOK = {Channel.webhook: Rule(Condition.types)}
_LETTERS: Mapping[str, Rule] = {
    OPENED: Rule(Condition.turns, "turn"),
    REMINDER: Rule(Condition.urgent, "reminder"),
    "seat.away": Rule(Condition.urgent, "away"),
    "webhook.disabled": Rule(Condition.urgent, "webhook_off"),
    STARTED: Rule(Condition.news, "started"),
    "game.finished": Rule(Condition.news, "finished"),
    "message.posted": Rule(Condition.news, "mention"),
    "table.cancelled": Rule(Condition.news, "cancelled"),
    "table.rematch": Rule(Condition.news, "rematch"),
}
REGISTRY: Mapping[str, Mapping[Channel, Rule]] = {
    event_type: _WEBHOOK | ({Channel.mail: _LETTERS[event_type]} if event_type in _LETTERS else {})
    for event_type in EVENT_TYPES
}
_CONDITIONS = {rule.letter: rule.condition for rule in _LETTERS.values()} | {
    DIGEST: Condition.turns,
    ANSWER: Condition.always,
}


def letter_for(event_type: str) -> str | None:
    """The kind of letter about events of a type; None if there is none."""
    rule = REGISTRY.get(event_type, {}).get(Channel.mail)
    return rule and rule.letter


def sends_to_webhook(event_type: str, chosen: Collection[str]) -> bool:
    """Whether events of a type go to a webhook with these chosen types, or with none for all."""
    rule = REGISTRY.get(event_type, {}).get(Channel.webhook)
    return rule is not None and (not chosen or event_type in chosen)


def reason_not_to_send(letter: str, wanted: Preferences) -> str | None:
    """Why a person with these preferences gets no letters of this kind; None if they do."""
    condition = _CONDITIONS[letter]
    if condition == Condition.always:
        return None
    if wanted.turns == OFF:
        return "off"
    if wanted.turns == URGENT and condition != Condition.urgent:
        return "urgent_only"
    if condition == Condition.news and not wanted.news:
        return "no_news"
    return None
