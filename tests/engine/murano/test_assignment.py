"""The best use of characters: the same as trying everything, and quick in the worst case."""

from itertools import product

import pytest

from engine.chance import Chance
from engine.murano.assignment import AssignmentInput, best_assignment
from engine.murano.characters import NOTHING, Worth
from engine.murano.moves import Beads
from tests.engine.murano.table import SEED

STEPS = {2: 1, 4: 3, 6: 6, 7: 8, 8: 10}
GROUPS = (
    (frozenset({0}), frozenset({1}), frozenset({2})),
    (frozenset({0, 2}), frozenset({1})),
    (frozenset({0, 1, 2}),),
)


def by_trying(table: AssignmentInput) -> tuple[int, int]:
    """The most points, and the most gold left then, of all ways to use the characters."""
    characters = list(table.values)
    best = (-1, 0)

    def go_on(number: int, left: tuple[int, ...], gold: int, beads: Beads, points: int) -> None:
        nonlocal best
        if number == len(characters):
            best = max(best, (points + sum(left) * table.idle, gold))
            return
        go_on(number + 1, left, gold, beads, points)
        for place, value in enumerate(table.values[characters[number]]):
            if not left[place]:
                continue
            rest = (*left[:place], left[place] - 1, *left[place + 1 :])
            if value.for_gold:
                for step, vp in {0: 0, **table.gold_steps}.items():
                    if step <= gold:
                        go_on(number + 1, rest, gold - step, beads, points + vp)
            elif value.bead is not None:
                group = next(group for group in table.groups if value.bead in group)
                ways = [range(beads[n] + 1) if n in group else range(1) for n in range(3)]
                for red, blue, green in product(*ways):
                    if red + blue + green <= value.most_beads:
                        after = (beads[0] - red, beads[1] - blue, beads[2] - green)
                        vp = (red + blue + green) * value.per_bead
                        go_on(number + 1, rest, gold, after, points + vp)
            elif value.points:
                go_on(number + 1, rest, gold, beads, points + value.points)

    go_on(0, table.gondoliers, table.gold, table.beads, 0)
    return best


def a_table(number: int) -> AssignmentInput:
    chance = Chance(SEED, f"table {number}")

    def below(bound: int) -> int:
        return chance.below("test", bound)

    islands = 2 + below(3)
    values: dict[int, list[Worth]] = {}
    for character in range(1 + below(4)):
        kind = below(8)
        if kind < 2:
            values[character] = [Worth(for_gold=below(5) < 3) for _ in range(islands)]
        elif kind < 4:
            where = below(islands)
            taken = Worth(bead=below(3), per_bead=(7, 5)[below(2)], most_beads=3)
            values[character] = [taken if place == where else NOTHING for place in range(islands)]
        else:
            values[character] = [Worth((0, 0, 1, 2, 5, 12)[below(6)]) for _ in range(islands)]
    return AssignmentInput(
        islands=tuple(range(islands)),
        gondoliers=tuple(below(3) for _ in range(islands)),
        values=values,
        idle=1,
        gold=below(15),
        gold_steps=STEPS,
        beads=(below(4), below(4), below(4)),
        groups=GROUPS[below(3)],
    )


def test_nothing_better_is_found_by_trying_everything() -> None:
    for number in range(400):
        table = a_table(number)
        found = best_assignment(table)
        assert (found.points, table.gold - found.gold) == by_trying(table), table
        told = sum(scored.points for scored in found.scored) + found.idle * table.idle
        assert told == found.points
        assert sum(scored.gold for scored in found.scored) == found.gold


def test_what_is_given_is_there_and_used_once() -> None:
    for number in range(400):
        table = a_table(number)
        found = best_assignment(table)
        used = [scored.island for scored in found.scored]
        for place, island in enumerate(table.islands):
            assert used.count(island) <= table.gondoliers[place]
        for colour, name in enumerate(("red", "blue", "green")):
            given = sum(scored.beads.get(name, 0) for scored in found.scored)
            assert given <= table.beads[colour]
        assert len({scored.character for scored in found.scored}) == len(found.scored)


@pytest.mark.parametrize("paid", [0, 8])
def test_seven_gondoliers_and_twelve_characters_need_few_steps(paid: int) -> None:
    """The worst case: so many ways that trying them all would take forever."""
    chance = Chance(SEED, "worst")
    values: dict[int, list[Worth]] = {
        number: [Worth(2 + chance.below("test", 11)) for _ in range(6)]
        for number in range(12 - paid)
    }
    if paid:
        values |= {number: [Worth(for_gold=True)] * 6 for number in (20, 21)}
        for number in range(6):
            taken = Worth(bead=number % 3, per_bead=7, most_beads=3)
            values[30 + number] = [taken if place == number else NOTHING for place in range(6)]
    table = AssignmentInput(
        tuple(range(6)), (1, 1, 1, 1, 1, 2), values, 1, 20, STEPS, (5, 5, 5), GROUPS[2]
    )
    found = best_assignment(table)
    assert len(found.scored) + found.idle == 7
    assert found.points >= 7
