"""Schemas of moves, logs, preferences lists, notes and chat."""

import marshmallow as ma
from marshmallow import fields, validate

from service.api.schemas.common import (
    BIGGEST_NUMBER,
    ResponseSchema,
    WordsQuery,
    free_object,
    moment,
    number,
    page_of,
    words,
)
from service.api.schemas.games import OutcomeSchema
from service.core.fields import Flag
from service.games.inputs import Move, PlanSchema


class LogLineSchema(ResponseSchema):
    """A move and its effects. Of a secret move of another seat only its existence is visible."""

    n = fields.Integer()
    seat = fields.Integer()
    decision = fields.String()
    move = Move("null: secret", allow_none=True)
    text = fields.String(allow_none=True)
    via = fields.String(
        allow_none=True,
        metadata={
            "description": "Origin of the move",
            "enum": ["player", "plan", "timeout", "bot", "auto", None],
        },
    )
    events = fields.List(free_object("An effect, by type"))
    sentences = fields.List(fields.String())
    scores = fields.List(fields.Integer())
    at = moment("When")


class AnsweredSchema(ResponseSchema):
    """Result of a move."""

    game = words("The id of the game")
    version = fields.Integer()
    played = fields.List(fields.Nested(LogLineSchema))
    decision = words("Next decision of your seat, if any", allow_none=True)
    waiting_for = fields.List(fields.Integer())
    outcome = fields.Nested(OutcomeSchema, allow_none=True)
    stopped = fields.Nested(
        "ProblemSchema",
        allow_none=True,
        metadata={"description": "The problem that stopped the rest of `moves`"},
    )


class UndoneMoveSchema(ResponseSchema):
    """A move that its player took back. Of a secret one only its existence is visible."""

    n = number("Its number in the log, which another move may have by now")
    seat = fields.Integer()
    decision = fields.String()
    move = Move("null: secret", allow_none=True)
    text = fields.String(allow_none=True)
    sentences = fields.List(fields.String())
    summary = words("That it was taken back, with its sentences, in one line")
    at = moment("When it was made")
    undone_at = moment("When it was taken back")


class UndoResultSchema(ResponseSchema):
    """Result of taking an answer back."""

    game = words("The id of the game")
    version = fields.Integer()
    undone = fields.List(
        fields.String(),
        metadata={"description": "The moves that are no longer in the log, in its notation"},
    )
    revisable = fields.Boolean(
        metadata={
            "description": "Nothing was taken back: the choice is still secret, and another move "
            "for the same decision replaces it"
        }
    )
    decision = words("Your open decision")
    due_at = moment("Its deadline; null while the choice is `revisable`", allow_none=True)


class LinesQuery(ma.Schema):
    """Range of lines."""

    after = fields.Integer(load_default=0, validate=validate.Range(0, BIGGEST_NUMBER))
    limit = fields.Integer(load_default=50, validate=validate.Range(1, 200))


class LogQuery(LinesQuery, WordsQuery):
    """Range of lines of the log."""


class LogSchema(ResponseSchema):
    """Lines of the log, oldest first."""

    items = fields.List(fields.Nested(LogLineSchema))
    next_after = number("`after` of the next page", allow_none=True)
    undone = fields.List(
        fields.Nested(UndoneMoveSchema),
        metadata={"description": "Moves of this range that were taken back, in the order of that"},
    )


class RecordQuery(ma.Schema):
    """Contents of the record."""

    legal = fields.Boolean(
        truthy={"true"},
        falsy={"false"},
        load_default=False,
        metadata={
            "description": "Include the legal moves before each move (only your own while the game "
            "runs)"
        },
    )


class CarriedPlanSchema(ResponseSchema):
    """A legal move that carries a premove."""

    move = Move("To send as your move")
    text = fields.String()
    label = words("As a sentence in the requested language")


class OwnPlanSchema(PlanSchema):
    """Your preferences list, and moves that carry a premove."""

    plans = fields.List(
        fields.Nested(CarriedPlanSchema),
        required=True,
        metadata={"description": "Legal moves that carry a premove"},
    )


class GameMailsSchema(ma.Schema):
    """Mail setting of one game."""

    wanted = Flag(
        required=True,
        metadata={
            "description": "false: no mails about this game; true: as the account's settings say"
        },
    )


class EndOfferSchema(ResponseSchema):
    """Whether the offer ended the game."""

    finished = fields.Boolean()


class PauseSchema(ResponseSchema):
    """State of the pause."""

    paused_until = moment("Latest end of the pause; null: votes are missing", allow_none=True)


class MessageSchema(ResponseSchema):
    """A chat message."""

    n = fields.Integer()
    seat = fields.Integer()
    name = fields.String()
    text = fields.String()
    at = moment("When")


class MessagesSchema(ResponseSchema):
    """Chat messages, oldest first."""

    items = fields.List(fields.Nested(MessageSchema))
    next_after = fields.Integer(allow_none=True)


class OpenDecisionSchema(ResponseSchema):
    """An open decision of yours."""

    game = words("The id of the game")
    title = words("Title of the game")
    decision = fields.String()
    seat = fields.Integer()
    opened_at = moment("Start")
    due_at = moment("Deadline; null: the clock is stopped", allow_none=True)


OpenDecisionPageSchema = page_of(OpenDecisionSchema, "OpenDecision")


class CurvePointSchema(ResponseSchema):
    """The scores after a move."""

    n = fields.Integer()
    scores = fields.List(fields.Integer())


class CausePointSchema(ResponseSchema):
    """The points per cause after a move, by seat."""

    n = fields.Integer()
    scores = fields.Dict(keys=fields.String(), values=fields.List(fields.Integer()))


class SeatFiguresSchema(ResponseSchema):
    """Moves of a seat by origin."""

    seat = fields.Integer()
    name = fields.String()
    moves = fields.Dict(
        keys=fields.String(),
        values=fields.Integer(),
        metadata={"description": "Number of moves by `via`"},
    )


class StatisticsSchema(ResponseSchema):
    """Statistics of a finished game."""

    game = fields.String()
    outcome = fields.Nested(OutcomeSchema)
    curve = fields.List(fields.Nested(CurvePointSchema))
    curve_by_cause = fields.List(fields.Nested(CausePointSchema))
    causes = fields.Dict(keys=fields.String(), values=fields.List(fields.Integer()))
    cause_words = fields.Dict(
        keys=fields.String(), values=fields.String(), metadata={"description": "Causes in words"}
    )
    seats = fields.List(fields.Nested(SeatFiguresSchema))
