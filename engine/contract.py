"""What a game has to offer, and the small values that travel through the engine.

A game is a package whose public names are the functions of `Game`: pure functions of a state,
a seat, a move and chance. Nothing outside the package knows its rules, and the package knows
nothing of people, clocks, storage or mail. `engine/README.md` walks through adding one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from engine.languages import ENGLISH

if TYPE_CHECKING:
    from engine.chance import Chance

Json = dict[str, Any]

# Who may see something: these seats and nobody else; None is everybody, spectators included.
Audience = tuple[int, ...] | None
EVERYBODY: Audience = None
NOBODY: Audience = ()


def may_see(audience: Audience, seat: int | None) -> bool:
    """Whether this seat (None: a spectator) belongs to the audience."""
    return audience is None or seat in audience


@dataclass(frozen=True)
class Option:
    """A choice made when a game is created, as `variant`: standard or tactical."""

    key: str
    title: str
    choices: Mapping[str, str]
    default: str
    # Choices of games that were begun earlier; no new game has them.
    retired: Mapping[str, str] = field(default_factory=dict)
    note: str = ""  # what players should know about it, in a sentence or two

    def meaning(self, choice: str) -> str | None:
        """What a choice is called; None if it is not known here."""
        return self.choices.get(choice) or self.retired.get(choice)


class Ink(NamedTuple):
    """The colour in which a seat's line of a plot is drawn, on light and on dark ground."""

    by_day: str
    by_night: str


@dataclass(frozen=True)
class Meta:
    """What can be known of a game without playing it. `rules` changes when a rule does."""

    key: str
    title: str
    rules: int
    seats: tuple[int, ...]
    options: tuple[Option, ...]
    # Types of events after which somebody knows more, with the facts in them that tell it.
    uncovering: Mapping[str, frozenset[str]]
    # Types of events with which all secrets end: what follows in the same move may tell anything,
    # and no preview foretells it.
    revealing: frozenset[str]
    # Kinds of stops in the paths of moves that are drawn nowhere, as `pass`: only buttons.
    buttons: frozenset[str]
    # Of the seats, in their order; as near to the colours on the board as a thin line can be.
    inks: tuple[Ink, ...]
    summary: str

    def said(self, say: Callable[[str], str]) -> "Meta":
        """The same with what is for people put into other words."""
        options = tuple(
            replace(
                option,
                title=say(option.title),
                choices={key: say(words) for key, words in option.choices.items()},
                retired={key: say(words) for key, words in option.retired.items()},
                note=say(option.note) if option.note else "",
            )
            for option in self.options
        )
        return replace(self, options=options, summary=say(self.summary))


# Something that happened: JSON facts with a `type`. An event that not everybody may see names
# the seats that may, as `seen_by`.
Event = Json


S = TypeVar("S")
M = TypeVar("M")


class Step(NamedTuple):
    """The state after a move, and what happened on the way."""

    state: Any
    events: list[Event]


class Points(NamedTuple):
    """Points a move would bring somebody now; `area` only where the cause leaves it open."""

    seat: int
    points: int
    cause: str
    area: str | None = None


class Forced(NamedTuple):
    """A move that its seat has to make without being asked, and the state in which it is made."""

    state: Any
    move: Any


class Preview(NamedTuple):
    """What a move would do now, worked out without playing it.

    `follow_up` is a move of the same seat that the figures assume afterwards (the plan it carries,
    or the best place for a card that is only being kept), if that is possible now; `again` tells
    that the seat would choose once more. `forced` are the moves that `Game.forced` names; bots
    need none, so that `engine.decisions` adds them for people and programs.
    """

    points: tuple[Points, ...] = ()
    again: bool = False
    follow_up: Any = None
    forced: tuple[Forced, ...] = ()

    def for_seat(self, seat: int) -> int:
        return sum(item.points for item in self.points if item.seat == seat)


