"""The contract of a game type, and the values that pass through the engine.

A game type is a package whose public names are the functions of `GameContract`: pure functions of a
state, a seat, a move and chance. Nothing outside the package knows its rules, and the package knows
nothing of people, clocks, storage or mail. `engine/README.md` shows how to add one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from engine.languages import ENGLISH

if TYPE_CHECKING:
    from engine.chance import Chance

Json = dict[str, Any]

# The seats that may see something; None is everybody, spectators included.
Audience = tuple[int, ...] | None
EVERYBODY: Audience = None
NOBODY: Audience = ()


def may_see(audience: Audience, seat: int | None) -> bool:
    """Whether this seat (None: a spectator) belongs to the audience."""
    return audience is None or seat in audience


@dataclass(frozen=True)
class Option:
    """An option of a new game, as `variant`: standard or tactical."""

    key: str
    title: str
    choices: Mapping[str, str]
    default: str
    # Choices of earlier games; no new game has them.
    retired: Mapping[str, str] = field(default_factory=dict)
    note: str = ""  # a note for players, in a sentence or two

    def meaning(self, choice: str) -> str | None:
        """The name of a choice; None for an unknown one."""
        return self.choices.get(choice) or self.retired.get(choice)


class Ink(NamedTuple):
    """The colour of a seat's line in a plot, on a light and on a dark background."""

    by_day: str
    by_night: str


@dataclass(frozen=True)
class Meta:
    """The description of a game type. `rules` is the version of its rules."""

    key: str
    title: str
    rules: int
    seats: tuple[int, ...]
    options: tuple[Option, ...]
    # Types of events that reveal something to a seat, with the facts that do so. A move with one of
    # them cannot be taken back (`engine.undo`).
    uncovering: Mapping[str, frozenset[str]]
    # Types of events that end all secrecy: later events of the same move may reveal anything, and
    # previews leave them out.
    revealing: frozenset[str]
    # Kinds of stops that the picture does not show, as `pass`: clients show buttons for them.
    buttons: frozenset[str]
    # By seat; close to the colours on the board, but legible as a thin line.
    inks: tuple[Ink, ...]
    summary: str

    def translated(self, say: Callable[[str], str]) -> "Meta":
        """A copy with all texts for people translated."""
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


# An event of the game: JSON facts with a `type`. `seen_by` lists the seats that may see an event
# which is not for everybody.
Event = Json


S = TypeVar("S")
M = TypeVar("M")


class Step(NamedTuple):
    """The state after a move, and the events of the move."""

    state: Any
    events: list[Event]


class Points(NamedTuple):
    """Points that a move would score for a seat; `area` only where the cause does not name it."""

    seat: int
    points: int
    cause: str
    area: str | None = None


class Forced(NamedTuple):
    """A move that the seat makes without being asked, and the state before it."""

    state: Any
    move: Any


class Preview(NamedTuple):
    """The effect of a move, computed without playing it.

    `follow_up` is a move of the same seat that the figures assume afterwards (its premove, or the
    best place for a card that is only being kept), if it is possible now; `again` means that the
    seat would choose once more. `forced` are the moves of `GameContract.forced`; `engine.decisions`
    adds them for people and programs, bots need none.
    """

    points: tuple[Points, ...] = ()
    again: bool = False
    follow_up: Any = None
    forced: tuple[Forced, ...] = ()

    def for_seat(self, seat: int) -> int:
        return sum(item.points for item in self.points if item.seat == seat)


class Stop(NamedTuple):
    """An element of the picture that a person touches on the way to a move.

    It has `data-spot` with this name, unless the kind of the spot (the part before its colon, or
    all of it) is one of `Meta.buttons`.
    """

    spot: str
    words: str  # text of a button, in the language of the person


class Topic(NamedTuple):
    """A rule in a few sentences. Elements of the picture refer to its key with `data-topic`."""

    key: str
    title: str
    text: str


class Outcome(NamedTuple):
    """The result of a game: final scores, the winners, and the reason of the end."""

    scores: tuple[int, ...]
    winners: tuple[int, ...]
    reason: str

    def to_json(self) -> Json:
        return {"scores": list(self.scores), "winners": list(self.winners), "reason": self.reason}


