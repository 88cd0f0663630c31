"""Narration: the events of a move in few sentences.

Sentences in a row about one player become one: "Ben plays ash-4 to W8 and scores 6 points." The
contract has them begin with their subject; in the second person Spanish has none.
"""

from collections.abc import Mapping, Sequence

from engine.contract import Event, GameType
from engine.languages import ENGLISH, join_words

_YOU: Mapping[str, str] = {ENGLISH: "You ", "de": "Du ", "es": ""}


def narrate(
    game: GameType,
    events: Sequence[Event],
    names: Sequence[str],
    language: str = ENGLISH,
    you: int | None = None,
) -> str:
    """The events of a move, those of the seat `you` in the second person."""
    told: list[str] = []
    joined: list[str] = []  # what the subject of the last sentence did
    subject = ""
    for event in without_echoes(events):
        said = game.sentence(event, names, language, you).removesuffix(".")
        its_subject = _subject(event, names, language, you)
        if its_subject is None or not said.startswith(its_subject):
            told, joined = [*told, f"{said}."], []
            continue
        did = said.removeprefix(its_subject)
        did = did if its_subject else did[:1].lower() + did[1:]
        if joined and its_subject == subject:
            told.pop()
        else:
            joined, subject = [], its_subject
        joined.append(did)
        whole = subject + join_words(joined, language)
        told.append(f"{whole[:1].upper() + whole[1:]}.")
        if ":" in did:  # it explains something, so the sentence ends with it
            joined = []
    return " ".join(told)


def _subject(event: Event, names: Sequence[str], language: str, you: int | None) -> str | None:
    """The words with which the sentence about an event begins; None if it is of no seat."""
    seat = event.get("seat")
    if seat is None:
        return None
    return _YOU[language] if seat == you else f"{names[seat]} "


def without_echoes(events: Sequence[Event]) -> list[Event]:
    """The events without the public versions of those that only some seats see."""
    secrets = [event for event in events if "seen_by" in event]

    def is_echo(event: Event) -> bool:
        facts = {name: fact for name, fact in event.items() if name != "type"}
        return bool(facts) and any(facts.items() <= secret.items() for secret in secrets)

    return [event for event in events if "seen_by" in event or not is_echo(event)]
