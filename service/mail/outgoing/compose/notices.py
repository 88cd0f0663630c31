"""Letters that tell something and ask nothing."""

from sqlalchemy import bindparam, func, select

from engine.options import option_words
from service.core.formatting import clock_words
from service.db.models import Message, Person, Status, Webhook
from service.db.models.events_webhooks import DisabledWhy
from service.db.session import execute, table
from service.games.early_end import may_play_on
from service.mail.outgoing.compose.context import Composed, LetterContext, NotNeeded
from service.mail.outgoing.compose.game_context import wanted

_PERSON, _MESSAGE, _WEBHOOK = (table(model) for model in (Person, Message, Webhook))
_SAID = (
    select(_MESSAGE.c.text, _PERSON.c.name, _PERSON.c.deleted_at)
    .select_from(_MESSAGE.join(_PERSON, _PERSON.c.id == _MESSAGE.c.person_id))
    .where(_MESSAGE.c.game_id == bindparam("game"), _MESSAGE.c.n == bindparam("number"))
)
_SAID_SINCE = (
    select(func.count().label("count"))
    .select_from(_MESSAGE)
    .where(
        _MESSAGE.c.game_id == bindparam("game"),
        _MESSAGE.c.n > bindparam("number"),
        _MESSAGE.c.person_id != bindparam("reader"),
    )
)
_SWITCHED_OFF = select(_WEBHOOK.c.url, _WEBHOOK.c.disabled_at).where(
    _WEBHOOK.c.id == bindparam("webhook"), _WEBHOOK.c.person_id == bindparam("person")
)


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
        "shared": len(result.winners) > 1,
        "best": max(result.scores),
        "own": result.scores[about.seat],
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
    said = execute(_SAID, {"game": about.row.id, "number": context.letter.facts["n"]}).one()
    if said.deleted_at is not None:
        raise NotNeeded("deleted")
    if about.access.seat is None:
        raise NotNeeded("not_seated")
    since = {"game": about.row.id, "number": context.letter.facts["n"], "reader": context.reader.id}
    facts = {
        "who": said.name,
        "lines": said.text.splitlines(),
        "more": execute(_SAID_SINCE, since).one().count,
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
    webhook = context.letter.facts["webhook"]
    found = execute(_SWITCHED_OFF, {"webhook": webhook, "person": context.reader.id}).one_or_none()
    if found is None:
        raise NotNeeded("deleted")
    if found.disabled_at is None:
        raise NotNeeded("enabled_again")
    gone = context.letter.facts["reason"] == DisabledWhy.gone
    facts = {"id": webhook, "url": found.url, "gone": gone, "reference": context.link("/reference")}
    return context.written("webhook_off", facts)
