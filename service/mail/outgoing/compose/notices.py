"""Composition of letters without a question."""

from sqlalchemy import func, select

from engine.options import option_words
from service.core.formatting import clock_words
from service.db.models import Message, Person, Status, Webhook
from service.db.models.events_webhooks import DisabledWhy
from service.db.session import db, execute
from service.games.early_end import may_play_on
from service.mail.outgoing.compose.context import Composed, LetterContext, NotNeeded
from service.mail.outgoing.compose.game_context import wanted


def away(context: LetterContext) -> Composed:
    about = wanted(context)
    seat = about.loaded.seats[about.seat]
    if seat.away_since is None:
        raise NotNeeded("back")
    if not about.loaded.running:
        raise NotNeeded("over")
    facts = about.facts() | about.position() | {"since": context.moment(seat.away_since)}
    return context.written("away", facts, about.picture(), game_id=about.row.id)


def started(context: LetterContext) -> Composed:
    about = wanted(context)
    if not about.loaded.running:
        raise NotNeeded("over")
    clock = clock_words(about.row.clock, context.language)
    facts = {
        "clock": clock,
        "options": option_words(about.game, about.row.options, context.language),
        "commitment": about.row.commitment,
    }
    return context.written("started", about.facts() | facts, game_id=about.row.id)


def finished(context: LetterContext) -> Composed:
    about = wanted(context)
    if about.row.outcome is None:
        raise NotNeeded("played_on")
    seats, result = about.loaded.seats, about.result
    gone = [seat.name for seat in seats if seat.resigned_at is not None]
    facts = {
        "won": about.seat in result.winners,
        "winners": context.listed([seats[number].name for number in result.winners]),
        "count": len(result.winners),
        "figures": " : ".join(str(result.scores[seat]) for seat in result.seats_by_place),
        "scores": about.scores(),
        "reason": result.reason,
        "resigned": seats[about.seat].resigned_at is not None,
        "gone": context.listed(gone),
        "may_play_on": may_play_on(about.loaded, about.seat),
        "moves": about.row.moves,
        "board": about.board(),
        "alt": about.words(),
    }
    return context.written("finished", about.facts() | facts, about.picture(), game_id=about.row.id)


def mention(context: LetterContext) -> Composed:
    about = wanted(context)
    number = context.letter.facts["n"]
    message = db.session.get_one(Message, (about.row.id, number))
    author = db.session.get_one(Person, message.person_id)
    if author.deleted_at is not None:
        raise NotNeeded("deleted")
    if about.access.seat is None:
        raise NotNeeded("not_seated")
    later = select(func.count()).where(
        Message.game_id == about.row.id,
        Message.n > number,
        Message.person_id != context.reader.id,
    )
    facts = {
        "who": author.name,
        "lines": message.text.splitlines(),
        "more": execute(later).scalar_one(),
    }
    return context.written("mention", about.facts() | facts, game_id=about.row.id)


def cancelled(context: LetterContext) -> Composed:
    about = wanted(context)
    seats, host = about.loaded.seats, about.row.host_id
    name = next((seat.name for seat in seats if seat.person_id == host), None)
    return context.written("cancelled", about.facts() | {"host": name}, game_id=about.row.id)


def rematch(context: LetterContext) -> Composed:
    about = wanted(context)
    if about.row.status != Status.open:
        raise NotNeeded("not_open")
    if about.access.seat is not None:
        raise NotNeeded("seated")
    facts = {
        "by": context.letter.facts["by"],
        "clock": clock_words(about.row.clock, context.language),
        "old": context.link(f"/games/{context.letter.facts['of']}"),
    }
    return context.written("rematch", about.facts() | facts, game_id=about.row.id)


def webhook_off(context: LetterContext) -> Composed:
    webhook = db.session.get(Webhook, context.letter.facts["webhook"])
    if webhook is None or webhook.person_id != context.reader.id:
        raise NotNeeded("deleted")
    if webhook.disabled_at is None:
        raise NotNeeded("enabled_again")
    facts = {
        "id": webhook.id,
        "url": webhook.url,
        "gone": context.letter.facts["reason"] == DisabledWhy.gone,
        "reference": context.link("/reference"),
    }
    return context.written("webhook_off", facts)
