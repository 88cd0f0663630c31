"""Commands about tables and the writer's account, and their stored form while they wait for a
confirmation."""

from dataclasses import asdict, dataclass

from engine.contract import Json
from service.mail.inbound.command_types import Command


class AccountCommand(Command):
    """Base class of commands that are about no running game."""


@dataclass(frozen=True)
class StartGame(AccountCommand):
    """Open a table. Without a game type it is asked for; without a number of bots and without
    invitees bots take all other seats."""

    game: str | None  # key of the game type
    bots: int | None = None
    invitees: tuple[str, ...] = ()


@dataclass(frozen=True)
class ChooseGame(AccountCommand):
    """Name a game type, as the answer to the question which one to play."""

    game: str


@dataclass(frozen=True)
class ShowTables(AccountCommand):
    """List the open tables, numbered."""


@dataclass(frozen=True)
class JoinTable(AccountCommand):
    """Join a table by its number in the list of the letter that is replied to."""

    number: int


@dataclass(frozen=True)
class StopMails(AccountCommand):
    """Send no more mails."""


@dataclass(frozen=True)
class SetName(AccountCommand):
    name: str


@dataclass(frozen=True)
class SetLanguage(AccountCommand):
    language: str


@dataclass(frozen=True)
class SetTimeZone(AccountCommand):
    """Choose the time zone of a place: a city, a country or the name of a zone."""

    place: str


@dataclass(frozen=True)
class SetQuietHours(AccountCommand):
    """Choose quiet hours as local times such as 22:30; None for none."""

    begins: str | None
    ends: str | None


@dataclass(frozen=True)
class DeleteAccount(AccountCommand):
    """Delete the account, after a confirmation."""


_STORED = {
    kind.__name__: kind
    for kind in (
        *(StartGame, ChooseGame, ShowTables, JoinTable, StopMails, SetName),
        *(SetLanguage, SetTimeZone, SetQuietHours, DeleteAccount),
    )
}


def command_json(command: AccountCommand) -> Json:
    """The stored form of a command."""
    return {"type": type(command).__name__} | asdict(command)  # type: ignore[call-overload, no-any-return]


def command_from(stored: Json) -> AccountCommand:
    """The command of a stored form."""
    values = {name: value for name, value in stored.items() if name != "type"}
    if "invitees" in values:
        values["invitees"] = tuple(values["invitees"])
    command: AccountCommand = _STORED[stored["type"]](**values)
    return command
