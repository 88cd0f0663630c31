"""Assignment of characters to gondoliers: an exact optimum.

Each used character takes one gondolier of one island. The points of most characters depend only on
the island: for these the best sum is computed for every combination of unused gondoliers. The few
that cost gold or beads compete with each other: all ways to use them are tried.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from engine.murano.characters import Worth
from engine.murano.moves import BEADS, Beads

Left = tuple[int, ...]  # gondoliers on each island that are not used yet


class AssignmentInput(NamedTuple):
    """The input of an assignment; islands in the order of `gondoliers` and `values`."""

    islands: tuple[int, ...]
    gondoliers: Left
    values: Mapping[int, Sequence[Worth]]  # by character, then by island
    idle: int  # points of a gondolier that is not used
    gold: int
    gold_steps: Mapping[int, int]
    beads: Beads
    groups: tuple[frozenset[int], ...]  # colours of beads that count as one


class Scored(NamedTuple):
    """A used character: its island, its points and its price."""

    character: int
    island: int
    points: int
    gold: int = 0
    beads: dict[str, int] = {}  # noqa: RUF012 - never changed


class Assignment(NamedTuple):
    scored: tuple[Scored, ...]
    idle: int  # gondoliers without a character
    points: int  # of all of it
    gold: int  # that was spent


class _Use(NamedTuple):
    """A character that takes a gondolier of this island (by its place in the table)."""

    character: int
    place: int


def best_assignment(table: AssignmentInput) -> Assignment:
    """The most points; among equals the most gold left."""
    plain, gold_cards, bead_cards = _sorted_out(table)
    best_plain = _Plain(table, plain)
    best: tuple[int, int] | None = None
    found: tuple[tuple[_Use, ...], tuple[_Use, ...], Left] = ((), (), table.gondoliers)
    payments = [_best_payment(table, cards) for cards in range(len(gold_cards) + 1)]
    for by_gold in _ways(table, gold_cards, table.gondoliers):
        left = _without(table.gondoliers, by_gold)
        _, gold_points, spent = payments[len(by_gold)]
        for by_beads in _ways(table, bead_cards, left):
            still_left = _without(left, by_beads)
            points = gold_points + _bead_points(table, by_beads) + best_plain.points(still_left)
            if best is None or (points, -spent) > best:
                best, found = (points, -spent), (by_gold, by_beads, still_left)
    assert best is not None
    by_gold, by_beads, left = found
    uses, idle = best_plain.uses(left)
    scored = [
        *_scored_for_gold(table, by_gold),
        *_scored_for_beads(table, by_beads),
        *(Scored(use.character, table.islands[use.place], _points(table, use)) for use in uses),
    ]
    return Assignment(tuple(scored), sum(idle), best[0], -best[1])


def _points(table: AssignmentInput, use: _Use) -> int:
    return table.values[use.character][use.place].points


def _sorted_out(table: AssignmentInput) -> tuple[list[int], list[int], list[int]]:
    """The characters without a price, those for gold, and those for beads."""
    plain, gold, beads = [], [], []
    for character, values in table.values.items():
        if any(value.for_gold for value in values):
            gold.append(character)
        elif any(value.bead is not None for value in values):
            beads.append(character)
        elif any(value.points > table.idle for value in values):
            plain.append(character)
    return plain, gold, beads


def _ways(
    table: AssignmentInput, characters: Sequence[int], left: Left
) -> Iterator[tuple[_Use, ...]]:
    """Every way to use some of these characters on possible islands."""
    choices = [
        [
            None,
            *(
                _Use(character, place)
                for place, value in enumerate(table.values[character])
                if (value.for_gold or value.bead is not None) and table.gondoliers[place]
            ),
        ]
        for character in characters
    ]
    for chosen in product(*choices):
        uses = tuple(use for use in chosen if use is not None)
        if min(_without(left, uses), default=0) >= 0:
            yield uses


def _without(left: Left, uses: Sequence[_Use]) -> Left:
    rest = list(left)
    for use in uses:
        rest[use.place] -= 1
    return tuple(rest)


class _Plain:
    """The best sums of the characters without a price, by the gondoliers left."""

    def __init__(self, table: AssignmentInput, characters: Sequence[int]) -> None:
        self.table, self.characters = table, characters
        self.known: dict[tuple[int, Left], tuple[int, _Use | None]] = {}

    def points(self, left: Left) -> int:
        return self._best(0, left)[0]

    def uses(self, left: Left) -> tuple[list[_Use], Left]:
        """The uses of the best sum, and the gondoliers without a character."""
        found: list[_Use] = []
        for number in range(len(self.characters)):
            use = self._best(number, left)[1]
            if use is not None:
                found.append(use)
                left = _without(left, [use])
        return found, left

    def _best(self, number: int, left: Left) -> tuple[int, _Use | None]:
        if number == len(self.characters):
            return sum(left) * self.table.idle, None
        key = (number, left)
        if key not in self.known:
            self.known[key] = self._compute_best(number, left)
        return self.known[key]

    def _compute_best(self, number: int, left: Left) -> tuple[int, _Use | None]:
        best: tuple[int, _Use | None] = (self._best(number + 1, left)[0], None)
        character = self.characters[number]
        for place, value in enumerate(self.table.values[character]):
            if left[place] and value.points > self.table.idle:
                use = _Use(character, place)
                points = value.points + self._best(number + 1, _without(left, [use]))[0]
                if points > best[0]:
                    best = (points, use)
        return best


class _Payment(NamedTuple):
    """The points of cards for gold: the step of each, their sum, and the gold in all."""

    steps: tuple[int, ...]
    points: int
    gold: int


def _best_payment(table: AssignmentInput, cards: int) -> _Payment:
    """The most points of so many cards; among equals for the least gold."""
    values = {0: 0, **table.gold_steps}
    affordable = [
        _Payment(steps, sum(values[step] for step in steps), sum(steps))
        for steps in product(values, repeat=cards)
        if sum(steps) <= table.gold
    ]
    return max(affordable, key=lambda payment: (payment.points, -payment.gold))


def _scored_for_gold(table: AssignmentInput, uses: Sequence[_Use]) -> list[Scored]:
    values = {0: 0, **table.gold_steps}
    steps = _best_payment(table, len(uses)).steps
    return [
        Scored(use.character, table.islands[use.place], values[step], gold=step)
        for use, step in zip(uses, steps)
    ]


def _bead_points(table: AssignmentInput, uses: Sequence[_Use]) -> int:
    """As many beads as there are in each group of colours, and as the cards take."""
    points = 0
    for group in table.groups:
        have = sum(table.beads[number] for number in group)
        for value in _wanting(table, uses, group):
            given = min(have, value.most_beads)
            points += given * value.per_bead
            have -= given
    return points


def _wanting(table: AssignmentInput, uses: Sequence[_Use], group: frozenset[int]) -> list[Worth]:
    """The cards for beads of these colours, the dearest first."""
    values = [table.values[use.character][use.place] for use in uses]
    wanting = [value for value in values if value.bead in group]
    return sorted(wanting, key=lambda value: -value.per_bead)


def _scored_for_beads(table: AssignmentInput, uses: Sequence[_Use]) -> list[Scored]:
    """The dearest cards take first, of their own colour as far as there is any."""
    have = list(table.beads)
    found = []
    for use in sorted(uses, key=lambda use: -table.values[use.character][use.place].per_bead):
        value = table.values[use.character][use.place]
        group = next(group for group in table.groups if value.bead in group)
        given: dict[str, int] = {}
        for number in sorted(group, key=lambda number: (number != value.bead, number)):
            count = min(have[number], value.most_beads - sum(given.values()))
            if count:
                given[BEADS[number]] = count
                have[number] -= count
        points = sum(given.values()) * value.per_bead
        found.append(Scored(use.character, table.islands[use.place], points, beads=given))
    return found
