"""Texts of Nim for people; in English, whatever their language."""

from collections.abc import Sequence
from gettext import NullTranslations

from engine.contract import Json, Preview, Stop, Topic
from engine.languages import ENGLISH
from engine.toolkit.texts import count_points, end_sentence
from engine.toolkit.translation import game_translation
from tests.engine.third_game.moves import HEAPS, Take
from tests.engine.third_game.rules import State


def question(view: Json, names: Sequence[str], language: str = ENGLISH) -> str:
    return "Take tokens from a heap." if view["decision"] else ""


def label(
    state: State,
    seat: int,
    move: Take,
    expected: Preview,
    names: Sequence[str],
    language: str = ENGLISH,
) -> str:
    """As `Take 2 from B`, with the point of the last token."""
    words = f"Take {move.count} from {HEAPS[move.heap]}"
    points = expected.for_seat(seat)
    return f"{words}: {count_points(_translation(language), points)}" if points else words


def path(state: State, seat: int, move: Take, language: str = ENGLISH) -> tuple[Stop, ...]:
    """First a heap, then a button with the number."""
    heap = HEAPS[move.heap]
    return Stop(f"heap:{heap}", f"Heap {heap}"), Stop(f"take:{move.count}", f"Take {move.count}")


def sentence(
    event: Json, names: Sequence[str], language: str = ENGLISH, you: int | None = None
) -> str:
    if event["type"] == "end":
        reason = "the heaps are empty"
        return end_sentence(_translation(language), event, reason, names, language, you)
    name, s = ("You", "") if event["seat"] == you else (names[event["seat"]], "s")
    match event["type"]:
        case "start":
            return f"{name} start{s}."
        case "take":
            return f"{name} take{s} {event['count']} from heap {event['heap']}."
    return f"{name} score{s} {count_points(_translation(language), event['points'])}."


def cause(cause: str, language: str = ENGLISH) -> str:
    return "last token"


def guide(language: str = ENGLISH) -> tuple[Topic, ...]:
    return (
        Topic("heaps", "Heaps", "In your turn take any number of tokens from one heap."),
        Topic("end", "The end", "Take the last token of all heaps, and you win."),
    )


def _translation(language: str) -> NullTranslations:
    return game_translation(__file__, language)
