"""Summary of the view in sentences: the alternative text of the picture."""

from collections.abc import Iterator, Sequence

from engine.contract import Json
from engine.languages import ENGLISH, join_words
from engine.millefiori.board import PLACES_BY_AREA
from engine.millefiori.names import area_names, card_name, place_name, translation
from engine.millefiori.text_board import status_line


def board_summary(view: Json, names: Sequence[str], language: str = ENGLISH) -> str:
    """Status, players, and the viewer's cards."""
    _ = translation(language).gettext
    round_and_turn = _(
        "Mille Fiori, round %(round)d of at most %(rounds)d, turn %(turn)d of %(turns)d."
    )
    return " ".join(
        [
            round_and_turn % view,
            status_line(view, names, language),
            *(_player(view, seat, name, language) for seat, name in enumerate(names)),
            *_cards(view, language),
        ]
    )


def _player(view: Json, seat: int, name: str, language: str) -> str:
    catalogue = translation(language)
    player = view["players"][seat]
    text = catalogue.ngettext(
        "%(name)s has %(points)d point, the ship on space %(ship)d and %(diamonds)s.",
        "%(name)s has %(points)d points, the ship on space %(ship)d and %(diamonds)s.",
        player["score"],
    )
    diamonds = [
        f"{area_names(language)[area]} {count}" for area, count in _diamonds(view, seat) if count
    ]
    placed = catalogue.gettext("no diamonds yet")
    if diamonds:
        placed = catalogue.gettext("these diamonds: %(diamonds)s") % {
            "diamonds": ", ".join(diamonds)
        }
    return text % {
        "name": name,
        "points": player["score"],
        "ship": player["ship"],
        "diamonds": placed,
    }


def _diamonds(view: Json, seat: int) -> Iterator[tuple[str, int]]:
    """The number of the seat's diamonds in each area, and on bonuses."""
    for area, places in PLACES_BY_AREA.items():
        if area == "harbor":
            yield area, sum(line.count(seat) for line in view["harbor"].values())
        else:
            yield area, sum(view["spaces"].get(place) == seat for place in places)
    takers = [taken["seat"] for area in view["bonuses"].values() for taken in area]
    yield "bonus", takers.count(seat)


def _cards(view: Json, language: str) -> Iterator[str]:
    _ = translation(language).gettext
    own = view["you"]
    yield _("On display: %(cards)s.") % {"cards": _listed(view["display"], language)}
    if own and own["hand"]:
        yield _("Your hand: %(cards)s.") % {"cards": _listed(own["hand"], language)}
    if own and own["kept"]:
        card = card_name(own["kept"], language)
        if own["then"]:
            place = place_name(own["then"]["to"], language)
            yield _("You keep %(card)s, planned for %(place)s.") % {"card": card, "place": place}
        else:
            yield _("You keep %(card)s.") % {"card": card}


def _listed(cards: Sequence[str], language: str) -> str:
    words = [card_name(card, language) for card in cards]
    return join_words(words, language) or translation(language).gettext("no cards")
