"""Sentences about events of the reader's own seat, in the second person."""

from collections.abc import Mapping
from functools import cache

from engine.millefiori.names import translation


@cache
def own_sentences(language: str) -> Mapping[str, str]:
    """Sentences by the keys of those in the third person."""
    _ = translation(language).gettext
    return {
        "round": _("Round %(round)d begins; you start."),
        "keep": _("You keep %(card)s."),
        "chosen": _("You have chosen a card."),
        "place": _("You play %(card)s to %(to)s."),
        "sail": _("You sail with %(card)s from %(from)d to %(to)d on the route."),
        "extra-card": _("You earn an extra card."),
        "extra-card-lapsed": _("You would earn an extra card, but none is on display."),
        "decline": _("You leave the extra card."),
        "discard": _("You discard %(card)s: it can be played in no way."),
        "supply-empty": _("You have used up the supply of diamonds: this turn is the last."),
        "left-over": _("You lay %(cards)s on display."),
    }


@cache
def own_scorings(language: str) -> Mapping[str, str]:
    """Sentences about points, by their cause."""
    _ = translation(language).gettext
    return {
        "workshops": _("You score %(points)s in the workshops."),
        "residences": _("You score %(points)s in the residences."),
        "nobili": _("You score %(points)s from the nobili."),
        "populi": _("You score %(points)s from the populi."),
        "trade": _("You score %(points)s from trade."),
        "harbor": _("You score %(points)s in the harbor."),
        "route": _("You score %(points)s on the route."),
        "bonus": _("You take the %(area)s bonus: %(points)s."),
    }
