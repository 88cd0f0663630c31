"""Events as sentences and moves as labels, for people."""

from collections.abc import Sequence

from engine.contract import Json, Preview
from engine.millefiori.board import PLACE_NAME, ROUTE
from engine.millefiori.cards import NAME
from engine.millefiori.moves import Discard, Keep, Move, Play

SENTENCES = {
    "display": "On display: {cards}.",
    "round": "Round {round} begins; {start} starts.",
    "keep": "{seat} keeps {card}.",
    "chosen": "{seat} has chosen a card.",
    "place": "{seat} plays {card} to {to}.",
    "sail": "{seat} sails with {card} from {from} to {to} on the route.",
    "extra-card": "{seat} earns an extra card.",
    "extra-card-lapsed": "{seat} would earn an extra card, but none is on display.",
    "decline": "{seat} leaves the extra card.",
    "discard": "{seat} discards {card}: it can be played in no way.",
    "supply-empty": "{seat} has used up the supply of diamonds: this turn is the last.",
    "pass": "The hands are passed to the left; turn {turn} begins.",
    "left-over": "{seat} lays {cards} on display.",
}
WHERE = {
    "workshops": "in the workshops",
    "residences": "in the residences",
    "nobili": "from the nobili",
    "populi": "from the populi",
    "trade": "from trade",
    "harbor": "in the harbor",
    "route": "on the route",
}
REASONS = {
    "deck": "all cards have been played",
    "diamonds": "a supply of diamonds is used up",
}


def sentence(event: Json, names: Sequence[str]) -> str:
    """What happened, in one sentence."""
    if event["type"] == "points":
        return _points_sentence(event, names)
    if event["type"] == "end":
        winners = _listed([names[seat] for seat in event["winners"]])
        verb = "wins" if len(event["winners"]) == 1 else "share the win"
        return f"The game is over: {REASONS[event['reason']]}. {winners} {verb}."
    facts = dict(event)
    for key in ("seat", "start"):
        if key in facts:
            facts[key] = names[facts[key]]
    if "cards" in facts:
        facts["cards"] = _listed(facts["cards"]) or "no cards"
    return SENTENCES[event["type"]].format(**facts)


def question(view: Json, names: Sequence[str]) -> str:
    """What the seat of this view is asked, in a sentence; empty when it has nothing to choose."""
    if view["decision"] is None:
        return ""
    kept, seat = view["you"]["kept"], view["you"]["seat"]
    if view["phase"] == "extra":
        return "You have earned an extra card: play one from the display, or leave it."
    if view["phase"] == "play":
        return f"Play {kept or 'a card of your hand'}: place a diamond or sail."
    rest = "The others go on display at the end of the round."
    if view["turn"] < view["turns"]:
        rest = f"The others go to {names[(seat + 1) % view['seats']]}."
    if kept:
        return f"You keep {kept}; you may still choose another card. {rest}"
    return f"Choose a card to keep. {rest}"


def _points_sentence(event: Json, names: Sequence[str]) -> str:
    name, points = names[event["seat"]], _points(event["points"])
    if event["for"] == "bonus":
        return f"{name} takes the {event['area']} bonus: {points}."
    return f"{name} scores {points} {WHERE[event['for']]}."


def label(seat: int, move: Move, expected: Preview, names: Sequence[str]) -> str:
    """The move with what it scores now, for the seat that chooses."""
    if isinstance(move, Discard):
        return f"Discard {NAME[move.card]}: it can be played in no way"
    if not isinstance(move, (Keep, Play)):
        return "Leave the extra card"
    score = _score(expected, seat, names)
    if isinstance(move, Play):
        return f"{_action(move)}: {score}"
    if move.then is not None:
        foreseen = score if expected.follow_up else "not possible yet"
        return f"Keep {NAME[move.card]}, then {_where(move.then)} ({foreseen})"
    best = f" (now best {_where(expected.follow_up)}: {score})" if expected.follow_up else ""
    return f"Keep {NAME[move.card]}{best}"


def _action(move: Play) -> str:
    if move.to == ROUTE:
        return f"Sail with {NAME[move.card]}"
    return f"{NAME[move.card]} to {_where(move)}"


def _where(move: Play) -> str:
    return PLACE_NAME[move.to] + (" and sail" if move.sail else "")


def _score(expected: Preview, seat: int, names: Sequence[str]) -> str:
    """As `8 points (3 trade, 5 route); Ben 3`: the total, split where it has several causes."""
    by_cause: dict[str, int] = {}
    by_rival: dict[str, int] = {}
    for item in expected.points:
        if item.seat == seat:
            by_cause[item.cause] = by_cause.get(item.cause, 0) + item.points
        else:
            name = names[item.seat]
            by_rival[name] = by_rival.get(name, 0) + item.points
    score = _points(sum(by_cause.values()))
    if len(by_cause) > 1:
        score += f" ({', '.join(f'{points} {cause}' for cause, points in by_cause.items())})"
    if expected.again:
        score += ", then an extra card"
    return "; ".join([score, *(f"{name} {points}" for name, points in by_rival.items())])


def _points(points: int) -> str:
    return "1 point" if points == 1 else f"{points} points"


def _listed(words: Sequence[str]) -> str:
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"
