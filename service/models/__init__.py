"""The tables. Rows are reached only through `service.access`."""

from service.models.games import (
    Decision,
    Game,
    Invitation,
    Message,
    Move,
    Seat,
    Status,
    Visibility,
)
from service.models.letters import Letter
from service.models.log import Delivery, Event, Webhook
from service.models.people import Credential, CredentialKind, KeptAnswer, Person, SignIn

__all__ = [
    "Credential",
    "CredentialKind",
    "Decision",
    "Delivery",
    "Event",
    "Game",
    "Invitation",
    "KeptAnswer",
    "Letter",
    "Message",
    "Move",
    "Person",
    "Seat",
    "SignIn",
    "Status",
    "Visibility",
    "Webhook",
]
