"""Results of a reply: read the text about one game or about none, and carry out its commands."""

import re
from collections.abc import Sequence
from typing import Any

from engine.contract import GameType, Json
from engine.registry import GAME_TYPES, game_type_by_key
from service.core.time_control import zone_named
from service.db.models import Game
from service.db.session import db, savepoint
from service.mail.inbound import command_types as commands
from service.mail.inbound.command_parser import read_commands
from service.mail.inbound.command_types import Command, Play, Unclear, Word
from service.mail.inbound.handlers import carry_out
from service.mail.inbound.number_words import NUMBER_WORDS
from service.mail.inbound.plain_text import folded
from service.mail.inbound.reply_texts import NotDone
from service.mail.inbound.reply_writer import Done, Writer

# Commands whose answers are receipts: they say no more than that it was done.
WITH_RECEIPT = (
    *(commands.Play, commands.Yes, commands.Say, commands.Note),
    *(commands.Wish, commands.DropPlan),
)
MEANINGS = ("first", "second")  # facts of a refusal that may be moves


class ReplyResult:
    """What came of a reply, or of the part of it about one game."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.done: list[str] = []
        self.said: list[str] = []
        self.happened: list[str] = []
        self.show: list[str] = []
        self.confirm: str | None = None
        self.refused: str | None = None
        self.ask: str | None = None  # "Did you mean 2?"
        self.suggestion: Json | None = None  # that "yes" plays
        self.code = ""
        self.played = False
        self.is_receipt = True

    def do(self, text: str, quote: str = "") -> None:
        """Carry out the commands of a text, or refuse it."""
        try:
            found = self.read(text, quote)
        except Unclear as unclear:
            self.refuse_unclear(unclear)
        else:
            self.carry_out(found)

    def read(self, text: str, quote: str = "") -> list[Command]:
        """The commands of a text; raises Unclear."""
        asked, person = self.writer.asked, self.writer.person
        today = self.writer.received_at.astimezone(zone_named(person.time_zone)).date()
        labels = asked.labels
        unclear: Unclear | None = None
        for game_type in self._game_types():
            try:
                return read_commands(
                    text, game_type, asked.choices, today, labels=labels, quote=quote
                )
            except Unclear as error:
                unclear = unclear or error
        assert unclear is not None
        raise unclear

    def _game_types(self) -> Sequence[GameType]:
        """The game types whose notation a reply may use: that of its game, or all if it is about no
        single game; then moves are read and refused."""
        game_id = self.writer.asked.game_id
        game = None if game_id is None else db.session.get(Game, game_id)
        return GAME_TYPES if game is None else [game_type_by_key(game.game, game.rules)]

    def carry_out(self, found: Sequence[Command]) -> None:
        """Carry out commands up to the first that is refused."""
        try:
            for command in found:
                with savepoint():
                    done = carry_out(self.writer, command)
                self.done.append(type(command).__name__.lower())
                self.is_receipt &= isinstance(command, WITH_RECEIPT)
                self._add(done)
                if self.refused is not None:
                    break
        except NotDone as not_done:
            self.refuse(not_done)

    def _add(self, done: Done) -> None:
        self.said += done.said
        self.happened += done.happened
        self.show += [what for what in done.show if what not in self.show]
        self.confirm = done.confirm or self.confirm
        self.played |= done.played
        if done.stopped is not None:
            self.refuse(done.stopped)

    def refuse(self, why: NotDone) -> None:
        self.code = why.code
        self.refused = self.writer.say.refusal(why.code, why.facts)

    def refuse_unclear(self, unclear: Unclear) -> None:
        """Refuse a text that is not clear, and ask back if it has one probable meaning."""
        self.refuse(self._not_clear(unclear))
        if unclear.code == "question" and (about := self._choice_in(unclear.facts["line"])):
            self.refused = f"{about} {self.refused}"
        decision = self.writer.asked.decision
        if unclear.suggestion is not None and decision is not None:
            steps = [list(step) for step in unclear.suggestion.steps]
            self.suggestion = {"decision": decision, "steps": steps}
            self.ask = self._asked_back(unclear.suggestion)

    def _not_clear(self, unclear: Unclear) -> NotDone:
        code, facts = unclear.code, unclear.facts
        no_list = code == "no_such_number" and not facts["most"]
        if self.writer.asked.game_id is None and (no_list or code == "unreadable_wishes"):
            return NotDone(self.writer.no_game)
        if code == "unreadable_wishes":
            facts = facts | {"wishes": self.writer.say.all_wishes(self._game_types()[0])}
        meant = {name: self._meant(facts[name]) for name in MEANINGS if name in facts}
        return NotDone("no_list" if no_list else code, **facts | meant)

    def _meant(self, meaning: Any) -> Any:
        """A meaning of a text: a move as the list names it, unless the writer used notation."""
        if isinstance(meaning, Word) or self.writer.wrote(meaning):
            return meaning
        label = self.writer.asked.label_of(meaning)
        return meaning if label is None else f"{self._number_of(meaning)}: {label}"

    def _number_of(self, move: str) -> str:
        """`2`, or `A2` in a letter about several games."""
        return f"{self.writer.key or ''}{self.writer.asked.number_of(move)}"

    def _asked_back(self, meant: Play) -> str:
        say, key = self.writer.say, self.writer.key
        moves = [move for step in meant.steps for move in step]
        label = self.writer.asked.label_of(moves[0]) if len(moves) == 1 else None
        if label is not None:
            name = f"{self._number_of(moves[0])}: {label}"
        else:
            name = f"[{'; '.join(', '.join(step) for step in meant.steps)}]"
        if key is None:
            return say("Did you mean %(move)s? Reply 'yes', or with another number.", move=name)
        return say(
            "Did you mean %(move)s? Reply '%(key)s yes', or with another choice.",
            move=name,
            key=key,
        )

    def _choice_in(self, line: str) -> str | None:
        """A sentence about the one choice that a question names."""
        asked = self.writer.asked
        words = re.findall(r"\w+", folded(line))
        numbers = {int(word) if word.isdecimal() else NUMBER_WORDS.get(word, 0) for word in words}
        named = [number for number in numbers if 1 <= number <= len(asked.labels)]
        if len(named) != 1:
            return None
        [number] = named
        label = asked.labels[number - 1]
        return self.writer.say("Choice %(number)d: %(label)s.", number=number, label=label)

    def facts(self) -> Json:
        """Facts of the answer."""
        return {
            "said": self.said,
            "happened": self.happened,
            "refused": self.refused,
            "code": self.code,
            "show": self.show,
            "ask": self.ask,
            "played": self.played,
            **({"suggestion": self.suggestion} if self.suggestion is not None else {}),
            **({"confirm": self.confirm} if self.confirm is not None else {}),
        }
