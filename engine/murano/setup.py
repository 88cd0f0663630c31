"""Set-up of a new game."""

from collections.abc import Mapping

from engine.chance import Chance
from engine.contract import NOBODY, Json, Step
from engine.murano.board import boards
from engine.murano.legal import letter_of
from engine.murano.state import NOT_MOVED, SAIL, Player, State
from engine.murano.tiles import EMPTY, STREET_CODE

ALL_SEATS = 4


def new_game(seats: int, options: Mapping[str, str], chance: Chance) -> Step:
    """Draw the start player and the red ship's anchor, shuffle the stacks."""
    board = boards()[options["board"]]
    figures = board.figures
    start = chance.below("start", seats)
    red_ship = chance.one_of("red-ship", [board.ring[anchor] for anchor in board.anchors])
    counts = Counts(figures, seats)
    streets = chance.shuffled("streets", counts.listed("streets"), seen_by=NOBODY)
    shops = chance.shuffled("shops", counts.listed("shops"), seen_by=NOBODY)
    all_palaces = counts.listed("palaces")
    palaces = chance.shuffled(
        "palaces", all_palaces, NOBODY, len(all_palaces) - counts.removed("palaces_at_random")
    )
    people = counts.characters()
    kept = len(people) - figures["characters_removed_at_random"]
    characters = chance.shuffled("characters", people, NOBODY, kept)
    cards = chance.shuffled("special-cards", list(figures["special_cards"]), seen_by=NOBODY)
    red = board.ring.index(red_ship)
    beads = figures["beads"]
    own = figures["player"]
    player = Player(
        gold=own["gold"],
        vp=own["vp"],
        hand=own["gondoliers_at_hand"],
        supply=own["gondoliers_in_supply"],
    )
    state = State(
        board=board.key,
        turn=1,
        step=1,
        mover=start,
        phase=SAIL,
        moved=0,
        at=NOT_MOVED,
        ships=tuple(anchor for anchor in board.anchors if anchor != red),
        red=red,
        spaces=EMPTY * len(board.spaces),
        docks=EMPTY * len(board.docks),
        streets="".join(STREET_CODE[street] for street in streets),
        shops="".join(letter_of("shop", shop) for shop in shops),
        palaces="".join(palaces),
        glassworks=figures["glassworks"] - counts.removed("glassworks"),
        specials=figures["specials"] - counts.removed("specials"),
        characters=characters,
        cards=cards,
        bag=(beads["red"], beads["blue"], beads["green"]),
        players=(player,) * seats,
        built=0,
        shown=(),
        owes_bead=False,
        trigger=None,
        reason=None,
    )
    return Step(state, [{"type": "start", "start": start, "red": red_ship}])


class Counts:
    """The number of all things for so many players."""

    def __init__(self, figures: Json, seats: int) -> None:
        self.figures = figures
        self.gone: Json = {} if seats == ALL_SEATS else figures["removed_with_2_or_3_players"]

    def removed(self, name: str) -> int:
        return int(self.gone.get(name, 0))

    def listed(self, name: str) -> list[str]:
        """All tiles of a stack, by kind."""
        gone = self.gone.get(name, {})
        return [
            kind
            for kind, count in self.figures[name].items()
            for _ in range(count - gone.get(kind, 0))
        ]

    def characters(self) -> list[int]:
        gone = self.gone.get("characters", [])
        return [int(number) for number in self.figures["characters"] if int(number) not in gone]
