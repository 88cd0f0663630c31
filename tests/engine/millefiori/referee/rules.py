"""The course of a game, as plainly as it can be written."""

from __future__ import annotations

from tests.engine.millefiori.referee.scoring import (
    Board,
    Fleets,
    Move,
    Payment,
    area_of,
    earns_bonus,
    fleet_points,
    level_of,
    number_of,
    pyramid_points,
    residence_gives_extra_card,
    residence_points,
    symbol_of,
    trade_gives_extra_card,
    trade_points,
    without_duplicates,
    workshop_gives_extra_card,
    workshop_points,
)
from tests.engine.millefiori.referee.tables import (
    BONUS_AREAS,
    BONUS_POINTS,
    DISPLAY_AT_START,
    HAND_SIZE,
    PYRAMID_SPACES,
    PYRAMID_SUPPORTS,
    RESERVE_AT_START,
    RESIDENCE_NUMBERS,
    ROUTE_END,
    ROUTE_EXTRA_CARDS,
    ROUTE_POINTS,
    SHIPS_IN_FLEET,
    SUPPLY_AT_START,
    TRADE_BY_HARBOR_LINE,
    TRADE_BY_SYMBOL,
    TURNS_PER_ROUND,
    WORKSHOPS_BY_SYMBOL,
)


