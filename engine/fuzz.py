"""Random games with every promise of the contract checked on the way.

A promise that does not hold raises `Broken`, whose text names the game that shows it, so that
anybody can play it again.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from engine.chance import Chance
from engine.contract import AnyGame, Event
from engine.door import Line, begin, complete_options, play
from engine.errors import GameOver, Illegal, MoveError, NotPending
from engine.offers import seat_view
from engine.policies import random_move
from engine.record import as_seen_by, full_record, visible_events
from engine.verify import verify


class Broken(AssertionError):
    """A promise of the contract that does not hold."""


class Tally(NamedTuple):
    """What a game without fault looked like."""

    moves: int
    scores: tuple[int, ...]
    reason: str


def check_game(game: AnyGame, seats: int, options: Mapping[str, str], seed: bytes) -> Tally:
    """Play one random game and check everything; raises Broken."""
    try:
        return _Checker(game, seats, complete_options(game, options), seed).run()
    except Broken as broken:
        setting = " ".join(f"--option {key}={value}" for key, value in options.items())
        raise Broken(
            f"{broken} Play it again with: fuzz {game.meta.key} --seats {seats} {setting} "
            f"--games 1 --seed {seed.hex()}"
        ) from broken


class _Checker:
    def __init__(self, game: AnyGame, seats: int, options: Mapping[str, str], seed: bytes) -> None:
        self.game = game
        self.seats = seats
        self.options = options
        self.seed = seed
        self.chance = Chance(seed, "fuzz")
        self.totals = [0] * seats
        self.answered: set[str] = set()
        self.foreign_moves: list[Any] = []  # moves of earlier positions, mostly illegal by now

    def run(self) -> Tally:
        opening = begin(self.game, self.seats, self.options, self.seed)
        lines = list(opening.lines)
        self._check_lines(lines)
        state = opening.state
        while pending := self.game.pending(state):
            played = self._step(state, pending)
            self._check_lines(played)
            lines += played
            state = played[-1].state
        self._check_end(state)
        record = list(full_record(self.game, self.seats, self.options, self.seed, opening, lines))
        self._demand(verify(record).state == state, "A replay ends elsewhere.")
        ended = self.game.outcome(state)
        assert ended is not None
        return Tally(len(lines), ended.scores, ended.reason)

    def _step(self, state: Any, pending: Sequence[int]) -> list[Line]:
        """One answer of any seat that may give one, with all checks before and after."""
        game = self.game
        may_answer = [*pending, *game.revisable(state)]
        seat = may_answer[self._below(len(may_answer))]
        self._check_moves(state, seat)
        self._check_refusals(state, seat)
        move = random_move(game, state, seat, self.chance)
        if self._below(4) == 0:
            self._check_secrecy(state, seat, move)
        before = game.dump(state)
        others = {other: game.decision(state, other) for other in pending if other != seat}
        lines = list(play(game, state, self.seed, seat, game.decision(state, seat), move).lines)
        self._demand(game.dump(state) == before, "Playing a move changed the state it came from.")
        first = lines[0].state
        for other, decision in others.items():
            if other in game.pending(first):
                same = game.decision(first, other) == decision
                self._demand(same, f"A move of seat {seat} changed the decision of seat {other}.")
        return lines

    def _check_moves(self, state: Any, seat: int) -> None:
        game = self.game
        moves = game.legal_moves(state, seat)
        texts = [game.format(move) for move in moves]
        self._demand(bool(moves), f"Seat {seat} must choose and has no move.")
        self._demand(len(set(texts)) == len(texts), f"Duplicate moves: {texts}")
        for move, text in zip(moves, texts, strict=True):
            self._demand(game.parse(text) == move, f"'{text}' reads as another move.")
            written = json.loads(json.dumps(game.move_to_json(move)))
            self._demand(game.move_from_json(written) == move, f"{written} reads as another move.")
            self._demand(game.accepts(state, seat, move), f"Legal '{text}' is not accepted.")
        self.foreign_moves = [*moves[:6], *self.foreign_moves[:30]]

    def _check_refusals(self, state: Any, seat: int) -> None:
        game = self.game
        moves = game.legal_moves(state, seat)
        foreign = self.foreign_moves[self._below(len(self.foreign_moves))]
        if foreign not in moves:
            self._demand(not game.accepts(state, seat, foreign), f"Illegal {foreign} is accepted.")
            if self._below(4) == 0:
                self._refused(Illegal, state, seat, foreign)
        for other in range(self.seats):
            if other not in game.pending(state) and other not in game.revisable(state):
                self._refused(NotPending, state, other, moves[0])

    def _refused(self, error: type[MoveError], state: Any, seat: int, move: Any) -> None:
        try:
            play(self.game, state, self.seed, seat, None, move)
        except error:
            return
        raise Broken(f"{move} of seat {seat} should have been refused as {error.code}.")

    def _check_secrecy(self, state: Any, seat: int, move: Any) -> None:
        """Swap everything an observer may not know: what the observer receives must not change."""
        game = self.game
        observer = [None, *range(self.seats)][self._below(self.seats + 1)]
        knowing = [] if observer is None else [observer]
        audience = game.move_seen_by(seat, move)
        imagined_move = move
        if observer == seat or audience is None:
            # The move itself becomes known, so what its seat knows is not swapped.
            imagined = game.imagine(state, [*knowing, seat], self.chance)
        else:
            imagined = game.imagine(state, knowing, self.chance)
            imagined_move = random_move(game, imagined, seat, self.chance)
        self._same(seat_view(game, state, observer), seat_view(game, imagined, observer))
        real = game.apply(state, seat, move, self.chance)
        other = game.apply(imagined, seat, imagined_move, self.chance)
        received = visible_events(real.events, as_seen_by(observer))
        imagined_received = visible_events(other.events, as_seen_by(observer))
        self._same(self._known_before(received), self._known_before(imagined_received))
        if len(self._known_before(received)) == len(received):
            self._same(
                seat_view(game, real.state, observer), seat_view(game, other.state, observer)
            )

    def _known_before(self, events: Sequence[Event]) -> list[Event]:
        """Without what has just been uncovered, which is rightly different for other secrets."""
        return [event for event in events if event["type"] not in self.game.meta.uncovering]

    def _same(self, real: Any, imagined: Any) -> None:
        if json.dumps(real) != json.dumps(imagined):
            raise Broken(f"A secret shows at {_difference(real, imagined)}.")

    def _check_lines(self, lines: Sequence[Line]) -> None:
        game = self.game
        for line in lines:
            for event in line.events:
                if event["type"] == "points":
                    self.totals[event["seat"]] += event["points"]
                game.sentence(event, [f"Seat {seat}" for seat in range(self.seats)])
            self._demand(
                tuple(self.totals) == line.scores,
                f"Events add up to {self.totals}, the scores are {line.scores}.",
            )
            faults = game.faults(line.state)
            self._demand(not faults, f"After {game.format(line.move)}: {' '.join(faults)}")
            text = game.dump(line.state)
            self._demand(game.load(text) == line.state, "A stored state loads as another one.")
            self._demand(game.dump(game.load(text)) == text, "A state is written in two ways.")
            self._demand(len(text.encode()) < 4000, "A stored state is larger than 4 kB.")

    def _check_end(self, state: Any) -> None:
        game = self.game
        ended = game.outcome(state)
        self._demand(ended is not None, "Nobody has to choose and the game is not over.")
        assert ended is not None
        best = max(ended.scores)
        winners = tuple(seat for seat, score in enumerate(ended.scores) if score == best)
        self._demand(ended.scores == game.scores(state), "The outcome has other scores.")
        self._demand(set(ended.winners) <= set(winners), "Somebody without the most points won.")
        self._refused(GameOver, state, 0, self.foreign_moves[0])

    def _below(self, bound: int) -> int:
        return self.chance.below("fuzz", bound)

    def _demand(self, holds: bool, sentence: str) -> None:
        if not holds:
            raise Broken(sentence)


def _difference(real: Any, imagined: Any, path: str = "") -> str:
    """Where two JSON values first differ, with both sides."""
    if isinstance(real, dict) and isinstance(imagined, dict) and list(real) == list(imagined):
        pairs = [(f"{path}.{key}", real[key], imagined[key]) for key in real]
    elif isinstance(real, list) and isinstance(imagined, list) and len(real) == len(imagined):
        pairs = [(f"{path}[{index}]", *pair) for index, pair in enumerate(zip(real, imagined))]
    else:
        return f"{path or 'the top'}: {real} became {imagined}"
    place, one, other = next(pair for pair in pairs if json.dumps(pair[1]) != json.dumps(pair[2]))
    return _difference(one, other, place)
