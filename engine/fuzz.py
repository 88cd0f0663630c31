"""Fuzzing: random games with every promise of the contract checked on the way.

A broken promise raises `Broken`, whose text has the command that repeats the game.
"""

import json
import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from engine.chance import Chance
from engine.contract import Event, GameType
from engine.decisions import seat_names
from engine.errors import GameOver, Illegal, MoveError, NotPending
from engine.languages import LANGUAGES
from engine.options import complete_options
from engine.play import Line, begin, play
from engine.policies import random_move
from engine.record import everything, record_lines
from engine.secrecy import check_secrecy
from engine.verify import verify

LARGEST_STATE = 4000  # bytes
_SPOT = re.compile(' data-spot="([^"]*)"')
_TOPIC = re.compile(' data-topic="([^"]*)"')


class Broken(AssertionError):
    """A broken promise of the contract."""


class Tally(NamedTuple):
    """Figures of a sound game."""

    moves: int
    scores: tuple[int, ...]
    reason: str


def check_game(
    game: GameType, seats: int, options: Mapping[str, str], seed: bytes, skip_factor: int = 1
) -> Tally:
    """Play one random game and check everything; raises Broken.

    `skip_factor` divides the frequency of the slow checks.
    """
    try:
        return _Checker(game, seats, complete_options(game, options), seed, skip_factor).run()
    except Exception as error:
        setting = " ".join(f"--option {key}={value}" for key, value in options.items())
        kind = "" if isinstance(error, Broken) else f"{type(error).__name__}: "
        raise Broken(
            f"{kind}{error} Play it again with: fuzz {game.meta.key} --seats {seats} {setting} "
            f"--games 1 --seed {seed.hex()}"
        ) from error