class Game:
    """The state of one game, the decisions it waits for and the moves it allows."""

    def __init__(self, seats: int, variant: str, start: int, deck: list[str]) -> None:
        self.seats = seats
        self.variant = variant
        self.first_starter = start

        shown = DISPLAY_AT_START[seats]
        self.display: list[str] = deck[:shown]
        self.deck: list[str] = deck[shown:]
        self.discarded: list[str] = []
        self.hands: list[list[str]] = [[] for _ in range(seats)]
        self.kept: list[str | None] = [None] * seats

        self.supply = [SUPPLY_AT_START] * seats
        self.reserve = [RESERVE_AT_START] * seats
        self.ship = [0] * seats
        self.scores = [0] * seats

        self.board: Board = {}
        self.fleets: Fleets = {line: [] for line in TRADE_BY_HARBOR_LINE}
        self.bonus_takers: dict[str, list[int]] = {area: [] for area in BONUS_AREAS}
        self.bonus_diamonds = [0] * seats

        self.round = 0
        self.turn = 0
        self.phase = ""  # "keep", "play", "extra" or "over"
        self.waiting: list[int] = []  # seats yet to play in this turn, the next one first
        self.extras_offered = 0  # to the seat now playing
        self.supply_ran_out = False
        self.reason = ""
        self.begin_round()

    # -- the course of a round

    def starter(self) -> int:
        return (self.first_starter + self.round - 1) % self.seats

    def seats_from_starter(self) -> list[int]:
        return [(self.starter() + step) % self.seats for step in range(self.seats)]

    def begin_round(self) -> None:
        self.round += 1
        for seat in self.seats_from_starter():
            self.hands[seat] = self.deck[:HAND_SIZE]
            self.deck = self.deck[HAND_SIZE:]
        self.begin_turn(1)

    def begin_turn(self, turn: int) -> None:
        self.turn = turn
        self.waiting = self.seats_from_starter()
        self.extras_offered = 0
        self.phase = "play" if self.variant == "tactical" else "keep"

    def begin_playing_the_kept_cards(self) -> None:
        for seat in range(self.seats):
            card = self.kept[seat]
            assert card is not None
            self.hands[seat].remove(card)
        self.phase = "play"

    def next_seat(self) -> None:
        self.waiting.pop(0)
        self.extras_offered = 0
        self.phase = "play"
        if not self.waiting:
            self.end_turn()

    def end_turn(self) -> None:
        if self.supply_ran_out:
            self.end_game("diamonds")
        elif self.turn < TURNS_PER_ROUND[self.seats]:
            # Each hand moves on to the next seat.
            self.hands = [self.hands[seat - 1] for seat in range(self.seats)]
            self.begin_turn(self.turn + 1)
        else:
            for seat in range(self.seats):
                self.display += self.hands[seat]
                self.hands[seat] = []
            if self.deck:
                self.begin_round()
            else:
                self.end_game("deck")

    def end_game(self, reason: str) -> None:
        self.phase = "over"
        self.reason = reason

    def winners(self) -> list[int]:
        return [seat for seat in range(self.seats) if self.scores[seat] == max(self.scores)]

    # -- decisions

    def owing(self) -> list[int]:
        """The seats without whose answer the game does not go on."""
        if self.phase == "over":
            return []
        if self.phase == "keep":
            return [seat for seat in range(self.seats) if self.kept[seat] is None]
        return self.waiting[:1]

    def answering(self) -> list[int]:
        """The seats that may answer now: those owing, and those that may still revise a keep."""
        if self.phase == "keep":
            return list(range(self.seats))
        return self.owing()

    def decision(self, seat: int) -> str:
        step = f"extra{self.extras_offered}" if self.phase == "extra" else self.phase
        return f"r{self.round}.t{self.turn}.{step}.s{seat}"

    # -- legal moves

    def legal_moves(self, seat: int) -> list[Move]:
        if self.phase == "keep":
            return [{"type": "keep", "card": card} for card in without_duplicates(self.hands[seat])]
        if self.phase == "extra":
            return [*self.moves_with(seat, self.display), {"type": "decline"}]
        if self.variant == "tactical":
            return self.moves_with(seat, self.hands[seat])
        card = self.kept[seat]
        assert card is not None
        return self.moves_with(seat, [card])

    def moves_with(self, seat: int, cards: list[str]) -> list[Move]:
        moves: list[Move] = []
        for card in without_duplicates(cards):
            moves += self.plays_of(seat, card) or [{"type": "discard", "card": card}]
        return moves

    def plays_of(self, seat: int, card: str) -> list[Move]:
        may_sail = self.ship[seat] < ROUTE_END
        has_diamond = self.supply[seat] + self.reserve[seat] > 0
        plays: list[Move] = []
        if has_diamond and area_of(card) == "harbor":
            for line in self.fleets:
                if len(self.fleets[line]) < SHIPS_IN_FLEET:
                    plays.append({"type": "play", "card": card, "to": line, "sail": False})
                    if may_sail:
                        plays.append({"type": "play", "card": card, "to": line, "sail": True})
        elif has_diamond:
            for space in self.open_spaces(card):
                plays.append({"type": "play", "card": card, "to": space})
        if may_sail:
            plays.append({"type": "play", "card": card, "to": "route"})
        return plays

    def open_spaces(self, card: str) -> list[str]:
        area = area_of(card)
        if area == "workshops":
            return [s for s in WORKSHOPS_BY_SYMBOL[symbol_of(card)] if s not in self.board]
        if area == "residences":
            return [s for s in RESIDENCE_NUMBERS if s not in self.board][:1]
        if area == "trade":
            return [s for s in TRADE_BY_SYMBOL[symbol_of(card)] if s not in self.board]
        return [
            s
            for s in PYRAMID_SPACES[area]
            if s not in self.board and all(below in self.board for below in PYRAMID_SUPPORTS[s])
        ]

    # -- carrying out a move

    def make(self, seat: int, move: Move) -> list[Payment]:
        """Carry out a legal move; returns everything it paid."""
        if move["type"] == "keep":
            self.kept[seat] = move["card"]
            if not self.owing():
                self.begin_playing_the_kept_cards()
            return []
        if move["type"] == "decline":
            self.next_seat()
            return []

        self.put_on_discard_pile(seat, move["card"])
        payments: list[Payment] = []
        extra_card = False
        if move["type"] == "play":
            payments, extra_card = self.play(seat, move)
        for paid, _, points in payments:
            self.scores[paid] += points
        if extra_card and self.display:
            self.phase = "extra"
            self.extras_offered += 1
        else:
            self.next_seat()
        return payments

    def put_on_discard_pile(self, seat: int, card: str) -> None:
        if self.phase == "extra":
            self.display.remove(card)
        elif self.variant == "tactical":
            self.hands[seat].remove(card)
        else:
            self.kept[seat] = None
        self.discarded.append(card)

    def play(self, seat: int, move: Move) -> tuple[list[Payment], bool]:
        """What the play pays, and whether it earns an extra card."""
        card, to = move["card"], move["to"]
        if to == "route":
            return self.sail(seat, number_of(card))
        if area_of(card) == "harbor":
            self.spend_diamond(seat)
            self.fleets[to].append(seat)
            payments = fleet_points(self.board, self.fleets, to)
            if not move["sail"]:
                return payments, False
            route_payments, extra_card = self.sail(seat, number_of(card))
            return payments + route_payments, extra_card

        area = area_of(card)
        self.spend_diamond(seat)
        self.board[to] = seat
        if area == "workshops":
            payments = workshop_points(self.board, to)
            extra_card = workshop_gives_extra_card(self.board, to)
        elif area == "residences":
            payments = residence_points(self.board, to)
            extra_card = residence_gives_extra_card(self.board, to)
        elif area == "trade":
            payments = trade_points(self.board, symbol_of(card))
            extra_card = trade_gives_extra_card(self.board, to, symbol_of(card))
        else:
            payments = pyramid_points(self.board, to, card)
            extra_card = level_of(to) == 3
        return payments + self.bonus(seat, area), extra_card

    def sail(self, seat: int, steps: int) -> tuple[list[Payment], bool]:
        self.ship[seat] = min(self.ship[seat] + steps, ROUTE_END)
        landed_on = self.ship[seat]
        return [(seat, "route", ROUTE_POINTS[landed_on])], landed_on in ROUTE_EXTRA_CARDS

    def bonus(self, seat: int, area: str) -> list[Payment]:
        takers = self.bonus_takers[area]
        if seat in takers or not earns_bonus(self.board, seat, area):
            return []
        points = BONUS_POINTS[len(takers)]
        takers.append(seat)
        if self.supply[seat] + self.reserve[seat] > 0:
            self.spend_diamond(seat)
            self.bonus_diamonds[seat] += 1
        return [(seat, "bonus", points)]

    def spend_diamond(self, seat: int) -> None:
        if self.supply[seat] > 0:
            self.supply[seat] -= 1
            if self.supply[seat] == 0:
                self.supply_ran_out = True
        else:
            self.reserve[seat] -= 1

    # -- nothing may get lost

    def all_cards(self) -> list[str]:
        cards = self.deck + self.display + self.discarded
        for seat in range(self.seats):
            cards += self.hands[seat]
            card = self.kept[seat]
            if card is not None and self.phase != "keep":
                cards.append(card)  # until all have chosen, the kept card is still in the hand
        return cards

    def all_diamonds(self, seat: int) -> int:
        in_fleets = sum(fleet.count(seat) for fleet in self.fleets.values())
        on_spaces = list(self.board.values()).count(seat)
        played = on_spaces + in_fleets + self.bonus_diamonds[seat]
        return self.supply[seat] + self.reserve[seat] + played
