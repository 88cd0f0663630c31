"""The demo of `laguna up`: an account with a running game against two bots."""

from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import delete, select

from engine.registry import GAME_TYPES
from service.access.accounts import person_with
from service.access.impersonation import caller_for
from service.access.scopes import ACCOUNT_READ, GAMES_PLAY, GAMES_READ, TABLES_SEEK
from service.accounts.profile import make_person, make_token
from service.accounts.sign_in import prepare_sign_in
from service.db.models import Credential, CredentialKind, Game, Person, Seat, Status, Visibility
from service.db.session import db
from service.games.table_creation import TableSpec, open_table

NEWCOMER = "newcomer@localhost"
NAME = "Newcomer"
BOTS = 2
TOKEN_NAME = "laguna up"  # noqa: S105
TOKEN_FOR = timedelta(days=1)
TOKEN_SCOPES = (GAMES_READ, GAMES_PLAY, TABLES_SEEK, ACCOUNT_READ)


class Demo(NamedTuple):
    """The game, a sign-in link and an API token for a newcomer."""

    game_id: str
    link: str
    token: str


def prepare_demo(at: datetime) -> Demo:
    """Create the account and the game unless they exist; the link and the token are always new."""
    person = person_with(NEWCOMER) or make_person(NEWCOMER, NAME, at)
    return Demo(
        game_id=_running_game(person) or _new_game(person, at),
        link=prepare_sign_in(NEWCOMER, at).link,
        token=_fresh_token(person, at),
    )


def _running_game(person: Person) -> str | None:
    return db.session.scalars(
        select(Game.id)
        .join(Seat, Seat.game_id == Game.id)
        .where(Seat.person_id == person.id, Seat.bot.is_(False), Game.status == Status.running)
        .order_by(Game.created_at.desc(), Game.id)
    ).first()


def _new_game(person: Person, at: datetime) -> str:
    """A table of the first game type, without a clock."""
    wanted = TableSpec(
        game=GAME_TYPES[0].meta.key,
        seats=BOTS + 1,
        bots=BOTS,
        clock={"kind": "none"},
        visibility=Visibility.invitation,
    )
    return open_table(caller_for(person), wanted, at)


def _fresh_token(person: Person, at: datetime) -> str:
    db.session.execute(
        delete(Credential).where(
            Credential.person_id == person.id,
            Credential.kind == CredentialKind.token,
            Credential.name == TOKEN_NAME,
        )
    )
    return make_token(person, TOKEN_NAME, TOKEN_SCOPES, at, at + TOKEN_FOR).secret