class GameContract(Protocol[S, M]):
    """The contract of a game type. `S` is its state, `M` its moves; both are immutable values."""

    @property
    def meta(self) -> Meta: ...

    # Rules

    def new_game(self, seats: int, options: Mapping[str, str], chance: "Chance", /) -> Step:
        """The first state, with its random outcomes drawn from `chance`."""

    def pending(self, state: S, /) -> Sequence[int]:
        """The seats that owe a decision: several in a simultaneous choice, none when the game is
        over."""

    def revisable(self, state: S, /) -> Sequence[int]:
        """Seats that owe no decision but may still change their last one."""

    def decision(self, state: S, seat: int, /) -> str:
        """The id of the decision of a pending or revisable seat. It ends in `.s<seat>`, is unique
        in a game, and moves of other seats do not change it."""

    def legal_moves(self, state: S, seat: int, /) -> Sequence[M]:
        """All moves of a pending or revisable seat, in a fixed order, without duplicates."""

    def accepts(self, state: S, seat: int, move: M, /) -> bool:
        """Whether the move may be played: a legal move, or one with an acceptable premove."""

    def asks(self, state: S, seat: int, /) -> bool:
        """Whether a pending seat with a single legal move is asked all the same, because an
        automatic move would reveal its secrets."""

    def within_turn(self, state: S, seat: int, /) -> bool:
        """Whether the decision of a pending seat belongs to a turn that it has begun. After a
        time-out the rest of that turn is played for it."""

    def apply(self, state: S, seat: int, move: M, chance: "Chance", /) -> Step:
        """Play a move that `accepts` allows. The given state stays unchanged."""

    def outcome(self, state: S, /) -> Outcome | None:
        """The result, or None during the game."""

    def scores(self, state: S, /) -> tuple[int, ...]:
        """The current points by seat."""

    def ranking(self, state: S, /) -> tuple[int, ...]:
        """The place of each seat now or at the end, by the tie-break of the game type; equal
        players share a place, as `(1, 2, 2, 4)`. The winners of `outcome` are the seats on place
        1."""

    # Premoves, preferences lists and bots

    def premoves(self, state: S, seat: int, move: M, /) -> Sequence[M]:
        """This legal move with each premove that it may carry; empty if it may carry none."""

    def premove(self, state: S, seat: int, /) -> M | None:
        """The premove of the seat for its current decision, if it has one and it is still legal."""

    def read_preferences(self, wishes: object, /) -> tuple[str, ...]:
        """A preferences list (text or list of words) in its normal form; raises Unreadable."""

    def all_preferences(self, /) -> Sequence[str]:
        """All preferences of a normal list, except single things with names of their own, such as
        cards."""

    def preference_labels(self, wishes: Sequence[str], language: str = ENGLISH, /) -> Sequence[str]:
        """The preferences of a normal list for a person, each in a few words that
        `read_preferences` understands."""

    def preferred_moves(self, state: S, seat: int, wishes: Sequence[str], /) -> Sequence[M]:
        """The legal moves that match the first possible preference; empty if none matches."""

    def ranked(self, view: Json, /) -> Sequence[int]:
        """The indices of the moves in `engine.decisions.seat_view`, the best first."""

    def bot_move(self, view: Json, /) -> M:
        """The move of the bot, from `engine.decisions.bot_view` alone. Also for absent players."""

    # Views for people and programs

    def view(self, state: S, seat: int | None, /) -> Json:
        """The position as JSON with only what this seat (None: a spectator) may know; built from
        nothing, never a reduced copy of the state. `engine.decisions.seat_view` adds the seat's
        decision and its legal moves."""

    def preview(self, state: S, seat: int, move: M, /) -> Preview:
        """The points of the move by player and cause, without playing it."""

    def forced(self, state: S, seat: int, move: M, /) -> tuple[Forced, ...]:
        """The further moves of the seat that `engine.play` makes after this one without asking, as
        far as the seat can be certain of them: nothing that chance or a secret decides."""

    # Texts for people, in their language (`engine.languages`)

    def about(self, language: str = ENGLISH, /) -> Meta:
        """`meta` for a person: the summary and the options in a language."""

    def question(self, view: Json, names: Sequence[str], language: str = ENGLISH, /) -> str:
        """The question to the seat of `engine.decisions.seat_view`; empty without a decision."""

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
        """The move for the person on this seat, with its points by the preview and the moves that
        it forces. It contains nothing that the seat may not know."""

    def path(self, state: S, seat: int, move: M, language: str = ENGLISH, /) -> Sequence[Stop]:
        """The stops of a legal move: the elements that the person on this seat touches in order.

        No path of a decision equals another one or its beginning, so that equal beginnings make a
        tree of the moves. A path names only what the seat may know.
        """

    def sentence(
        self,
        event: Json,
        names: Sequence[str],
        language: str = ENGLISH,
        you: int | None = None,
        /,
    ) -> str:
        """An event in one sentence; in the second person if it is of the seat `you`. The sentence
        about an event of a seat begins with its subject, and its verb follows."""

    def cause(self, cause: str, language: str = ENGLISH, /) -> str:
        """The cause of points (`for` of an event, `cause` of a preview), in a word or two."""

    def board_text(self, view: Json, names: Sequence[str], language: str = ENGLISH, /) -> str:
        """The view as text of at most 80 columns, suitable for screen readers."""

    def board_summary(self, view: Json, names: Sequence[str], language: str = ENGLISH, /) -> str:
        """The view in a few sentences: the alternative text of the picture, then what only the
        viewer's seat knows."""

    def board_svg(
        self,
        view: Json,
        names: Sequence[str],
        changed: Sequence[Event],
        language: str = ENGLISH,
        /,
    ) -> str:
        """The view as a standalone SVG document without outside resources. Rings mark the changes
        by the events in `changed`. Stops of paths have `data-spot`, subjects of the guide
        `data-topic`."""

    def guide(self, language: str = ENGLISH, /) -> Sequence[Topic]:
        """The rules in short, by topic."""

    def move_seen_by(self, seat: int, move: M, /) -> Audience:
        """The audience of this move during the game."""

    # Written forms

    def parse(self, text: str, /) -> M:
        """Read the one-line notation, with words of every supported language; raises Unreadable."""

    def format(self, move: M, /) -> str:
        """The one-line notation; `parse(format(move)) == move`."""

    def move_from_json(self, data: object, /) -> M:
        """Read a move's JSON; raises Unreadable."""

    def move_to_json(self, move: M, /) -> Json:
        """The move's JSON; `move_from_json(move_to_json(move)) == move`."""

    def dump(self, state: S, /) -> str:
        """The state as one line of JSON; equal states give equal text."""

    def load(self, text: str, /) -> S:
        """The state that `dump` wrote; raises BadState."""

    # For tests and audits

    def faults(self, state: S, /) -> list[str]:
        """The broken invariants of a state (lost cards, extra pieces); empty for a sound state."""

    def imagine(
        self, state: S, seats: Sequence[int], chance: "Chance", mover: int, move: M | None, /
    ) -> S:
        """A state with other secrets that none of these seats can distinguish from the real one,
        and in which the mover can make this move too (None: any state will do)."""


GameType = GameContract[Any, Any]
