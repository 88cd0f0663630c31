"""Sentences about moves to their player."""

from collections.abc import Sequence
from typing import NamedTuple

from engine.contract import Event
from engine.narration import narrate, without_echoes
from engine.play import Line
from engine.record import as_seen_by, visible_events
from service.db.models import Move
from service.games.choices import label_of
from service.games.loaded_game import LoadedGame
from service.games.moves import PlayedMoves
from service.mail.inbound.reply_writer import Writer


class MoveTexts(NamedTuple):
    """`said` names the moves of the player; `happened` is what followed from them."""

    said: tuple[str, ...]
    happened: tuple[str, ...]


def played_texts(writer: Writer, result: PlayedMoves) -> MoveTexts:
    """The moves up to the player's last one; other letters tell of later ones."""
    own = [n for n, line in enumerate(result.lines) if line.seat == result.seat]
    said: list[str] = []
    happened: list[str] = []
    state = result.loaded.state
    for line in result.lines[: own[-1] + 1]:
        if line.seat == result.seat:
            if sentence := _own_move(writer, result.loaded, state, line, said):
                said.append(sentence)
            happened += _consequences(writer, result.loaded, state, line)
        else:
            known = visible_events(line.events, as_seen_by(result.seat))
            happened += _narrated(writer, result.loaded, result.seat, known)
        state = line.state
    return MoveTexts(tuple(said), tuple(happened))


def _own_move(
    writer: Writer, loaded: LoadedGame, state: object, line: Line, before: Sequence[str]
) -> str:
    """The sentence about a move of the player; empty if an earlier sentence has its words."""
    say, game = writer.say, loaded.game
    notation = game.format(line.move)
    label = label_of(loaded, state, line.seat, line.move, say.language)
    if line.via == "plan":
        return say("As planned, you play: %(label)s.", label=label)
    if line.via == "auto":
        if any(label in sentence for sentence in before):
            return ""
        sentence = say("As your only choice, you also play: %(label)s.", label=label)
    elif before:
        sentence = say("Then you play: %(label)s.", label=label)
    else:
        number = None
        if line.decision == writer.asked.decision:
            number = writer.asked.number_of(notation)
        if number is None:
            sentence = say("You play: %(label)s.", label=label)
        else:
            sentence = say("You play choice %(number)d: %(label)s.", number=number, label=label)
    return f"{sentence} [{notation}]" if writer.wrote(notation) else sentence


def _consequences(writer: Writer, loaded: LoadedGame, state: object, line: Line) -> list[str]:
    """Sentences about the events of the player's move, except those that its label tells: the
    move itself, and its points as far as they are those that the label names."""
    seat = line.seat
    known = without_echoes(visible_events(line.events, as_seen_by(seat)))[1:]
    own_points = [event for event in known if event["type"] == "points" and event["seat"] == seat]
    expected = loaded.game.preview(state, seat, line.move).for_seat(seat)
    if sum(event["points"] for event in own_points) == expected:
        known = [event for event in known if event not in own_points]
    return _narrated(writer, loaded, seat, known)


def _narrated(writer: Writer, loaded: LoadedGame, seat: int, events: Sequence[Event]) -> list[str]:
    """Events that this seat may see, in few sentences."""
    told = narrate(loaded.game, events, loaded.names, writer.say.language, seat)
    return [told] if told else []


def earlier_move(writer: Writer, loaded: LoadedGame, seat: int, played: Move) -> str:
    """A sentence about an earlier move, without its consequences."""
    notation = loaded.game.format(loaded.game.move_from_json(played.move))
    label = writer.asked.label_of(notation)
    if label is not None:
        number = writer.asked.number_of(notation)
        return writer.say("Played: %(number)d, %(label)s.", number=number, label=label)
    known = without_echoes(visible_events(played.events, as_seen_by(seat)))
    return f"{_narrated(writer, loaded, seat, known[:1])[0]} [{notation}]"


def move_name(writer: Writer, move: str) -> str:
    """A move as the reader knows it: number and label, or the notation that they wrote."""
    label = writer.asked.label_of(move)
    if label is None or writer.wrote(move):
        return f"[{move}]"
    return f"{writer.asked.number_of(move)}: {label}"
