"""Tables of the database."""

from service.db.models.events_webhooks import Delivery, Event, Webhook
from service.db.models.games import (
    Decision,
    Game,
    GameAudit,
    Invitation,
    Message,
    Move,
    Seat,
    Status,
    UndoneMove,
    Visibility,
)
from service.db.models.health import Bookmark, Heartbeat
from service.db.models.incoming_mail import Bounce, Incoming, IncomingState
from service.db.models.outgoing_mail import Letter, LetterState, MailServerOutage, Picture
from service.db.models.people import (
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
    "UndoneMove",
    "Visibility",
    "Webhook",
]
