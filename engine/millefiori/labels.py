"""Labels of moves: the name of a choice, and its points."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from engine.contract import Preview
from engine.languages import ENGLISH
from engine.millefiori.board import PLACE_AREA, PLACE_NAME, ROUTE
from engine.millefiori.moves import Discard, Keep, Move, Play
from engine.millefiori.names import area_names, card_names, place_name, translation
from engine.millefiori.previews import preview
from engine.millefiori.sentences import points_words
from engine.millefiori.state import State
from engine.toolkit.texts import label_with_forced


class _Phrases(NamedTuple):
    """Texts of labels in one language."""

    discard: str
    decline: str
    keep: str
    keep_best: str
    keep_then: str
    keep_only: str
    keep_discard: str
    not_yet: str
    sail: str
    place: str
    and_sail: str
    # The reason of an extra card, by area.
    extra_card: Mapping[str, str]
    cards: Sequence[str]
    places: Sequence[str]


@cache
def _phrases(language: str) -> _Phrases:
    _ = translation(language).gettext
    top_row = _("top row: extra card")
    ship = _("lands on the symbol: extra card")
    return _Phrases(
        discard=_("Discard %(card)s: it can be played in no way"),
        decline=_("Leave the extra card"),
        keep=_("Keep %(card)s"),
        keep_best=_("Keep %(card)s (now best %(place)s: %(score)s)"),
        keep_then=_("Keep %(card)s, then %(place)s (%(score)s)"),
        keep_only=_("Keep %(card)s, then %(place)s as your only choice (%(score)s)"),
        keep_discard=_("Keep %(card)s and discard it then: it can be played in no way"),
        not_yet=_("not possible yet"),
        sail=_("Sail with %(card)s"),
        place=_("%(card)s to %(place)s"),
        and_sail=_("%(place)s and sail"),
        extra_card={
            "workshops": _("fills the symbol: extra card"),
            "residences": _("enough numbers: extra card"),
            "nobili": top_row,
            "populi": top_row,
            "trade": _("good deal: extra card"),
            "harbor": ship,
            "route": ship,
        },
        cards=card_names(language),
        places=[place_name(place, language) for place in PLACE_NAME],
    )


def label(
    state: State,
    seat: int,
    move: Move,
    expected: Preview,
    names: Sequence[str],
    language: str = ENGLISH,
) -> str:
    """The label of a move: its points, and the moves that it forces."""
    forced = expected.forced
    if isinstance(move, Keep) and forced:
        said = _keep_forced(seat, move, expected, names, language)
        forced = forced[1:]
    else:
        said = _label(seat, move, expected, names, language)
    moves = [
        _label(seat, one.move, preview(one.state, seat, one.move), names, language)
        for one in forced
    ]
    return label_with_forced(translation(language), said, moves)


def _keep_forced(
    seat: int, move: Keep, expected: Preview, names: Sequence[str], language: str
) -> str:
    """The label of a kept card with a single use."""
    say, (state, use) = _phrases(language), expected.forced[0]
    if not isinstance(use, Play):
        return say.keep_discard % {"card": say.cards[move.card]}
    return say.keep_only % {
        "card": say.cards[move.card],
        "place": _where(use.to, use.sail, language),
        "score": _score(preview(state, seat, use), seat, use, names, language),
    }


def _label(seat: int, move: Move, expected: Preview, names: Sequence[str], language: str) -> str:
    """The label of the move alone, with its points."""
    say = _phrases(language)
    if isinstance(move, Discard):
        return say.discard % {"card": say.cards[move.card]}
    if not isinstance(move, (Keep, Play)):
        return say.decline
    if isinstance(move, Play):
        action = _action(move.card, move.to, move.sail, language)
        return f"{action}: {_score(expected, seat, move, names, language)}"
    place = move.then or expected.follow_up
    if place is None:
        return say.keep % {"card": say.cards[move.card]}
    foreseen = say.not_yet
    if expected.follow_up:
        foreseen = _score(expected, seat, place, names, language)
    return (say.keep_then if move.then else say.keep_best) % {
        "card": say.cards[move.card],
        "place": _where(place.to, place.sail, language),
        "score": foreseen,
    }


@cache
def _action(card: int, to: int, sail: bool, language: str) -> str:
    say = _phrases(language)
    if to == ROUTE:
        return say.sail % {"card": say.cards[card]}
    return say.place % {"card": say.cards[card], "place": _where(to, sail, language)}


@cache
def _where(to: int, sail: bool, language: str) -> str:
    say = _phrases(language)
    return say.and_sail % {"place": say.places[to]} if sail else say.places[to]


def _score(expected: Preview, seat: int, play: Play, names: Sequence[str], language: str) -> str:
    """The points as `8 points (3 trade, 5 route), good deal: extra card; Ben 3`: split by cause if
    there are several."""
    by_cause: dict[str, int] = {}
    by_rival: dict[str, int] = {}
    for item in expected.points:
        if item.seat == seat:
            by_cause[item.cause] = by_cause.get(item.cause, 0) + item.points
        else:
            name = names[item.seat]
            by_rival[name] = by_rival.get(name, 0) + item.points
    score = points_words(sum(by_cause.values()), language)
    if len(by_cause) > 1:
        words = area_names(language)
        causes = [f"{points} {words[cause]}" for cause, points in by_cause.items()]
        score += f" ({', '.join(causes)})"
    if expected.again:
        area = "route" if play.to == ROUTE else PLACE_AREA[play.to]
        score += f", {_phrases(language).extra_card[area]}"
    for name, points in by_rival.items():
        score += f"; {name} {points}"
    return score
