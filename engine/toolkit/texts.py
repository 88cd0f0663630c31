"""Sentences that game types share. Each takes the catalogue of its game type."""

from collections.abc import Sequence
from gettext import NullTranslations

from engine.contract import Json
from engine.languages import join_words


def end_sentence(
    catalogue: NullTranslations,
    event: Json,
    reason: str,
    names: Sequence[str],
    language: str,
    you: int | None = None,
) -> str:
    """The event `end`: why the game is over, and the names of the winners."""
    winners = [names[seat] for seat in event["winners"]]
    if list(event["winners"]) == [you]:
        return catalogue.gettext("The game is over: %(reason)s. You win.") % {"reason": reason}
    text = catalogue.ngettext(
        "The game is over: %(reason)s. %(winners)s wins.",
        "The game is over: %(reason)s. %(winners)s share the win.",
        len(winners),
    )
    return text % {"reason": reason, "winners": join_words(winners, language)}


def result_sentence(catalogue: NullTranslations, outcome: Json, names: Sequence[str]) -> str:
    """The result of a finished game in a text of the board."""
    winners = ", ".join(names[seat] for seat in outcome["winners"])
    if not winners:
        return catalogue.gettext("The game was abandoned; nobody won.")
    return catalogue.gettext("The game is over. Winner: %(winners)s.") % {"winners": winners}


def result_heading(catalogue: NullTranslations, outcome: Json, names: Sequence[str]) -> str:
    """The result of a finished game in a line of the picture."""
    winners = [names[seat] for seat in outcome["winners"]]
    if not winners:
        return catalogue.gettext("The game was abandoned")
    if len(winners) == 1:
        return catalogue.gettext("%(name)s wins") % {"name": winners[0]}
    if len(winners) == 2:
        text = catalogue.gettext("%(name)s and %(other)s share the win")
        return text % {"name": winners[0], "other": winners[1]}
    return catalogue.gettext("%(winners)d players share the win") % {"winners": len(winners)}


def count_points(catalogue: NullTranslations, points: int) -> str:
    """A number of points, as `6 points`; lost points are `minus 4 points`."""
    text = catalogue.ngettext("%(points)d point", "%(points)d points", abs(points))
    counted = text % {"points": abs(points)}
    return catalogue.gettext("minus %(points)s") % {"points": counted} if points < 0 else counted


def label_with_forced(catalogue: NullTranslations, label: str, forced: Sequence[str]) -> str:
    """The label of a move, and those of the moves that it forces."""
    if not forced:
        return label
    text = catalogue.gettext("%(label)s; then, as your only choice: %(moves)s")
    return text % {"label": label, "moves": "; ".join(forced)}
