"""Moves and what comes of them; plans, notes and talk."""

import marshmallow as ma
from marshmallow import fields, validate

from service.api.schemas.common import BIGGEST_NUMBER, WordsQuery, moment, page_of, words
from service.api.schemas.games import OutcomeSchema, free_object
from service.core.fields import Flag
from service.games.inputs import Move, PlanSchema


class LogLineSchema(ma.Schema):
    """A move and what it did. Of a secret move of another seat only that it was made is told."""

    n = fields.Integer(required=True)
    seat = fields.Integer(required=True)
    decision = fields.String(required=True)
    move = Move("null: secret", required=True, allow_none=True)
    text = fields.String(required=True, allow_none=True)
    via = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "How it came about",
            "enum": ["player", "plan", "timeout", "bot", "auto", None],
        },
    )
    events = fields.List(free_object("What happened, by type"), required=True)
    sentences = fields.List(fields.String(), required=True)
    scores = fields.List(fields.Integer(), required=True)
    at = moment("When", required=True)


class AnsweredSchema(ma.Schema):
    """What came of an answer."""

    game = words("The id of the game", required=True)
    version = fields.Integer(required=True)
    played = fields.List(fields.Nested(LogLineSchema), required=True)
    decision = words("What your seat is asked next, if anything", required=True, allow_none=True)
    waiting_for = fields.List(fields.Integer(), required=True)
    outcome = fields.Nested(OutcomeSchema, required=True, allow_none=True)
    stopped = fields.Nested(
        "ProblemSchema",
        required=True,
        allow_none=True,
        metadata={"description": "Why the rest of `moves` was not played"},
    )


class LinesQuery(ma.Schema):
    """Which lines."""

    after = fields.Integer(load_default=0, validate=validate.Range(0, BIGGEST_NUMBER))
    limit = fields.Integer(load_default=50, validate=validate.Range(1, 200))


class LogQuery(LinesQuery, WordsQuery):
    """Which lines of the log."""


class LogSchema(ma.Schema):
    """Lines of the log, oldest first."""

    items = fields.List(fields.Nested(LogLineSchema), required=True)
    next_after = fields.Integer(
        required=True, allow_none=True, metadata={"description": "`after` of the next page"}
    )


class RecordQuery(ma.Schema):
    """What else to write into the record."""

    legal = fields.Boolean(
        truthy={"true"},
        falsy={"false"},
        load_default=False,
        metadata={"description": "Also the legal moves before each move (your own while it runs)"},
    )


class CarriedPlanSchema(ma.Schema):
    """A legal move with a plan in it."""

    move = Move("Send it as your move", required=True)
    text = fields.String(required=True)
    label = fields.String(
        required=True, metadata={"description": "For people, in the language of the query"}
    )


class OwnPlanSchema(PlanSchema):
    """What you left in advance, and what you could."""

    plans = fields.List(
        fields.Nested(CarriedPlanSchema),
        required=True,
        metadata={"description": "Moves you may make now that also say what comes after them"},
    )


class GameMailsSchema(ma.Schema):
    """Whether you get mails about a game."""

    wanted = Flag(
        required=True,
        metadata={
            "description": "Which mails come is a matter of your account; if false, none about "
            "this game"
        },
    )


class EndOfferSchema(ma.Schema):
    """Whether the game ended, since all agreed."""

    finished = fields.Boolean(required=True)


class PauseSchema(ma.Schema):
    """Whether the clocks stand still, since all want that."""

    paused_until = moment(
        "At most until then; null: somebody has not voted for it yet",
        required=True,
        allow_none=True,
    )


class MessageSchema(ma.Schema):
    """Something said at the table."""

    n = fields.Integer(required=True)
    seat = fields.Integer(required=True)
    name = fields.String(required=True)
    text = fields.String(required=True)
    at = moment("When", required=True)


class MessagesSchema(ma.Schema):
    """What was said, oldest first."""

    items = fields.List(fields.Nested(MessageSchema), required=True)
    next_after = fields.Integer(required=True, allow_none=True)


class OpenDecisionSchema(ma.Schema):
    """Something that waits for you."""

    game = words("The id of the game", required=True)
    title = words("What to call the game", required=True)
    decision = fields.String(required=True)
    seat = fields.Integer(required=True)
    opened_at = moment("Since when", required=True)
    due_at = moment("Until when; null: the clock stands still", required=True, allow_none=True)


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
    """How a seat was played."""

    seat = fields.Integer(required=True)
    name = fields.String(required=True)
    moves = fields.Dict(
        keys=fields.String(),
        values=fields.Integer(),
        required=True,
        metadata={"description": "How many moves, by `via`"},
    )


class StatisticsSchema(ma.Schema):
    """The figures of a finished game."""

    game = fields.String(required=True)
    outcome = fields.Nested(OutcomeSchema, required=True)
    curve = fields.List(fields.Nested(CurvePointSchema), required=True)
    curve_by_cause = fields.List(fields.Nested(CausePointSchema), required=True)
    causes = fields.Dict(keys=fields.String(), values=fields.List(fields.Integer()), required=True)
    cause_words = fields.Dict(
        keys=fields.String(),
        values=fields.String(),
        required=True,
        metadata={"description": "What the points were for, for people"},
    )
    seats = fields.List(fields.Nested(SeatFiguresSchema), required=True)
