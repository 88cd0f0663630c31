"""Sentences about events of the reader's own seat, in the second person."""

from collections.abc import Mapping
from functools import cache

from engine.contract import Json
from engine.murano.names import translation


@cache
def own_sentences(language: str) -> Mapping[str, str]:
    """Sentences by the keys of those in the third person."""
    _ = translation(language).gettext
    return {
        "start": _("You start; the red ship is on %(red)s."),
        "sail": _("You sail a ship from %(from)s to %(to)s."),
        "sail red": _("You sail the red ship from %(from)s to %(to)s."),
        "sail paid": _("You sail a ship from %(from)s to %(to)s for %(paid)s."),
        "sail red paid": _("You sail the red ship from %(from)s to %(to)s for %(paid)s."),
        "pass": _("You pass, take %(gold)s and move a ship from %(from)s to %(to)s."),
        "pass red": _("You pass, take %(gold)s and move the red ship from %(from)s to %(to)s."),
        "gold": _("You take %(gold)s."),
        "gondolier": _("You place a gondolier at %(island)s, %(dock)s dock, for %(paid)s."),
        "hire": _("You hire a gondolier for %(paid)s."),
        "dismiss": _("You dismiss a gondolier and take %(gold)s."),
        "buy": _("You buy %(tile)s for %(paid)s."),
        "bought": _("You have got %(tile)s."),
        "search shop": _("You pay %(paid)s to look through the shops."),
        "search palace": _("You pay %(paid)s to look through the palaces."),
        "taken": _("You take %(tile)s from the stack, which is shuffled."),
        "characters": _("You see the characters %(characters)s."),
        "recruited": _("You recruit a character for %(paid)s."),
        "chosen": _("You take character %(character)s."),
        "decline": _("You recruit nobody."),
        "street": _("You draw a street %(street)s."),
        "lay": _("You lay the street %(street)s on %(at)s."),
        "build": _("You build %(tile)s on %(at)s."),
        "cards-shown": _("You see the special cards %(cards)s."),
        "card": _("You choose the special card %(card)s."),
        "done": _("You build nothing more."),
        "income": _("You take %(gold)s of income on %(island)s."),
        "produce 0": _("You produce nothing."),
        "beads": _("You draw %(beads)s."),
        "sell": _("You sell %(beads)s for %(gold)s."),
        "keep": _("You sell no beads."),
        "return": _("You put %(bead)s back into the bag."),
        "last-round": _("You have brought about the end: all others have one more turn."),
        "character": _("You bring character %(character)s to %(island)s."),
        "character gold": _(
            "You bring character %(character)s to %(island)s and give up %(gold)s."
        ),
        "character beads": _(
            "You bring character %(character)s to %(island)s and give up %(beads)s."
        ),
    }


@cache
def own_scorings(language: str) -> Mapping[str, str]:
    """Sentences about points, by their cause."""
    _ = translation(language).gettext
    return {
        "build": _("You score %(points)s for the building."),
        "production": _("You lose %(points)s for the production."),
        "special": _("You score %(points)s for a special card."),
        "character": _("You score %(points)s for the character."),
        "gondolier": _("You score %(points)s for unused gondoliers."),
    }


def own_counting(event: Json, language: str) -> str:
    """The sentence for an event with a count; empty for any other."""
    catalogue = translation(language)
    match event:
        case {"type": "recruit", "shown": shown}:
            return catalogue.ngettext(
                "You look at %(shown)d character.", "You look at %(shown)d characters.", shown
            )
        case {"type": "cards", "shown": shown}:
            return catalogue.ngettext(
                "You look at %(shown)d special card.", "You look at %(shown)d special cards.", shown
            )
        case {"type": "produce", "count": count} if count:
            return catalogue.ngettext(
                "You let %(count)d glassworks produce.",
                "You let %(count)d glassworks produce.",
                count,
            )
        case {"type": "unused", "characters": characters}:
            return catalogue.ngettext(
                "You have no use for character %(characters)s.",
                "You have no use for the characters %(characters)s.",
                len(characters),
            )
    return ""
