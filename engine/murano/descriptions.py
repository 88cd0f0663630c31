"""Descriptions of characters and special cards, from the figures of the board."""

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from itertools import zip_longest
from typing import Any, NamedTuple

from engine.languages import join_words
from engine.murano.board import Board, boards
from engine.murano.board_checks import CHARACTERS
from engine.murano.names import island_name, translation
from engine.murano.phrases import counted, gold_words, points_words, several


def character_words(number: int, language: str, board: Board | None = None) -> str:
    """The effect of a character, as `4 points for each red shop on the island`.

    Without a board the text that all boards share; empty if they differ.
    """
    return _on_boards(_character, str(number), language, board)


def card_words(key: str, language: str, board: Board | None = None) -> str:
    """The effect of a special card, as `2 gold more from the gold action`.

    Without a board the text that all boards share; empty if they differ.
    """
    return _on_boards(_card, key, language, board)


def _on_boards(
    words: Callable[[str, str, str], str], name: str, language: str, board: Board | None
) -> str:
    if board is not None:
        return words(board.key, name, language)
    said = {words(key, name, language) for key in boards()}
    return said.pop() if len(said) == 1 else ""


# Characters


class _Case(NamedTuple):
    """A character of a board, for a description in a language."""

    facts: Mapping[str, Any]
    board: Board
    language: str

    def points(self, name: str = "vp") -> str:
        return points_words(self.facts[name], self.language)

    def table(self, name: str) -> Mapping[str, int]:
        table: Mapping[str, int] = self.board.figures["tables"][name]
        return table


@lru_cache(maxsize=2000)
def _character(key: str, number: str, language: str) -> str:
    board = boards()[key]
    facts = board.figures["characters"].get(number)
    if facts is None:
        return ""
    kind = next(kind for kind in CHARACTERS if kind in facts)
    return _KINDS[kind](_Case(facts, board, language))


def _per(case: _Case) -> str:
    return _per_texts(case.language)[case.facts["per"]] % {"points": case.points()}


@cache
def _per_texts(language: str) -> Mapping[str, str]:
    _ = translation(language).gettext
    return {
        "shop": _("%(points)s for each shop on the island"),
        "palace": _("%(points)s for each palace on the island"),
        "glassworks": _("%(points)s for each glassworks on the island"),
        "special": _("%(points)s for each special building on the island"),
        "crest": _("%(points)s for each crest on the island"),
        "red shop": _("%(points)s for each red shop on the island"),
        "blue shop": _("%(points)s for each blue shop on the island"),
        "grey shop": _("%(points)s for each grey shop on the island"),
    }


def _only_owner(case: _Case) -> str:
    _ = translation(case.language).gettext
    text = _("%(points)s if you alone have shops on the island")
    if case.facts["only_owner_of"] == "glassworks":
        text = _("%(points)s if you alone have glassworks on the island")
    return text % {"points": case.points()}


def _gold(case: _Case) -> str:
    text = translation(case.language).gettext(
        "points for gold (%(steps)s) if the island has at least %(things)s"
    )
    steps = [
        f"{gold_words(int(gold), case.language)}: {points}"
        for gold, points in case.table("gold").items()
    ]
    needs = case.facts["needs"].items()
    things = [counted(what, count, case.language) for what, count in needs]
    return text % {"steps": ", ".join(steps), "things": join_words(things, case.language)}


def _few_customers(case: _Case) -> str:
    text = translation(case.language).gettext(
        "%(points)s if the island has no more than %(count)d red and blue customers in all"
    )
    count = case.facts["red_and_blue_customers_at_most"]
    return text % {"points": case.points(), "count": count}


def _one_of_each(case: _Case) -> str:
    text = translation(case.language).gettext("%(points)s if the island has at least %(things)s")
    things = [counted(what, 1, case.language) for what in case.facts["at_least_one_of"]]
    return text % {"points": case.points(), "things": join_words(things, case.language)}


def _customers(case: _Case) -> str:
    colour = case.facts["customers_table"]
    table = case.table("all_customers" if colour == "all" else "coloured_customers")
    return _customer_texts(case.language)[colour] % {"steps": _brackets(table)}


@cache
def _customer_texts(language: str) -> Mapping[str, str]:
    _ = translation(language).gettext
    return {
        "all": _("points for all customers on the island (%(steps)s)"),
        "red": _("points for the red customers on the island (%(steps)s)"),
        "blue": _("points for the blue customers on the island (%(steps)s)"),
        "grey": _("points for the grey customers on the island (%(steps)s)"),
    }


def _brackets(table: Mapping[str, int]) -> str:
    """As `1-2: 2, 3: 4, 4+: 6`."""
    steps = [int(step) for step in table]
    found = []
    for step, following, points in zip_longest(steps, steps[1:], table.values()):
        if following is None:
            found.append(f"{step}+: {points}")
        else:
            last = following - 1
            found.append(f"{step}: {points}" if last == step else f"{step}-{last}: {points}")
    return ", ".join(found)


