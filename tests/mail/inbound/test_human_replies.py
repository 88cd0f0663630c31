"""Replies as people write them, each with the meaning that a careful person reads in it.

Every file of `human_replies` is one kind of reply, with whole mails as programs send them; the
entries of `typed_replies.yaml` are only what a person typed. `expects` of an entry is one of

    {play: 2}, {play: [3, 1]}   number of the choice, or several in order of preference
    ask                         a careful person would ask back
    ignore                      nobody wrote it: an auto-reply, a bounce, a reaction
    {command: help}             board, log, rules, games, undo, back, resign or plan
    {away: [first, last]}, {say: text}, {note: text}, {mail: daily}, 'yes', 'no'

`python -m tests.mail.inbound.test_human_replies` prints the results by kind.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from engine.registry import game_type_by_key
from service.mail.inbound.classify import read_mail
from service.mail.inbound.command_parser import read_commands
from service.mail.inbound.command_types import (
    Away,
    Back,
    Command,
    MailChoice,
    No,
    Note,
    Play,
    Resign,
    Say,
    Show,
    ShowPlan,
    Unclear,
    Undo,
    Yes,
)
from tests.mail.position import CHOICES, OWN_DOMAIN, TODAY

REPLIES = Path(__file__).parent / "human_replies"
TYPED = Path(__file__).parent / "typed_replies.yaml"
HEAD = (
    "From: Bela <bela@example.net>\nTo: Laguna <turn+abc@mail.laguna.example>\n"
    "Subject: Re: Mille Fiori\nMessage-ID: <a1@example.net>\n"
    "Content-Type: text/plain; charset=utf-8\n\n"
)
ASK, IGNORE = "ask", "ignore"
ASKED_BACK = {"empty", "unreadable", "two_texts"}
ANSWERS = "yes_no"  # the kind of replies to a question of ours
LEAST_RIGHT, LEAST_RIGHT_OF_A_KIND = 0.95, 0.85

_PLACES = [choice.split()[1] for choice in CHOICES[:-1]]
# The game, its choices and their labels in each language of our mails.
QUESTIONS = {
    "millefiori": (
        game_type_by_key("millefiori", 1),
        CHOICES,
        {
            "en": [f"quartz-1 to {place}: 1 point" for place in _PLACES]
            + ["Sail with quartz-1: 1 point"],
            "de": [f"Quarz-1 auf {place}: 1 Punkt" for place in _PLACES]
            + ["Segle mit Quarz-1: 1 Punkt"],
            "es": [f"cuarzo-1 en {place}: 1 punto" for place in _PLACES]
            + ["Navega con cuarzo-1: 1 punto"],
        },
    ),
    "murano": (
        game_type_by_key("murano", 1),
        ["take 2", "take 3", "take 1", "done"],
        {
            "en": ["Take palace 2", "Take palace 3", "Take palace 1", "Done: take none"],
            "de": ["Nimm Palast 2", "Nimm Palast 3", "Nimm Palast 1", "Fertig: keinen nehmen"],
            "es": [
                "Toma el palacio 2",
                "Toma el palacio 3",
                "Toma el palacio 1",
                "Terminado: no tomar ninguno",
            ],
        },
    ),
}


class Reply(NamedTuple):
    kind: str
    id: str
    raw: bytes
    expects: Any
    question: str
    language: str


class Result(NamedTuple):
    reply: Reply
    understood: Any
    played: tuple[Any, ...] = ()

    @property
    def is_right(self) -> bool:
        return bool(self.understood == self.reply.expects)

    @property
    def is_asked_though_clear(self) -> bool:
        return not self.is_right and self.understood == ASK

    @property
    def is_wrong_play(self) -> bool:
        return any(play != self.reply.expects for play in self.played)


def _replies() -> Iterator[Reply]:
    for path in sorted(REPLIES.glob("*.yaml")):
        for entry in yaml.safe_load(path.read_text("utf-8")):
            yield Reply(
                path.stem,
                entry["id"],
                entry["mail"].encode(),
                entry["expects"],
                entry.get("question", "millefiori"),
                entry.get("language", "en"),
            )
    for entry in yaml.safe_load(TYPED.read_text("utf-8")):
        raw = f"{HEAD}{entry['text']}\n".encode()
        expects, language = entry["expects"], entry["language"]
        yield Reply(entry["kind"], entry["id"], raw, expects, "millefiori", language)


def _meaning(command: Command, choices: list[str]) -> Any:
    """The command in the form of `expects`."""
    match command:
        case Play(steps=(step,)) if set(step) <= set(choices):
            numbers = [choices.index(move) + 1 for move in step]
            return {"play": numbers if len(numbers) > 1 else numbers[0]}
        case Away(first=first, last=last):
            return {"away": [first, last]}
        case Say(text=text):
            return {"say": text}
        case Note(text=text):
            return {"note": text}
        case MailChoice(mode=mode):
            return {"mail": mode}
        case Show(what=what):
            return {"command": what}
        case ShowPlan() | Undo() | Back() | Resign(confirmed=False):
            name = type(command).__name__.lower()
            return {"command": name.removeprefix("show")}
        case Yes() | No():
            return type(command).__name__.lower()
    return repr(command)


def _read(reply: Reply) -> Result:
    reading = read_mail(reply.raw, OWN_DOMAIN)
    if not reading.may_answer:
        return Result(reply, ASK if reading.kind in ASKED_BACK else IGNORE)
    game, choices, labels = QUESTIONS[reply.question]
    try:
        commands = read_commands(
            reading.text,
            game,
            choices,
            TODAY,
            labels=labels[reply.language],
            quote=reading.quote,
        )
    except Unclear:
        return Result(reply, ASK)
    if commands in ([Yes()], [No()]) and reply.kind != ANSWERS:
        return Result(reply, ASK)  # yes to what? The answer shows the choices again
    meanings = [_meaning(command, choices) for command in commands]
    played = [_meaning(command, choices) for command in commands if isinstance(command, Play)]
    return Result(reply, meanings[0] if len(meanings) == 1 else meanings, tuple(played))


def _all_results() -> list[Result]:
    return [_read(reply) for reply in _replies()]


def _by_kind(results: list[Result]) -> dict[str, list[Result]]:
    kinds: dict[str, list[Result]] = {}
    for result in results:
        kinds.setdefault(result.reply.kind, []).append(result)
    return kinds


def _share_right(results: list[Result]) -> float:
    return sum(result.is_right for result in results) / len(results)


def _told(results: list[Result]) -> str:
    return "\n".join(
        f"{result.reply.id}: {result.understood}, not {result.reply.expects}"
        for result in results
        if not result.is_right
    )


@pytest.mark.long
def test_replies_are_read_as_a_person_would_and_none_plays_something_else() -> None:
    """One test, so that one process reads them all, once."""
    results = _all_results()
    ids = [result.reply.id for result in results]
    kinds = _by_kind(results)
    assert len(set(ids)) == len(ids) >= 800
    assert len(kinds) >= 12
    wrong = [result for result in results if result.is_wrong_play]
    assert not wrong, _told(wrong)
    assert _share_right(results) >= LEAST_RIGHT, _told(results)
    for kind, found in kinds.items():
        assert _share_right(found) >= LEAST_RIGHT_OF_A_KIND, f"{kind}: {_told(found)}"


def _table(results: list[Result]) -> str:
    lines = ["| kind | right | asked though clear | wrong |", "|---|---|---|---|"]
    for kind, found in [*_by_kind(results).items(), ("all", results)]:
        right = sum(result.is_right for result in found)
        asked = sum(result.is_asked_though_clear for result in found)
        wrong = len(found) - right - asked
        lines.append(f"| {kind} | {right} of {len(found)} | {asked} | {wrong} |")
    return "\n".join(lines)


if __name__ == "__main__":
    found = _all_results()
    sys.stdout.write(f"{_table(found)}\n\n{_told(found)}\n")
