"""Sentences: events and questions."""

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from engine.contract import Json
from engine.early_end import ABANDONED, AGREED, RESIGNED
from engine.languages import ENGLISH, join_words
from engine.millefiori.names import area_names, card_name, translation
from engine.millefiori.own_sentences import own_scorings, own_sentences
from engine.toolkit.texts import count_points, end_sentence

# Events


@cache
def _sentences(language: str) -> Mapping[str, str]:
    _ = translation(language).gettext
    return {
        "display": _("On display: %(cards)s."),
        "round": _("Round %(round)d begins; %(start)s starts."),
        "keep": _("%(seat)s keeps %(card)s."),
        "chosen": _("%(seat)s has chosen a card."),
        "place": _("%(seat)s plays %(card)s to %(to)s."),
        "sail": _("%(seat)s sails with %(card)s from %(from)d to %(to)d on the route."),
        "extra-card": _("%(seat)s earns an extra card."),
        "extra-card-lapsed": _("%(seat)s would earn an extra card, but none is on display."),
        "decline": _("%(seat)s leaves the extra card."),
        "discard": _("%(seat)s discards %(card)s: it can be played in no way."),
        "supply-empty": _("%(seat)s has used up the supply of diamonds: this turn is the last."),
        "pass": _("The hands are passed to the left; turn %(turn)d begins."),
        "left-over": _("%(seat)s lays %(cards)s on display."),
    }


@cache
def _scorings(language: str) -> Mapping[str, str]:
    _ = translation(language).gettext
    return {
        "workshops": _("%(seat)s scores %(points)s in the workshops."),
        "residences": _("%(seat)s scores %(points)s in the residences."),
        "nobili": _("%(seat)s scores %(points)s from the nobili."),
        "populi": _("%(seat)s scores %(points)s from the populi."),
        "trade": _("%(seat)s scores %(points)s from trade."),
        "harbor": _("%(seat)s scores %(points)s in the harbor."),
        "route": _("%(seat)s scores %(points)s on the route."),
        "bonus": _("%(seat)s takes the %(area)s bonus: %(points)s."),
    }


@cache
def reasons(language: str) -> Mapping[str, str]:
    """The reason of the end, as part of a sentence."""
    _ = translation(language).gettext
    return {
        "deck": _("all cards have been played"),
        "diamonds": _("a supply of diamonds is used up"),
        AGREED: _("the players agreed to end it"),
        RESIGNED: _("a player resigned"),
        ABANDONED: _("it was abandoned"),
    }


def sentence(
    event: Json, names: Sequence[str], language: str = ENGLISH, you: int | None = None
) -> str:
    """An event in one sentence; in the second person if it is of the seat `you`."""
    kind = event["type"]
    if kind == "end":
        return end_sentence(
            translation(language), event, reasons(language)[event["reason"]], names, language, you
        )
    own = you is not None and event.get("seat", event.get("start")) == you
    if kind == "points":
        return _points_sentence(event, names[event["seat"]], language, own)
    facts = dict(event)
    if "seat" in facts:
        facts["seat"] = names[facts["seat"]]
    if "start" in facts:
        facts["start"] = names[facts["start"]]
    if "card" in facts:
        facts["card"] = card_name(facts["card"], language)
    if "cards" in facts:
        cards = [card_name(card, language) for card in facts["cards"]]
        facts["cards"] = join_words(cards, language) or translation(language).gettext("no cards")
    return (own_sentences if own else _sentences)(language)[kind] % facts


def _points_sentence(event: Json, name: str, language: str, own: bool) -> str:
    facts = {"seat": name, "points": points_words(event["points"], language)}
    if event["for"] == "bonus":
        facts["area"] = area_names(language)[event["area"]]
    return (own_scorings if own else _scorings)(language)[event["for"]] % facts


# Questions


def question(view: Json, names: Sequence[str], language: str = ENGLISH) -> str:
    """The question to the seat of this view; empty without a decision."""
    if view["decision"] is None:
        return ""
    _ = translation(language).gettext
    kept, seat = view["you"]["kept"], view["you"]["seat"]
    card = card_name(kept, language) if kept else ""
    if view["phase"] == "extra":
        return _("You have earned an extra card: play one from the display, or leave it.")
    if view["phase"] == "play":
        if kept:
            return _("Play %(card)s: place a diamond or sail.") % {"card": card}
        return _("Play a card of your hand: place a diamond or sail.")
    asked = _("Choose a card to keep.")
    if kept:
        asked = _("You keep %(card)s; you may still choose another card.") % {"card": card}
    rest = _("The others go on display at the end of the round.")
    if view["turn"] < view["turns"]:
        rest = _("The others go to %(name)s.") % {"name": names[(seat + 1) % view["seats"]]}
    return f"{asked} {rest}"


# Pieces


@lru_cache(maxsize=1000)
def points_words(points: int, language: str) -> str:
    """A number of points, as `6 points`."""
    return count_points(translation(language), points)
