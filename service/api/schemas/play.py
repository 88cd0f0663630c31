"""Schemas of moves, logs, preferences lists, notes and chat."""

import marshmallow as ma
from marshmallow import fields, validate

from service.api.schemas.common import BIGGEST_NUMBER, WordsQuery, moment, page_of, words
from service.api.schemas.games import OutcomeSchema, free_object
from service.core.fields import Flag
from service.games.inputs import Move, PlanSchema


class LogLineSchema(ma.Schema):
    """A move and its effects. Of a secret move of another seat only its existence is visible."""

    n = fields.Integer(required=True)
    seat = fields.Integer(required=True)
    decision = fields.String(required=True)
    move = Move("null: secret", required=True, allow_none=True)
    text = fields.String(required=True, allow_none=True)
    via = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "Origin of the move",
            "enum": ["player", "plan", "timeout", "bot", "auto", None],
        },
    )
    events = fields.List(free_object("An effect, by type"), required=True)
    sentences = fields.List(fields.String(), required=True)
    scores = fields.List(fields.Integer(), required=True)
    at = moment("When", required=True)


class AnsweredSchema(ma.Schema):
    """Result of a move."""

    game = words("The id of the game", required=True)
    version = fields.Integer(required=True)
    played = fields.List(fields.Nested(LogLineSchema), required=True)
    decision = words("Next decision of your seat, if any", required=True, allow_none=True)
    waiting_for = fields.List(fields.Integer(), required=True)
    outcome = fields.Nested(OutcomeSchema, required=True, allow_none=True)
    stopped = fields.Nested(
        "ProblemSchema",
        required=True,
        allow_none=True,
        metadata={"description": "The problem that stopped the rest of `moves`"},
    )


class LinesQuery(ma.Schema):
    """Range of lines."""

    after = fields.Integer(load_default=0, validate=validate.Range(0, BIGGEST_NUMBER))
    limit = fields.Integer(load_default=50, validate=validate.Range(1, 200))


class LogQuery(LinesQuery, WordsQuery):
    """Range of lines of the log."""


class LogSchema(ma.Schema):
    """Lines of the log, oldest first."""

    items = fields.List(fields.Nested(LogLineSchema), required=True)
    next_after = fields.Integer(
        required=True, allow_none=True, metadata={"description": "`after` of the next page"}
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


class CarriedPlanSchema(ma.Schema):
    """A legal move that carries a premove."""

    move = Move("To send as your move", required=True)
    text = fields.String(required=True)
    label = fields.String(
        required=True, metadata={"description": "As a sentence in the requested language"}
    )


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


class EndOfferSchema(ma.Schema):
    """Whether the offer ended the game."""

    finished = fields.Boolean(required=True)


class PauseSchema(ma.Schema):
    """State of the pause."""

    paused_until = moment(
        "Latest end of the pause; null: votes are missing",
        required=True,
        allow_none=True,
    )


class MessageSchema(ma.Schema):
    """A chat message."""

    n = fields.Integer(required=True)
    seat = fields.Integer(required=True)
    name = fields.String(required=True)
    text = fields.String(required=True)
    at = moment("When", required=True)


class MessagesSchema(ma.Schema):
    """Chat messages, oldest first."""

    items = fields.List(fields.Nested(MessageSchema), required=True)
    next_after = fields.Integer(required=True, allow_none=True)


class OpenDecisionSchema(ma.Schema):
    """An open decision of yours."""

    game = words("The id of the game", required=True)
    title = words("Title of the game", required=True)
    decision = fields.String(required=True)
    seat = fields.Integer(required=True)
    opened_at = moment("Start", required=True)
    due_at = moment("Deadline; null: the clock is stopped", required=True, allow_none=True)


OpenDecisionPageSchema = page_of(OpenDecisionSchema, "OpenDecision")


class CurvePointSchema(ma.Schema):
    """The scores after a move."""

    n = fields.Integer(required=True)
    scores = fields.List(fields.Integer(), required=True)


class CausePointSchema(ma.Schema):
    """The points per cause after a move, by seat."""

    n = fields.Integer(required=True)
    scores = fields.Dict(keys=fields.String(), values=fields.List(fields.Integer()), required=True)


class SeatFiguresSchema(ma.Schema):
    """Moves of a seat by origin."""

    seat = fields.Integer(required=True)
    name = fields.String(required=True)
    moves = fields.Dict(
        keys=fields.String(),
        values=fields.Integer(),
        required=True,
        metadata={"description": "Number of moves by `via`"},
    )


class StatisticsSchema(ma.Schema):
    """Statistics of a finished game."""

    game = fields.String(required=True)
    outcome = fields.Nested(OutcomeSchema, required=True)
    curve = fields.List(fields.Nested(CurvePointSchema), required=True)
    curve_by_cause = fields.List(fields.Nested(CausePointSchema), required=True)
    causes = fields.Dict(keys=fields.String(), values=fields.List(fields.Integer()), required=True)
    cause_words = fields.Dict(
        keys=fields.String(),
        values=fields.String(),
        required=True,
        metadata={"description": "Causes in words"},
    )
    seats = fields.List(fields.Nested(SeatFiguresSchema), required=True)
