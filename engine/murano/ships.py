"""Ring and ships: possible movements, and whether a turn can be completed."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

Ships = tuple[int, ...]


class Fleet(NamedTuple):
    """All ships on a ring of so many spaces."""

    length: int
    ships: Ships  # all but the red one, sorted
    red: int

    @property
    def occupied(self) -> frozenset[int]:
        return frozenset((*self.ships, self.red))

    def shared(self, space: int) -> bool:
        return space == self.red and space in self.ships

    def sailed(self, start: int, to: int, red: bool) -> "Fleet":
        """The fleet after one ship went there; `red` says which, if two share the start."""
        if start == self.red and (red or start not in self.ships):
            return self._replace(red=to)
        ships = list(self.ships)
        ships[ships.index(start)] = to
        return self._replace(ships=tuple(sorted(ships)))


class Voyage(NamedTuple):
    start: int
    to: int
    red: bool  # only where two ships share the start


def voyages(fleet: Fleet, lighthouse: bool) -> Iterator[Voyage]:
    """Every movement of a ship: forward over empty spaces; with the lighthouse the red ship may
    also go to the next occupied one."""
    occupied = fleet.occupied
    for start in sorted(occupied):
        shared = fleet.shared(start)
        for is_red in (False, True) if shared else (start == fleet.red,):
            to = (start + 1) % fleet.length
            while to not in occupied:
                yield Voyage(start, to, shared and is_red)
                to = (to + 1) % fleet.length
            if lighthouse and is_red and to != start:
                yield Voyage(start, to, shared and is_red)


def price(moved: int, further: int) -> int:
    """The price of so many further movements after some: 0, 1, 2, .. each."""
    return further * moved + further * (further - 1) // 2


def movements_to(fleet: Fleet, target: int, lighthouse: bool) -> int:
    """The fewest movements of which the last ends on this space."""
    length = fleet.length
    ahead = sorted(
        ((position - target) % length, position == fleet.red and number == len(fleet.ships))
        for number, position in enumerate((*fleet.ships, fleet.red))
    )
    needed = [_clearing(ahead) + 1]
    if lighthouse:
        needed.append(_hops(fleet, target))
        if (moved := _clearing_with_red(ahead, length)) is not None:
            needed.append(moved + 1)
    return min(needed)


def _clearing(ahead: list[tuple[int, bool]]) -> int:
    """The number of ships that have to make room: each needs a place between the space and the next
    ship that stays."""
    return next((n for n, (distance, _) in enumerate(ahead) if distance > n), len(ahead))


def _clearing_with_red(ahead: list[tuple[int, bool]], length: int) -> int | None:
    """The same if the red ship is in the way and goes to the next occupied space."""
    place = next(number for number, (_, red) in enumerate(ahead) if red)
    after = ahead[(place + 1) % len(ahead)][0] if place + 1 < len(ahead) else length
    return place + 1 if after - 1 >= place else None


def _hops(fleet: Fleet, target: int) -> int:
    """The number of jumps of the red ship over occupied spaces to its destination."""
    occupied = fleet.occupied - {fleet.red} | set(fleet.ships)
    space, hops = fleet.red, 0
    for _ in range(fleet.length):
        space = (space + 1) % fleet.length
        if space == target:
            return hops + 1
        hops += space in occupied
    return fleet.length


def can_end(
    fleet: Fleet,
    actions: tuple[str, ...],
    needs: Mapping[str, int],
    gold: int,
    moved: int,
    lighthouse: bool,
) -> bool:
    """Whether affordable movements lead to a possible and affordable action. `needs` has the gold
    for each possible action."""
    for target, action in enumerate(actions):
        need = needs.get(action)
        if need is None or need + moved > gold:  # one more movement at least
            continue
        movements = movements_to(fleet, target, lighthouse)
        if price(moved, movements) + need <= gold:
            return True
    return False
