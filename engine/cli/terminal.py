"""Game in the terminal: one person against bots, or several at one keyboard."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.chance import commitment
from engine.contract import GameType, Json
from engine.decisions import seat_view
from engine.errors import BadSetup, MoveError
from engine.languages import ENGLISH
from engine.play import Line, Opening, Played, begin, play, to_ask
from engine.record import as_seen_by, record_lines, visible_events
from engine.timeouts import bot_move
from engine.verify import Followed

NAMES = ("Angelo", "Bianca", "Cosimo", "Donata")
HELP = """\
Type the number of a choice, or the move itself; part of it is enough if it can only mean one.
For example: {example}
Also:
  board   show the board again        log     what happened so far
  list    show your choices again     quit    stop (with --save you can resume later)"""


class TerminalGame:
    """A game in the terminal: prompts for people, bots for the other seats, and to each person the
    events they may see."""

    def __init__(
        self,
        game: GameType,
        options: Mapping[str, str],
        seed: bytes,
        opening: Opening,
        lines: Sequence[Line],
        names: Sequence[str],
        humans: int,
        save: Path | None,
        language: str,
    ) -> None:
        self.game = game
        self.options = options
        self.seed = seed
        self.opening = opening
        self.lines = list(lines)
        self.seats = len(game.scores(opening.start))
        if not 0 <= humans <= self.seats:
            raise BadSetup(f"There are {self.seats} seats for {humans} people.")
        self.names = [*names, *NAMES[len(names) :]][: self.seats]
        self.humans = range(humans)
        self.save = _checked(save)
        self.language = language  # of the game's texts; the terminal itself is in English
        self.told = [0] * self.seats  # by seat: number of lines already printed for the person
        self.board_of: int | None = None  # the seat whose board was printed last

    @classmethod
    def started(
        cls,
        game: GameType,
        seats: int,
        options: Mapping[str, str],
        seed: bytes,
        humans: int,
        names: Sequence[str],
        save: Path | None,
        language: str,
    ) -> "TerminalGame":
        opening = begin(game, seats, options, seed)
        return cls(game, options, seed, opening, opening.lines, names, humans, save, language)

    @classmethod
    def resumed(
        cls,
        followed: Followed,
        humans: int,
        names: Sequence[str],
        save: Path | None,
        language: str,
    ) -> "TerminalGame":
        game = cls(
            followed.game,
            followed.options,
            followed.seed,
            followed.opening,
            followed.lines,
            names,
            humans,
            save,
            language,
        )
        game.told = [len(game.lines)] * game.seats
        return game

    @property
    def state(self) -> Any:
        return self.lines[-1].state if self.lines else self.opening.state

    def run(self) -> int:
        """Play until the end of the game, or until a person quits."""
        people = [self.names[seat] for seat in self.humans]
        print(f"{self.game.meta.title} with {', '.join(self.names)}.")
        print(f"At the keyboard: {', '.join(people) or 'nobody'}; bots play for the others.")
        print(f"New to the game? docs/rules/{self.game.meta.key}.md explains it in ten minutes.")
        print(f"The shuffle is fixed; the SHA-256 of its seed is\n{commitment(self.seed)}")
        self._store()
        try:
            while asked := to_ask(self.game, self.state):
                # Bots first: people then never wait for one in a simultaneous choice.
                seat = max(asked, key=lambda candidate: candidate not in self.humans)
                if seat in self.humans:
                    self._accept(self._ask(seat))
                else:
                    move = bot_move(self.game, self.state, seat)
                    self._accept(play(self.game, self.state, self.seed, seat, None, move, "bot"))
        except (EOFError, KeyboardInterrupt):
            return self._stop()
        self._tell_end()
        return 0

    def _accept(self, played: Played) -> None:
        self.lines += played.lines
        self._store()

    def _store(self) -> None:
        if self.save is None:
            return
        record = record_lines(
            self.game, self.seats, self.options, self.seed, self.opening, self.lines
        )
        text = "".join(f"{line}\n" for line in record)
        fresh = self.save.with_name(self.save.name + ".new")
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(self.save)

    def _ask(self, seat: int) -> Played:
        self._hand_over(seat)
        self._tell_news(seat)
        view = seat_view(self.game, self.state, seat, self.names, self.language)
        self._show_board(view)
        self._show_choices(view)
        while True:
            try:
                answer = input(f"{self.names[seat]}, your choice (? for help): ").strip()
                if not answer or not self._command(answer.lower(), seat, view):
                    return self._answer(seat, view, answer)
            except MoveError as error:
                print(error)
            except UnicodeDecodeError:
                print("That could not be read as text.")

    def _answer(self, seat: int, view: Json, answer: str) -> Played:
        choices = view["decision"]["moves"]
        move: Any = answer
        if answer.isascii() and answer.isdigit() and len(answer) < 4:
            if not 1 <= int(answer) <= len(choices):
                raise MoveError(f"There are choices 1 to {len(choices)}.")
            move = choices[int(answer) - 1]["move"]
        return play(self.game, self.state, self.seed, seat, view["decision"]["id"], move)

    def _command(self, word: str, seat: int, view: Json) -> bool:
        """Run the answer as a command of HELP; false if it is none."""
        match word:
            case "?" | "help":
                print(HELP.format(example=view["decision"]["moves"][0]["text"]))
            case "board":
                print(self.game.board_text(view, self.names, self.language), end="")
            case "list":
                self._show_choices(view)
            case "log":
                self._tell(seat, self.lines)
            case "quit":
                raise EOFError
            case _:
                return False
        return True

    def _hand_over(self, seat: int) -> None:
        """With several people at one keyboard, hide the cards of one person from the next."""
        if len(self.humans) > 1 and self.board_of != seat:
            if sys.stdout.isatty():
                print("\033[2J\033[3J\033[H", end="")
            input(f"\n{self.names[seat]}, press Enter when nobody else is looking. ")
        self.board_of = seat

    def _tell_news(self, seat: int) -> None:
        news = self.lines[self.told[seat] :]
        self.told[seat] = len(self.lines)
        print()
        self._tell(seat, news)

    def _tell(self, seat: int | None, lines: Sequence[Line]) -> None:
        for line in lines:
            for event in visible_events(line.events, as_seen_by(seat)):
                print(f"  {self.game.sentence(event, self.names, self.language)}")

    def _show_board(self, view: Json) -> None:
        print()
        print(self.game.board_text(view, self.names, self.language))

    def _show_choices(self, view: Json) -> None:
        print(self.game.question(view, self.names, self.language))
        for number, choice in enumerate(view["decision"]["moves"], start=1):
            print(f"{number:>3}  {choice['label']}")

    def _tell_end(self) -> None:
        # Several people read the end together: print only the events that all may see.
        reader = self.humans[0] if len(self.humans) == 1 else None
        told = min((self.told[seat] for seat in self.humans), default=0)
        self._tell(reader, self.lines[told:])
        view = seat_view(self.game, self.state, None, self.names)
        print()
        print(self.game.board_text(view, self.names, self.language))
        ended = self.game.outcome(self.state)
        assert ended is not None
        places = sorted((place, seat) for seat, place in enumerate(self.game.ranking(self.state)))
        points = [f"{place}. {self.names[seat]} {ended.scores[seat]}" for place, seat in places]
        print("Final points: " + ", ".join(points))
        print(f"The seed was {self.seed.hex()}; its SHA-256 was shown at the start.")
        if self.save is not None:
            file = shlex.quote(str(self.save))
            print(f"The record is in {file}; check it with: {_program()} verify {file}")

    def _stop(self) -> int:
        if self.save is None:
            print("\nStopped. The game was not saved; use --save FILE.")
            return 0
        again = f"{_program()} play --resume {shlex.quote(str(self.save))}"
        if self.humans != range(1):
            again += f" --humans {len(self.humans)}"
        if self.names != list(NAMES[: self.seats]):
            again += f" --names {shlex.quote(','.join(self.names))}"
        if self.language != ENGLISH:
            again += f" --language {self.language}"
        print(f"\nStopped. Resume with: {again}")
        return 0


def _program() -> str:
    """The name under which this program was called, for commands to copy."""
    called = Path(sys.argv[0])
    return "python -m engine" if called.name == "__main__.py" else str(called)


def _checked(save: Path | None) -> Path | None:
    """The file for the record; raises BadSetup before the game starts."""
    if save is not None and (save.is_dir() or not save.name):
        raise BadSetup(f"{save} is a directory; name a file for the game.")
    if save is not None and not save.parent.is_dir():
        raise BadSetup(f"Directory {save.parent} does not exist.")
    return save
