"""Grammar of commands about tables and accounts. Pure functions, without a database.

A command is one line, in any language of the service; capitals and politeness do not matter.
`play <game> with 2 bots and ben@example.org` names a game type by its title or key, a number of
bots and the addresses of guests in any order; every other word must be known to say nothing else.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from engine.registry import GAME_TYPES
from service.core.email_address import normal_address
from service.core.mail_headers import addresses_in
from service.mail.inbound.account_command_types import (
    ChooseGame,
    DeleteAccount,
    JoinTable,
    SetLanguage,
    SetName,
    SetQuietHours,
    SetTimeZone,
    ShowTables,
    StartGame,
    StopMails,
)
from service.mail.inbound.account_vocabulary import (
    BOTS,
    DELETE,
    JOIN,
    JOIN_AFTER,
    LANGUAGE_NAMES,
    LANGUAGE_WORDS,
    ONE,
    PLAY,
    PLAY_FILLERS,
    POLITE,
    STOP,
    TABLES,
    TYPICAL,
)
from service.mail.inbound.command_types import Command, MailChoice, No, Show, Yes
from service.mail.inbound.consent import consents
from service.mail.inbound.move_parser import content
from service.mail.inbound.number_words import NUMBER_WORDS
from service.mail.inbound.plain_text import folded, plain
from service.mail.inbound.politeness_words import CLOSINGS, GREETINGS, THANKS
from service.mail.inbound.vocabulary import COMMANDS
from service.notify.preferences import OFF

MOST_LINES = 20
LONGEST_LINE = 300
SHOWN = ("games", "help")
JOIN_WORD = "join"

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
_JOIN = re.compile(r"(?P<before>[^0-9#]*?)\s*#?(?P<number>[0-9]{1,3})\s*(?P<after>[^0-9]*)")
_NAME = re.compile(
    r"(?:my name is|name is|name|call me|ich hei(?:ss|ß)e|mein name ist|nenne? mich|"
    r"me llamo|mi nombre es|ll[aá]mame|nombre)\b\s*:?\s*"
    r"(?!(?:at|on|in|when|later|back|um|am|wenn|sp[aä]ter|zur[uü]ck|a las?|cuando|luego)\b)"
    r"(?P<name>[^\W\d_][^\d]{0,60})",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"(?:i (?:now )?live in|i'm living in|time ?zone(?: is)?|my time ?zone is|"
    r"ich (?:wohne|lebe) (?:jetzt )?in|(?:meine )?zeitzone(?: ist)?|"
    r"(?:yo )?(?:ahora )?vivo en|(?:mi )?(?:zona horaria|huso horario)(?: es)?)\b\s*:?\s*"
    r"(?P<place>\S.{0,60})",
    re.IGNORECASE,
)
_TIME = r"(2[0-3]|[01]?[0-9])(?:[:.h]([0-5][0-9]))?\s*(am|pm|uhr|h)?"
_QUIET = re.compile(
    r"(?:quiet hours|(?:i )?sleep|ruhezeit(?:en)?|nachtruhe|(?:ich )?schlafe|"
    r"horas de (?:silencio|descanso)|duermo)\s*:?\s*"
    rf"(?:(?P<off>off|none|aus|keine|ninguna|no)|(?:from|von|de|desde)?\s*(?P<times>{_TIME}"
    rf"\s*(?:-|to|until|bis|a|hasta)\s*(?:las )?{_TIME}))"
)


def read_account_command(text: str) -> Command | None:
    """The command of a reply, if all of it is one command of this grammar."""
    lines = [line for line in _lines(text) if folded(line) not in POLITE]
    return _command(lines[0]) if len(lines) == 1 and "?" not in lines[0] else None


def read_answer(text: str) -> Command | None:
    """The command of a reply to a letter that asks for consent: also `Yes` or `No`."""
    if (command := read_account_command(text)) is not None:
        return command
    consent = consents(text)
    return None if consent is None else Yes() if consent else No()


def read_table_number(text: str) -> JoinTable | None:
    """The table that a reply to a list of tables names: `join 3`, or no more than `3`."""
    lines = [line for line in _lines(text) if folded(line) not in POLITE]
    if len(lines) != 1:
        return None
    found = _join(lines[0]) or _join(f"{JOIN_WORD} {lines[0].rstrip('.')}")
    return found if isinstance(found, JoinTable) else None


def first_command(text: str, subject: str) -> Command | None:
    """The command of a mail to the server's own address: the first line that is one, or else the
    subject."""
    for line in (*_lines(text), subject):
        if (command := _command(line.replace("?", " ").strip())) is not None:
            return command
    return None


def language_of(text: str) -> str | None:
    """The language other than English in which a text is probably written."""
    words = set(_WORD.findall(folded(text)))
    found = {language: len(words & typical) for language, typical in TYPICAL.items()}
    best = max(found, key=lambda language: found[language])
    return best if found[best] else None


def _lines(text: str) -> Iterator[str]:
    """The lines up to a closing, without greetings and thanks."""
    count = 0
    for line in filter(None, map(content, plain(text).split("\n"))):
        spoken = folded(line).rstrip(",")
        if count and spoken in CLOSINGS:
            return
        if spoken not in GREETINGS and spoken not in THANKS:
            count += 1
            yield line
        if count == MOST_LINES:
            return


def _command(line: str) -> Command | None:
    if len(line) > LONGEST_LINE:
        return None
    line = content(line)
    readers: tuple[Callable[[str], Command | None], ...]
    readers = (_phrase, _join, _setting, _named, _start)
    return next((found for read in readers if (found := read(line)) is not None), None)


def _phrase(line: str) -> Command | None:
    """A command that has no argument."""
    spoken = _without_politeness(folded(line))
    known = COMMANDS.get(spoken)
    if spoken in STOP or known == MailChoice(OFF):
        return StopMails()
    if spoken in TABLES:
        return ShowTables()
    if spoken in DELETE:
        return DeleteAccount()
    return known if isinstance(known, Show) and known.what in SHOWN else None


def _without_politeness(spoken: str) -> str:
    for word in POLITE:
        spoken = spoken.removesuffix(f" {word}").removeprefix(f"{word} ")
    return spoken.strip(" ,.!")


def _join(line: str) -> Command | None:
    match = _JOIN.fullmatch(_without_politeness(folded(line)))
    if match is None:
        return None
    before, after = match["before"].strip(" :"), match["after"].strip(" .!")
    named = (before in JOIN and not after) or (before in ("", *JOIN) and after in JOIN_AFTER)
    return JoinTable(int(match["number"])) if named else None


def _setting(line: str) -> Command | None:
    if (quiet := _QUIET.fullmatch(_without_politeness(folded(line)))) is not None:
        return _quiet_hours(quiet)
    if (place := _PLACE.fullmatch(line)) is not None:
        return SetTimeZone(place["place"].strip(" ."))
    if (name := _NAME.fullmatch(line)) is not None:
        return SetName(name["name"].strip(" ."))
    words = [word for word in _WORD.findall(folded(line)) if word not in POLITE]
    named = [LANGUAGE_NAMES[word] for word in words if word in LANGUAGE_NAMES]
    others = [word for word in words if word not in LANGUAGE_NAMES]
    polite = set(others) <= LANGUAGE_WORDS | {"por", "favor"}
    return SetLanguage(named[0]) if len(named) == 1 and polite else None


def _quiet_hours(match: re.Match[str]) -> SetQuietHours:
    if match["off"] is not None:
        return SetQuietHours(None, None)
    begins, ends = (_time(*found) for found in re.findall(_TIME, match["times"]))
    return SetQuietHours(begins, ends)


def _time(hour: str, minute: str, half: str) -> str:
    hours = int(hour)
    if half in ("am", "pm"):
        hours = hours % 12 + (12 if half == "pm" else 0)
    return f"{hours:02d}:{minute or '00'}"


def _start(line: str) -> StartGame | None:
    guests = [address.rstrip(".!?'") for address in addresses_in(line)]
    for guest in guests:
        line = line.replace(guest, " ")
    game, rest = _taken(folded(line), _names())
    bots, words = _without_bots(_WORD.findall(rest))
    invitees = tuple(dict.fromkeys(normal_address(guest) for guest in guests))
    if not all(word in PLAY or word in PLAY_FILLERS for word in words):
        return None
    plays = any(word in PLAY for word in words)
    return StartGame(game, bots, invitees) if plays else None


def _named(line: str) -> ChooseGame | None:
    """A line of nothing but the name of a game type."""
    key = _names().get(_without_politeness(folded(line)))
    return None if key is None else ChooseGame(key)


def _taken(spoken: str, names: dict[str, str]) -> tuple[str | None, str]:
    """The game type that a line names, and the rest of the line."""
    for name in sorted(names, key=len, reverse=True):
        found = re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", spoken)
        if found is not None:
            return names[name], f"{spoken[: found.start()]} {spoken[found.end() :]}"
    return None, spoken


@cache
def _names_of(games: tuple[tuple[str, str], ...]) -> dict[str, str]:
    spellings: Callable[[str], Iterable[str]] = lambda title: (  # noqa: E731
        title,
        title.replace(" ", ""),
        title.replace(" ", "-"),
    )
    return {name: key for key, title in games for name in (key, *spellings(folded(title))) if name}


def _names() -> dict[str, str]:
    """The keys of all game types by their names."""
    return _names_of(tuple((game.meta.key, game.meta.title) for game in GAME_TYPES))


def _without_bots(words: list[str]) -> tuple[int | None, list[str]]:
    """The number of bots among the words, and the other words."""
    place = next((place for place, word in enumerate(words) if word in BOTS), None)
    if place is None:
        return None, words
    before = words[place - 1] if place else ""
    number = 1 if before in ONE else NUMBER_WORDS.get(before)
    if before.isascii() and before.isdigit():
        number = int(before)
    first = place if number is None else place - 1
    return number, words[:first] + words[place + 1 :]
