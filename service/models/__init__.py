"""The tables. Rows are reached only through `service.access`."""

from service.models.games import (
    Decision,
    Game,
    GameAudit,
    Invitation,
    Message,
    Move,
    Seat,
    Status,
    Visibility,
)
from service.models.health import Bookmark, Heartbeat
from service.models.incoming import Bounce, Incoming, IncomingState
from service.models.letters import Letter, LetterState, MailServerOutage, Picture
from service.models.log import Delivery, Event, Webhook
from service.models.people import (
    Credential,
    CredentialKind,
    InvitationRefusal,
    KeptAnswer,
    PendingNotice,
    Person,
    SignIn,
)

__all__ = [
    "Bookmark",
    "Bounce",
    "Credential",
    "CredentialKind",
    "Decision",
    "Delivery",
    "Event",
    "Game",
    "GameAudit",
    "Heartbeat",
    "Incoming",
    "IncomingState",
    "Invitation",
    "InvitationRefusal",
    "KeptAnswer",
    "Letter",
    "LetterState",
    "MailServerOutage",
    "Message",
    "Move",
    "PendingNotice",
    "Person",
    "Picture",
    "Seat",
    "SignIn",
    "Status",
    "Visibility",
    "Webhook",
]