def _per_building(case: _Case) -> str:
    text = translation(case.language).gettext(
        "%(own)s for each of your own buildings on the island, %(other)s for each of the others'"
    )
    return text % {
        "own": case.points("per_own_building"),
        "other": case.points("per_other_building"),
    }


def _equal(case: _Case) -> str:
    text = translation(case.language).gettext(
        "%(points)s if the island has equally many %(things)s, at least %(minimum)d of each"
    )
    things = [several(case.language)[what] for what in case.facts["equal"]]
    return text % {
        "points": case.points(),
        "things": join_words(things, case.language),
        "minimum": case.facts["minimum"],
    }


def _as_many_as_others(case: _Case) -> str:
    text = translation(case.language).gettext(
        "%(points)s if you have as many buildings on the island as all the others together"
    )
    return text % {"points": case.points()}


def _crests(case: _Case) -> str:
    text = translation(case.language).gettext("%(points)s if the island has exactly %(crests)s")
    crests = counted("crest", case.facts["crests_exactly"], case.language)
    return text % {"points": case.points(), "crests": crests}


def _own_buildings(case: _Case) -> str:
    text = translation(case.language).gettext(
        "%(points)s if you have at least %(count)d buildings on %(island)s"
    )
    return text % _of_island(case, "own_buildings_at_least")


def _own_gondoliers(case: _Case) -> str:
    text = translation(case.language).gettext(
        "%(points)s if you have at least %(count)d gondoliers at %(island)s"
    )
    return text % _of_island(case, "own_gondoliers_at_least")


def _of_island(case: _Case, count: str) -> dict[str, Any]:
    island = island_name(case.facts["island"], case.board)
    return {"points": case.points(), "count": case.facts[count], "island": island}


def _beads(case: _Case) -> str:
    return _bead_texts(case.language)[case.facts["bead"]] % {
        "points": case.points("vp_each"),
        "most": case.facts["at_most"],
        "island": island_name(case.facts["island"], case.board),
    }


@cache
def _bead_texts(language: str) -> Mapping[str, str]:
    _ = translation(language).gettext
    return {
        "red": _("%(points)s for each red bead you give up at %(island)s, up to %(most)d"),
        "blue": _("%(points)s for each blue bead you give up at %(island)s, up to %(most)d"),
        "green": _("%(points)s for each green bead you give up at %(island)s, up to %(most)d"),
    }


_KINDS: Mapping[str, Callable[[_Case], str]] = {
    "per": _per,
    "only_owner_of": _only_owner,
    "gold_table": _gold,
    "red_and_blue_customers_at_most": _few_customers,
    "at_least_one_of": _one_of_each,
    "customers_table": _customers,
    "per_own_building": _per_building,
    "equal": _equal,
    "own_buildings_equal_all_others": _as_many_as_others,
    "crests_exactly": _crests,
    "own_buildings_at_least": _own_buildings,
    "own_gondoliers_at_least": _own_gondoliers,
    "bead": _beads,
}


# Special cards


@lru_cache(maxsize=500)
def _card(key: str, card: str, language: str) -> str:
    facts = boards()[key].figures["special_cards"].get(card)
    return "" if facts is None else _card_texts(language)[card] % _figures(facts, language)


def _figures(facts: Mapping[str, Any], language: str) -> dict[str, Any]:
    """The figures of a card for its text."""
    said: dict[str, Any] = {}
    for name, value in facts.items():
        if name == "vp":
            said["points"] = points_words(value, language)
        elif name == "prices":
            said["own"], said["other"] = (gold_words(price, language) for price in value)
        elif name in ("gold", "rebate", "dismiss_pays", "hire"):
            said[name] = gold_words(value, language)
        elif name == "extra_beads":
            said["beads"] = counted("bead", value, language)
        elif name == "shown":
            said[name] = value
    return said


@cache
def _card_texts(language: str) -> Mapping[str, str]:
    _ = translation(language).gettext
    return {
        "bank": _("the action to take gold brings %(gold)s more"),
        "inn": _("recruiting costs %(rebate)s less"),
        "harbour-tavern": _("%(points)s for each gondolier you place"),
        "crane-noble": _("%(points)s more for each palace or special building you build"),
        "crane-trade": _("%(points)s more for each shop or glassworks you build"),
        "harbour": _("placing a gondolier costs %(own)s on your colour, %(other)s on others"),
        "guild-hall": _("%(points)s whenever you produce"),
        "hostel": _("recruiting shows you %(shown)d characters"),
        "basilica": _("%(points)s at once"),
        "studio-red-green": _("your red and green beads count as one colour"),
        "studio-blue-green": _("your blue and green beads count as one colour"),
        "studio-red-blue": _("your red and blue beads count as one colour"),
        "counting-house": _("producing draws %(beads)s more, and one goes back at the end"),
        "lighthouse": _("you may also sail the red ship to the next occupied space, and act there"),
        "assembly-hall": _("dismissing a gondolier brings %(dismiss_pays)s, hiring costs %(hire)s"),
    }
