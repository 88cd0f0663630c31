"""Validation of input about tables and games, for the API and for forms."""

from typing import Unpack

import marshmallow as ma
from marshmallow import ValidationError, fields, validate, validates_schema

from engine.contract import Json
from engine.registry import GAME_TYPES
from service.core.fields import Amount, Flag, Line, MailAddress, Paragraphs, ValueOptions, Whole
from service.core.time_control import ABSENCE_DAYS, DEFAULT_CLOCK, MOST_ABSENCE_DAYS, PRESETS
from service.db.models import Visibility
from service.games.chat import LONGEST_MESSAGE
from service.games.moves import LONGEST_NOTE, MOST_MOVES_AT_ONCE
from service.games.table_creation import TableSpec

HOURS = (0.05, 24 * 60)
KINDS = ("none", "flat", "bank")
CLOCK_FIELDS: dict[str, set[str]] = {
    "none": set(),
    "flat": {"hours"},
    "bank": {"start_hours", "increment_hours", "cap_hours"},
}
MOST_SEATS = max(seats for game in GAME_TYPES for seats in game.meta.seats)
MOST_WISHES = 30


class NewClockSchema(ma.Schema):
    """A time control by name (`preset`), or by `kind` with its values."""

    preset = fields.String(
        validate=validate.OneOf(list(PRESETS)),
        metadata={"description": "Name of a preset in the catalogue"},
    )
    kind = fields.String(validate=validate.OneOf(KINDS))
    hours = Amount(*HOURS)
    start_hours = Amount(*HOURS)
    increment_hours = Amount(0, HOURS[1])
    cap_hours = Amount(*HOURS)
    absence_days = Whole(
        0,
        MOST_ABSENCE_DAYS,
        metadata={
            "description": "Days for which a player's announced absences stop the clock; "
            f"default {ABSENCE_DAYS}"
        },
    )

    @validates_schema
    def has_its_fields(self, data: Json, **_: object) -> None:
        if ("preset" in data) == ("kind" in data):
            raise ValidationError("Give one of preset and kind.", "kind")
        wanted = CLOCK_FIELDS[data["kind"]] if "kind" in data else set()
        what = f"A {data['kind']} clock" if "kind" in data else "A preset"
        for name in sorted(wanted ^ (set(data) - {"kind", "preset", "absence_days"})):
            verb = "needs" if name in wanted else "has no"
            raise ValidationError(f"{what} {verb} {name}.", name)
        if data.get("kind") == "bank" and data["cap_hours"] < data["increment_hours"]:
            raise ValidationError("It cannot be less than increment_hours.", "cap_hours")


class NewGameSchema(ma.Schema):
    """A table to open. The game starts when its last seat is taken."""

    game = fields.String(
        required=True,
        validate=validate.Length(1, 40),
        metadata={"description": "Key of a game type in the catalogue"},
    )
    seats = Whole(2, MOST_SEATS, required=True)
    options = fields.Dict(
        keys=fields.String(),
        values=fields.String(),
        load_default=dict,
        metadata={"description": "Choices by option key; others keep their default"},
    )
    clock = fields.Nested(NewClockSchema, load_default=None, allow_none=True)
    title = Line(0, 80, load_default="")
    visibility = fields.Enum(Visibility, by_value=True, load_default=Visibility.public)
    bots = Whole(
        0,
        MOST_SEATS - 1,
        load_default=0,
        metadata={"description": "Number of seats for the service's bots"},
    )
    invite = fields.List(
        MailAddress(),
        load_default=list,
        validate=validate.Length(0, MOST_SEATS),
        metadata={"description": "Addresses to invite by mail"},
    )


def table_spec(body: Json) -> TableSpec:
    """A checked `NewGameSchema` as a `TableSpec`."""
    spec = {name: value for name, value in body.items() if name not in ("invite", "clock")}
    return TableSpec(clock=body["clock"] or DEFAULT_CLOCK, **spec)


class JoinSchema(ma.Schema):
    """Invitation to the table, if one is required."""

    invitation = fields.String(
        load_default=None,
        allow_none=True,
        validate=validate.Length(1, 200),
        metadata={"description": "The secret of an invitation link"},
    )


class StartSchema(ma.Schema):
    """Start of a table with free seats."""

    bots = Flag(load_default=False, metadata={"description": "Bots take the free seats"})


class NewInvitationSchema(ma.Schema):
    """Address to invite; without one the response contains a link."""

    email = MailAddress(load_default=None, allow_none=True)


class MoveSchema(ma.Schema):
    """A move in the format of its game type, opaque to clients."""

    class Meta:
        unknown = ma.INCLUDE


class Move(fields.Nested):
    """A legal move, or one to play: one type for clients, whatever the game type."""

    def __init__(self, description: str, **options: Unpack[ValueOptions]) -> None:
        super().__init__(MoveSchema, metadata={"description": description}, **options)

    def _serialize(self, *args: object, **_: object) -> object:
        return args[0]

    def _deserialize(self, value: object, *_: object, **__: object) -> Json:
        if isinstance(value, dict):
            return value
        raise ValidationError("A move is an object.")


class MoveOrText(fields.Field[Json | str]):
    """A move as JSON object, or as a line of notation."""

    def _deserialize(self, value: object, *_: object, **__: object) -> Json | str:
        if isinstance(value, dict) or (isinstance(value, str) and 0 < len(value) <= 200):
            return value
        raise ValidationError("A move is an object, or a text of 1 to 200 characters.")


MOVE_OR_TEXT = {
    "oneOf": [
        {"$ref": "#/components/schemas/Move"},
        {"type": "string", "minLength": 1, "maxLength": 200},
    ]
}


class AnswerSchema(ma.Schema):
    """Answer to a decision: one of `move`, `text` and `moves`."""

    decision = fields.String(
        required=True,
        validate=validate.Length(1, 40),
        metadata={"description": "Id of the decision that the (first) move answers"},
    )
    move = Move("A legal move, unchanged")
    text = fields.String(
        validate=validate.Length(1, 200),
        metadata={"description": "A line of notation, or an unambiguous part of it"},
    )
    moves = fields.List(
        MoveOrText(metadata=MOVE_OR_TEXT),
        validate=validate.Length(1, MOST_MOVES_AT_ONCE),
        metadata={
            "description": "Several moves in a row. The first impossible move stops the rest; "
            "earlier ones stay played. Forced moves play themselves (`via` is `auto`) and may be "
            "listed or left out."
        },
    )

    @validates_schema
    def says_one_thing(self, data: Json, **_: object) -> None:
        if sum(name in data for name in ("move", "text", "moves")) != 1:
            raise ValidationError("Give one of move, text and moves.")


class UndoSchema(ma.Schema):
    """Answer to take back."""

    decision = fields.String(
        required=True,
        validate=validate.Length(1, 40),
        metadata={
            "description": "Id of the decision whose answer you take back (`undoable` of the game)"
        },
    )


class PlanSchema(ma.Schema):
    """Preferences list for a time-out: the first entry that is possible is played. An empty list
    leaves the choice to the bot."""

    wishes = fields.List(
        fields.String(validate=validate.Length(1, 60)),
        required=True,
        validate=validate.Length(0, MOST_WISHES),
    )


class NoteSchema(ma.Schema):
    """A private note."""

    text = Paragraphs(0, LONGEST_NOTE, required=True)


class NewMessageSchema(ma.Schema):
    """A chat message to post."""

    text = Paragraphs(1, LONGEST_MESSAGE, required=True)
