"""The bot: it rates moves by the view of its seat, never by the state."""

from engine.contract import Json
from engine.millefiori.board import (
    BONUS_POINTS,
    FIRST_RESIDENCE,
    NUMBERS_FOR_BONUS,
    PLACE,
    PLACE_AREA,
    RESIDENCES,
)
from engine.millefiori.cards import NUMBERS
from engine.millefiori.moves import Move, move_from_json
from engine.millefiori.space_sets import SPACE_SYMBOL

EXTRA_CARD_WORTH = 7.0  # about the average score of a card in games of bots
RIVAL_WEIGHT = 0.6  # points of a rival hurt less than own points help, the more so among many
DIFFERENT_FOR_BONUS = {
    "workshops": len(NUMBERS["workshops"]),
    "residences": NUMBERS_FOR_BONUS,
    "nobili": len(NUMBERS["nobili"]),
    "populi": len(NUMBERS["populi"]),
    "trade": len(NUMBERS["trade"]),
}


def ranked(view: Json) -> list[int]:
    """The indices of the offered moves, the highest estimate first."""
    estimates = [_estimate(view, priced) for priced in view["decision"]["moves"]]
    return sorted(range(len(estimates)), key=lambda number: -estimates[number])


def bot_move(view: Json) -> Move:
    """The best of the offered moves."""
    return move_from_json(view["decision"]["moves"][ranked(view)[0]]["move"])


def _estimate(view: Json, priced: Json) -> float:
    """Points gained on the others, plus the value of an extra card and of a step to a bonus."""
    seat: int = view["you"]["seat"]
    own: int = sum(item["points"] for item in priced["points"] if item["seat"] == seat)
    others: int = sum(item["points"] for item in priced["points"] if item["seat"] != seat)
    worth: float = own - RIVAL_WEIGHT * others / (view["seats"] - 1)
    if priced["again"]:
        worth += EXTRA_CARD_WORTH
    played: Json = priced["best"] if "best" in priced else priced["move"]
    if played["type"] == "play" and played["to"] != "route":
        worth += _step_to_bonus(view, seat, played["to"])
    return worth


def _step_to_bonus(view: Json, seat: int, to: str) -> float:
    """A share of the next bonus of the area for a symbol or number that was still missing."""
    area = PLACE_AREA[PLACE[to]]
    if area not in DIFFERENT_FOR_BONUS:
        return 0.0
    takers = view["bonuses"][area]
    if any(taker["seat"] == seat for taker in takers):
        return 0.0
    owned = {
        _feature(space)
        for space, owner in view["spaces"].items()
        if owner == seat and PLACE_AREA[PLACE[space]] == area
    }
    wanted = DIFFERENT_FOR_BONUS[area]
    if _feature(to) in owned or len(owned) + 1 >= wanted:
        return 0.0  # nothing new, or the points include the bonus
    return BONUS_POINTS[len(takers)] * (len(owned) + 1) / (wanted * wanted)


def _feature(space: str) -> str:
    """The feature that counts as different in the area: symbol or number."""
    place = PLACE[space]
    if PLACE_AREA[place] == "residences":
        return str(RESIDENCES[place - FIRST_RESIDENCE])
    return SPACE_SYMBOL[place]