class _Checker:
    def __init__(
        self, game: GameType, seats: int, options: Mapping[str, str], seed: bytes, skip_factor: int
    ) -> None:
        self.skip_factor = skip_factor
        self.game = game
        self.seats = seats
        self.options = options
        self.seed = seed
        # The checks have a generator of their own: `skip_factor` does not change the game.
        self.chance, self.check_chance = Chance(seed, "fuzz"), Chance(seed, "checks")
        self.lcg_state = int.from_bytes(seed[:8])
        self.totals: list[int] = []  # points of each seat by its events
        self.open: set[str] = set()  # ids of the open decisions
        self.opened: set[str] = set()  # ids of all decisions so far
        self.foreign_moves: list[Any] = []  # moves of earlier positions, mostly illegal by now

    def run(self) -> Tally:
        opening = begin(self.game, self.seats, self.options, self.seed)
        self.totals = list(self.game.scores(opening.start))
        self._check_decisions(opening.start)
        self._check_lines(opening.lines)
        lines = list(opening.lines)
        state = opening.state
        while pending := self.game.pending(state):
            played = self._step(state, pending)
            self._check_lines(played)
            lines += played
            state = played[-1].state
        self._check_end(state)
        if self._once_in(1):
            record = record_lines(
                self.game, self.seats, self.options, self.seed, opening, lines, everything
            )
            self._demand(verify(record).state == state, "A replay ends elsewhere.")
        ended = self.game.outcome(state)
        assert ended is not None
        return Tally(len(lines), ended.scores, ended.reason)

    def _step(self, state: Any, pending: Sequence[int]) -> Sequence[Line]:
        """One random answer of a seat, with all checks before and after it."""
        game = self.game
        may_answer = [*pending, *game.revisable(state)]
        seat = may_answer[self._below(len(may_answer))]
        move = self._perhaps_with_plan(state, seat, random_move(game, state, seat, self.chance))
        if not self.foreign_moves or self._once_in(1):
            self._check_written_forms(state, seat)
            self._check_refusals(state, seat)
            self._check_paths(state, seat)
        if self._once_in(8):
            self._check_all_moves(state, seat)
        if self._once_in(4) and (leak := check_secrecy(game, state, seat, move, self.check_chance)):
            raise Broken(leak)
        before = game.dump(state) if self._once_in(1) else None
        others = {other: game.decision(state, other) for other in pending if other != seat}
        lines = play(game, state, self.seed, seat, game.decision(state, seat), move).lines
        kept = before is None or game.dump(state) == before
        self._demand(kept, "Playing a move changed the state it came from.")
        for other, decision in others.items():
            if other in game.pending(lines[0].state):
                same = game.decision(lines[0].state, other) == decision
                self._demand(same, f"A move of seat {seat} changed the decision of seat {other}.")
        return lines

    def _perhaps_with_plan(self, state: Any, seat: int, move: Any) -> Any:
        plans = self.game.premoves(state, seat, move)
        if not plans or self._below(2):
            return move
        return plans[self._below(len(plans))]

    def _check_written_forms(self, state: Any, seat: int) -> None:
        game = self.game
        moves = game.legal_moves(state, seat)
        texts = [game.format(move) for move in moves]
        self._demand(bool(moves), f"Seat {seat} must choose and has no move.")
        self._demand(len(set(texts)) == len(texts), f"Duplicate moves: {texts}")
        plans = game.premoves(state, seat, moves[0])[:3]
        for move in [*moves, *plans]:
            text, data = game.format(move), game.move_to_json(move)
            self._demand(game.parse(text) == move, f"'{text}' reads as another move.")
            self._demand(game.move_from_json(data) == move, f"{data} reads as another move.")
        for move in [moves[0], *plans]:
            data = game.move_to_json(move)
            self._demand(json.loads(json.dumps(data)) == data, f"{data} is not JSON.")
            self._demand(game.accepts(state, seat, move), f"{move} is not accepted.")
        self.foreign_moves = [*moves[:6], *self.foreign_moves[:30]]

    def _check_paths(self, state: Any, seat: int) -> None:
        """Paths differ in their spots and in their words; every spot is drawn or a button."""
        game = self.game
        moves = game.legal_moves(state, seat)
        for language in LANGUAGES:
            paths = [game.path(state, seat, move, language) for move in moves]
            by_spots = _apart([[stop.spot for stop in path] for path in paths])
            by_words = _apart([[stop.words for stop in path] for path in paths])
            self._demand(by_spots and by_words, f"Paths cannot be told apart: {paths}")
        if not self._once_in(4):
            return
        picture = game.board_svg(game.view(state, seat), seat_names(self.seats), [])
        drawn = set(_SPOT.findall(picture))
        for spot in {stop.spot for path in paths for stop in path}:
            button = spot.partition(":")[0] in game.meta.buttons
            self._demand(button != (spot in drawn), f"{spot} is drawn and a button, or neither.")
        unknown = set(_TOPIC.findall(picture)) - {topic.key for topic in game.guide()}
        self._demand(not unknown, f"The guide has no topics {unknown}.")

    def _check_all_moves(self, state: Any, seat: int) -> None:
        """Every legal move can be played, and scores the points of its preview."""
        game = self.game
        for move in game.legal_moves(state, seat):
            after, events = game.apply(state, seat, move, self.check_chance)
            faults = game.faults(after)
            self._demand(not faults, f"After {game.format(move)}: {' '.join(faults)}")
            foreseen = game.preview(state, seat, move)
            if foreseen.follow_up is None:
                scored = [
                    (event["seat"], event["points"], event["for"])
                    for event in takewhile(self._foreseeable, events)
                    if event["type"] == "points"
                ]
                expected = [(item.seat, item.points, item.cause) for item in foreseen.points]
                self._demand(scored == expected, f"{game.format(move)} scores {scored}.")

    def _foreseeable(self, event: Event) -> bool:
        return event["type"] not in self.game.meta.revealing

    def _check_refusals(self, state: Any, seat: int) -> None:
        game = self.game
        moves = game.legal_moves(state, seat)
        foreign = self.foreign_moves[self.check_chance.below("foreign", len(self.foreign_moves))]
        if foreign not in moves and self._once_in(4):
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

    def _check_lines(self, lines: Sequence[Line]) -> None:
        game = self.game
        names = seat_names(self.seats)
        for line in lines:
            for event in line.events:
                if event["type"] == "points":
                    self.totals[event["seat"]] += event["points"]
                if self._once_in(1):
                    self._check_words(event, names)
            self._demand(
                tuple(self.totals) == line.scores,
                f"Events add up to {self.totals}, the scores are {line.scores}.",
            )
            faults = game.faults(line.state)
            self._demand(not faults, f"After {game.format(line.move)}: {' '.join(faults)}")
            if self._once_in(1):
                self._check_stored(line.state)
            self._check_decisions(line.state)

    def _check_words(self, event: Event, names: Sequence[str]) -> None:
        for language in LANGUAGES:
            told = self.game.sentence(event, names, language)
            self._demand(bool(told), f"No words for {event} in {language}.")
            if event["type"] == "points":
                cause = self.game.cause(event["for"], language)
                self._demand(bool(cause), f"No word for {event['for']} in {language}.")

    def _check_stored(self, state: Any) -> None:
        game = self.game
        text = game.dump(state)
        self._demand(game.load(text) == state, "A stored state loads as another one.")
        self._demand(game.dump(game.load(text)) == text, "A state is written in two ways.")
        self._demand(len(text.encode()) < LARGEST_STATE, "A stored state is too large.")

    def _check_decisions(self, state: Any) -> None:
        """The id of a decision ends in its seat and is not used again."""
        game = self.game
        seats = [*game.pending(state), *game.revisable(state)]
        still_open = {game.decision(state, seat) for seat in seats}
        for seat in seats:
            decision = game.decision(state, seat)
            self._demand(decision.endswith(f".s{seat}"), f"{decision} is not of seat {seat}.")
        again = (still_open - self.open) & self.opened
        self._demand(not again, f"Decisions were used twice: {again}")
        self.open = still_open
        self.opened |= still_open

    def _check_end(self, state: Any) -> None:
        game = self.game
        ended = game.outcome(state)
        if ended is None:
            raise Broken("Nobody has to choose and the game is not over.")
        best = [seat for seat, score in enumerate(ended.scores) if score == max(ended.scores)]
        self._demand(ended.scores == game.scores(state), "The outcome has other scores.")
        self._demand(bool(ended.winners), "Nobody won.")
        ranking = game.ranking(state)
        first = tuple(seat for seat, place in enumerate(ranking) if place == 1)
        self._demand(ended.winners == first, f"{ended.winners} won, but the ranking is {ranking}.")
        by_place = [ended.scores[seat] for _, seat in sorted(zip(ranking, range(self.seats)))]
        downwards = by_place == sorted(by_place, reverse=True)
        self._demand(downwards, f"The ranking {ranking} is not by the scores {ended.scores}.")
        self._demand(set(ended.winners) <= set(best), "Somebody without the most points won.")
        self._refused(GameOver, state, 0, self.foreign_moves[0])

    def _once_in(self, times: int) -> bool:
        """Whether to make a check of this frequency: by a linear congruential generator (Knuth),
        because `Chance` takes longer than many a check."""
        self.lcg_state = (self.lcg_state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.lcg_state >> 33) % (times * self.skip_factor) == 0

    def _below(self, bound: int) -> int:
        return self.chance.below("fuzz", bound)

    def _demand(self, holds: bool, sentence: str) -> None:
        if not holds:
            raise Broken(sentence)


def _apart(paths: Sequence[Sequence[str]]) -> bool:
    """Whether no path is empty, equal to another one, or the beginning of another one."""
    ends = {tuple(path) for path in paths}
    beginnings = {tuple(path[:end]) for path in paths for end in range(len(path))}
    return len(ends) == len(paths) and () not in ends and ends.isdisjoint(beginnings)