class Stop(NamedTuple):
    """Something that a person touches on the way to a move.

    The picture has an element with `data-spot` of this name, unless the kind of the spot (what
    stands before its colon, or all of it) is one of `Meta.buttons`.
    """

    spot: str
    words: str  # for a button: short, in the language of the person


class Topic(NamedTuple):
    """A rule in a few sentences. What it is about has `data-topic` with its key in the picture."""

    key: str
    title: str
    text: str


class Outcome(NamedTuple):
    """How a game ended: final scores, the seats that share the win, and why it ended."""

    scores: tuple[int, ...]
    winners: tuple[int, ...]
    reason: str

    def to_json(self) -> Json:
        return {"scores": list(self.scores), "winners": list(self.winners), "reason": self.reason}


class Game(Protocol[S, M]):
    """The contract. `S` is the game's state, `M` its moves; both are immutable values."""

    @property
    def meta(self) -> Meta: ...

    # The course of the game

    def new_game(self, seats: int, options: Mapping[str, str], chance: "Chance", /) -> Step:
        """The first state; what chance decided is drawn from `chance`."""

    def pending(self, state: S, /) -> Sequence[int]:
        """The seats that owe a decision: several while choosing at once, none when it is over."""

    def revisable(self, state: S, /) -> Sequence[int]:
        """Seats that owe nothing but may still change what they chose."""

    def decision(self, state: S, seat: int, /) -> str:
        """Id of what a pending or revisable seat chooses. It ends in `.s<seat>`, is used once in
        a game, and moves of other seats do not change it."""

    def legal_moves(self, state: S, seat: int, /) -> Sequence[M]:
        """All moves of a pending or revisable seat, in a fixed order, without duplicates."""

    def accepts(self, state: S, seat: int, move: M, /) -> bool:
        """Whether the move may be played: a legal move, or one that carries a sensible plan."""

    def asks(self, state: S, seat: int, /) -> bool:
        """Whether a pending seat is asked even if it can do only one thing, because to go on
        without asking would tell what it holds."""

    def within_turn(self, state: S, seat: int, /) -> bool:
        """Whether what a pending seat is asked belongs to a turn that it has begun. If its time
        runs out, all the rest of the turn is played for it."""

    def apply(self, state: S, seat: int, move: M, chance: "Chance", /) -> Step:
        """Play a move that `accepts` allows. The given state is not changed."""

    def outcome(self, state: S, /) -> Outcome | None:
        """How it ended, or None while it goes on."""

    def scores(self, state: S, /) -> tuple[int, ...]:
        """The points so far, by seat."""

    def ranking(self, state: S, /) -> tuple[int, ...]:
        """The place of each seat now or at the end, by the game's own tie-break; equal players
        share a place, as `(1, 2, 2, 4)`. The winners of `outcome` are those on place 1."""

    # Choices left in advance, and for those who are away

    def premoves(self, state: S, seat: int, move: M, /) -> Sequence[M]:
        """This legal move with each plan it may carry for later; empty if it may carry none."""

    def premove(self, state: S, seat: int, /) -> M | None:
        """What the seat said it would do now, if it said so and it is still legal."""

    def read_preferences(self, wishes: object, /) -> tuple[str, ...]:
        """A ranked list (text or list of words) in its normal form; raises Unreadable."""

    def all_preferences(self, /) -> Sequence[str]:
        """All wishes of a normal list, but for single things that have names of their own, such
        as cards."""

    def preference_labels(self, wishes: Sequence[str], language: str = ENGLISH, /) -> Sequence[str]:
        """The wishes of a normal list for a person, each in a few words that `read_preferences`
        understands."""

    def preferred_moves(self, state: S, seat: int, wishes: Sequence[str], /) -> Sequence[M]:
        """The legal moves that fulfil the first wish which can be fulfilled; perhaps none."""

    def ranked(self, view: Json, /) -> Sequence[int]:
        """The offered moves by their number in `engine.decisions.seat_view`, the best first."""

    def bot_move(self, view: Json, /) -> M:
        """What our bot plays, from `engine.decisions.bot_view` alone. Also for absent players."""

    # What people and programs see

    def view(self, state: S, seat: int | None, /) -> Json:
        """The position as this seat may know it (None: a spectator), as JSON, built up from
        nothing. `engine.decisions.seat_view` adds the seat's decision and its legal moves."""

    def preview(self, state: S, seat: int, move: M, /) -> Preview:
        """What the move scores now, by player and cause, without playing it."""

    def forced(self, state: S, seat: int, move: M, /) -> tuple[Forced, ...]:
        """The further moves of the seat that the door makes after this one without asking, as far
        as the seat can be certain of them: nothing that chance or a secret decides."""

    # Whatever is for people is said in the language they read (`engine.languages`).

    def about(self, language: str = ENGLISH, /) -> Meta:
        """`meta` for a person: the summary and the options in a language."""

    def question(self, view: Json, names: Sequence[str], language: str = ENGLISH, /) -> str:
        """What a seat is asked, for a person; from `engine.decisions.seat_view`, "" if nothing."""

    def label(
        self,
        state: S,
        seat: int,
        move: M,
        expected: Preview,
        names: Sequence[str],
        language: str = ENGLISH,
        /,
    ) -> str:
        """The move for the person on this seat, with what it scores by its preview and what it
        forces the seat to do. It tells nothing that the seat may not know."""

    def path(self, state: S, seat: int, move: M, language: str = ENGLISH, /) -> Sequence[Stop]:
        """What the person on this seat touches, one after another, to make a legal move.

        No path of a decision is another one or its beginning, so that equal beginnings make a
        tree of the moves. It names only what the seat may know."""

    def sentence(self, event: Json, names: Sequence[str], language: str = ENGLISH, /) -> str:
        """An event for a person, in one sentence."""

    def cause(self, cause: str, language: str = ENGLISH, /) -> str:
        """What points were for (`for` of an event, `cause` of a preview), in a word or two."""

    def board_text(self, view: Json, names: Sequence[str], language: str = ENGLISH, /) -> str:
        """The view as text of at most 80 columns that also reads well aloud."""

    def board_summary(self, view: Json, names: Sequence[str], language: str = ENGLISH, /) -> str:
        """The view in a few sentences, for those who cannot see the picture."""

    def board_svg(
        self,
        view: Json,
        names: Sequence[str],
        changed: Sequence[Event],
        language: str = ENGLISH,
        /,
    ) -> str:
        """The view as a picture: one standalone SVG document without outside resources; what the
        events in `changed` touched is marked. What paths lead over has `data-spot`, what the
        guide has a rule for `data-topic`."""

    def guide(self, language: str = ENGLISH, /) -> Sequence[Topic]:
        """The rules in short, by what they are about."""

    def move_seen_by(self, seat: int, move: M, /) -> Audience:
        """Who may know this move while the game goes on."""

    # Written forms

    def parse(self, text: str, /) -> M:
        """Read the one-line notation, with the words of any of our languages; raises Unreadable."""

    def format(self, move: M, /) -> str:
        """The one-line notation; `parse(format(move)) == move`."""

    def move_from_json(self, data: object, /) -> M:
        """Read a move's JSON; raises Unreadable."""

    def move_to_json(self, move: M, /) -> Json:
        """The move's JSON; `move_from_json(move_to_json(move)) == move`."""

    def dump(self, state: S, /) -> str:
        """The state as one line of JSON; equal states give equal text."""

    def load(self, text: str, /) -> S:
        """The state that `dump` wrote."""

    # For those who check us

    def faults(self, state: S, /) -> list[str]:
        """What is wrong with this state (lost cards, too many pieces); empty when sound."""

    def imagine(
        self, state: S, seats: Sequence[int], chance: "Chance", mover: int, move: M | None, /
    ) -> S:
        """A state with other secrets that none of these seats could tell from the real one, and
        in which the mover could make this move too (None: no matter what it could do)."""


AnyGame = Game[Any, Any]
