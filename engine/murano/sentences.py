"""Sentences: events and questions."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from engine.contract import Json
from engine.languages import ENGLISH, join_words
from engine.murano.board import boards
from engine.murano.descriptions import card_words, character_words
from engine.murano.moves import BEADS
from engine.murano.names import (
    action_names,
    card_names,
    colour_name,
    island_name,
    stack_names,
    translation,
)
from engine.murano.own_sentences import own_counting, own_scorings, own_sentences
from engine.murano.phrases import (
    bead_words,
    counted,
    gold_words,
    points_words,
    street_words,
    tile_words,
)
from engine.murano.state import AT_ONCE, BUILD, CARD, LAY, RECRUIT, RETURN, SELL, TAKE
from engine.murano.turns import STACK_OF_TILE
from engine.toolkit.texts import end_sentence

_TILE_OF_STACK = {stack: tile for tile, stack in STACK_OF_TILE.items()}

# Events


@cache
def _sentences(language: str) -> Mapping[str, str]:
    """Sentences by type of event, with a suffix of `_way` where a type has several."""
    _ = translation(language).gettext
    return {
        "start": _("%(start)s starts; the red ship is on %(red)s."),
        "sail": _("%(seat)s sails a ship from %(from)s to %(to)s."),
        "sail red": _("%(seat)s sails the red ship from %(from)s to %(to)s."),
        "sail paid": _("%(seat)s sails a ship from %(from)s to %(to)s for %(paid)s."),
        "sail red paid": _("%(seat)s sails the red ship from %(from)s to %(to)s for %(paid)s."),
        "pass": _("%(seat)s passes, takes %(gold)s and moves a ship from %(from)s to %(to)s."),
        "pass red": _(
            "%(seat)s passes, takes %(gold)s and moves the red ship from %(from)s to %(to)s."
        ),
        "gold": _("%(seat)s takes %(gold)s."),
        "gondolier": _("%(seat)s places a gondolier at %(island)s, %(dock)s dock, for %(paid)s."),
        "hire": _("%(seat)s hires a gondolier for %(paid)s."),
        "dismiss": _("%(seat)s dismisses a gondolier and takes %(gold)s."),
        "buy": _("%(seat)s buys %(tile)s for %(paid)s."),
        "bought": _("%(seat)s has got %(tile)s."),
        "search shop": _("%(seat)s pays %(paid)s to look through the shops."),
        "search palace": _("%(seat)s pays %(paid)s to look through the palaces."),
        "taken": _("%(seat)s takes %(tile)s from the stack, which is shuffled."),
        "characters": _("%(seat)s sees the characters %(characters)s."),
        "recruited": _("%(seat)s recruits a character for %(paid)s."),
        "chosen": _("%(seat)s takes character %(character)s."),
        "decline": _("%(seat)s recruits nobody."),
        "street": _("%(seat)s draws a street %(street)s."),
        "lay": _("%(seat)s lays the street %(street)s on %(at)s."),
        "build": _("%(seat)s builds %(tile)s on %(at)s."),
        "cards-shown": _("%(seat)s sees the special cards %(cards)s."),
        "card": _("%(seat)s chooses the special card %(card)s."),
        "done": _("%(seat)s builds nothing more."),
        "income": _("%(seat)s takes %(gold)s of income on %(island)s."),
        "produce 0": _("%(seat)s produces nothing."),
        "beads": _("%(seat)s draws %(beads)s."),
        "sell": _("%(seat)s sells %(beads)s for %(gold)s."),
        "keep": _("%(seat)s sells no beads."),
        "return": _("%(seat)s puts %(bead)s back into the bag."),
        "stack-empty": _("The stack of %(stack)s has run out."),
        "last-round": _("%(seat)s has brought about the end: all others have one more turn."),
        "scoring": _("The characters are scored."),
        "character": _("%(seat)s brings character %(character)s to %(island)s."),
        "character gold": _(
            "%(seat)s brings character %(character)s to %(island)s and gives up %(gold)s."
        ),
        "character beads": _(
            "%(seat)s brings character %(character)s to %(island)s and gives up %(beads)s."
        ),
    }


@cache
def _scorings(language: str) -> Mapping[str, str]:
    _ = translation(language).gettext
    return {
        "build": _("%(seat)s scores %(points)s for the building."),
        "production": _("%(seat)s loses %(points)s for the production."),
        "special": _("%(seat)s scores %(points)s for a special card."),
        "character": _("%(seat)s scores %(points)s for the character."),
        "gondolier": _("%(seat)s scores %(points)s for unused gondoliers."),
    }


@cache
def reasons(language: str) -> Mapping[str, str]:
    """The reason of the end, as part of a sentence."""
    _ = translation(language).gettext
    return {"tiles": _("two stacks of tiles have run out")}


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
        points = points_words(abs(event["points"]), language)
        text = (own_scorings if own else _scorings)(language)[event["for"]]
        return text % {"seat": names[event["seat"]], "points": points}
    facts = {name: _said(event, name, names, language) for name in event if name != "type"}
    if kind in ("buy", "bought", "taken", "build"):
        facts["tile"] = tile_words(event["tile"], event.get("kind", ""), language)
    counting = (own_counting if own else _counting)(event, language)
    return (counting or (own_sentences if own else _sentences)(language)[_way(event)]) % facts


def _way(event: Json) -> str:
    """The key of the sentence for an event whose sentence depends on its facts."""
    kind: str = event["type"]
    if kind in ("sail", "pass"):
        red, paid = event["red"], event.get("paid")
        return kind + (" red" if red else "") + (" paid" if paid else "")
    if kind == "search":
        return f"search {event['tile']}"
    if kind == "produce":
        return "produce 0"
    if kind == "character":
        return kind + "".join(f" {given}" for given in ("gold", "beads") if given in event)
    return kind


def _counting(event: Json, language: str) -> str:
    """The sentence for an event with a count; empty for any other."""
    catalogue = translation(language)
    match event:
        case {"type": "recruit", "shown": shown}:
            return catalogue.ngettext(
                "%(seat)s looks at %(shown)d character.",
                "%(seat)s looks at %(shown)d characters.",
                shown,
            )
        case {"type": "cards", "shown": shown}:
            return catalogue.ngettext(
                "%(seat)s looks at %(shown)d special card.",
                "%(seat)s looks at %(shown)d special cards.",
                shown,
            )
        case {"type": "produce", "count": count} if count:
            return catalogue.ngettext(
                "%(seat)s lets %(count)d glassworks produce.",
                "%(seat)s lets %(count)d glassworks produce.",
                count,
            )
        case {"type": "unused", "characters": characters}:
            return catalogue.ngettext(
                "%(seat)s has no use for character %(characters)s.",
                "%(seat)s has no use for the characters %(characters)s.",
                len(characters),
            )
    return ""


def _said(event: Json, name: str, names: Sequence[str], language: str) -> Any:
    """A fact of an event in words; places and numbers stay as they are."""
    value = event[name]
    match name:
        case "seat" | "start":
            return names[value]
        case "gold" | "paid":
            return gold_words(value, language)
        case "island":
            return island_name(value)
        case "dock":
            return colour_name(value, language)
        case "street":
            return street_words(language)[value]
        case "stack":
            return stack_names(language)[_TILE_OF_STACK[value]]
        case "character":
            described = character_words(value, language)
            return f"{value} ({described})" if described else str(value)
        case "characters":
            return join_words([str(number) for number in value], language)
        case "card":
            described = card_words(value, language)
            called = card_names(language)[value]
            return f"{called} ({described})" if described else called
        case "cards":
            return join_words([card_names(language)[card] for card in value], language)
        case "bead":
            return counted(f"{value} bead", 1, language)
        case "beads":
            counts = value
            if isinstance(value, list):
                counts = {colour: value.count(colour) for colour in BEADS}
            return bead_words(counts, language)
    return value


# Questions


def question(view: Json, names: Sequence[str], language: str = ENGLISH) -> str:
    """The question to the seat of this view; empty without a decision."""
    if view["decision"] is None:
        return ""
    _ = translation(language).gettext
    phase, own = view["phase"], view["you"]
    shown = own["shown"] or {}
    if phase == TAKE:
        if shown["tile"] == "shop":
            return _("You have looked through the shops: take one.")
        return _("You have looked through the palaces: take one.")
    if phase == RECRUIT:
        text = _("Take one of these characters for %(gold)s, or none.")
        return text % {"gold": gold_words(own["recruit_price"], language)}
    if phase == LAY:
        text = _("You have drawn a street %(street)s: choose where to lay it.")
        return text % {"street": street_words(language)[view["street"]]}
    if phase == CARD:
        return _("Choose a special card. It works from your next turn on.")
    if phase == SELL:
        return " ".join(_sale_question(shown, language))
    if phase == RETURN:
        return _("Choose a bead to put back into the bag.")
    if phase == AT_ONCE:
        text = _("The end is near: you may build %(tile)s at once.")
        return text % {"tile": tile_words(shown["tile"], shown["kind"] or "", language)}
    return _build_question(view, language) if phase == BUILD else _sail_question(view, language)


def _build_question(view: Json, language: str) -> str:
    left = boards()[view["board"]].figures["actions"]["tiles_per_build"] - view["built"]
    text = translation(language).ngettext(
        "You may build %(left)d more tile, or stop.",
        "You may build up to %(left)d more tiles, or stop.",
        left,
    )
    return text % {"left": left}


def _sail_question(view: Json, language: str) -> str:
    if view["moved"]:
        return " ".join(_arrival_question(view, language))
    text = translation(language).gettext(
        "Sail a ship and take the action it reaches, or pass and take %(gold)s."
    )
    gold = boards()[view["board"]].figures["actions"]["pass_gold"]
    return text % {"gold": gold_words(gold, language)}


def _sale_question(shown: Json, language: str) -> list[str]:
    _ = translation(language).gettext
    asked = [_("Sell one to three beads of one colour.")]
    if shown["produced"]:
        asked = [_("Sell one to three beads of one colour, or none.")]
    if shown["owes_bead"]:
        asked.append(_("One bead has to be left, to go back into the bag."))
    return asked


def _arrival_question(view: Json, language: str) -> list[str]:
    """The action of the ship's space, and whether another ship may sail."""
    _ = translation(language).gettext
    board = boards()[view["board"]]
    action = board.actions[board.ring.index(view["at"])]
    moves = [move["move"]["type"] for move in view["decision"]["moves"]]
    facts = {"space": view["at"], "action": action_names(language)[action]}
    here, asked = any(kind != "sail" for kind in moves), []
    if here:
        asked.append(_("Your ship is on %(space)s: %(action)s.") % facts)
    else:
        text = _("Your ship is on %(space)s: %(action)s, which you cannot do now.")
        asked.append(text % facts)
    price = {"gold": gold_words(view["moved"], language)}
    if "sail" in moves and here:
        asked.append(_("Choose what to do there, or sail another ship for %(gold)s.") % price)
    elif "sail" in moves:
        asked.append(_("Sail another ship for %(gold)s.") % price)
    else:
        asked.append(_("Choose what to do there."))
    return asked
