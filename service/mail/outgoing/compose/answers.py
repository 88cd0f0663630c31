"""Composition of answers to replies.

The reply was carried out before; what is asked now, who is waited for and whether a move can still
be taken back is found here, from the state at the time of sending.
"""

from engine.contract import Json
from service.games.undoable import undoable_answer
from service.mail.outgoing.compose.context import Composed, LetterContext, NotNeeded
from service.mail.outgoing.compose.digests import (
    games_facts,
    open_questions,
    turn_facts,
    turns_facts,
)
from service.mail.outgoing.compose.game_context import Question, Table
from service.mail.outgoing.compose.turns import asking
from service.notify.notification_rules import ANSWER
from service.notify.preferences import preferences

# What an answer has if the reply, or its part about a game, says nothing of it.
_NOTHING: Json = {"said": [], "happened": [], "refused": None, "code": "", "show": []}
_NOTHING |= {"ask": None, "confirm": None, "played": False, "suggestion": None}
_NO_QUESTION: Json = {"question": None, "changeable": None, "waits": None, "may_change": None}
_NO_QUESTION |= {"results": [], "waiting": None, "wishes": None}
WITHOUT_GAME = ("help", "games")  # what can be shown without a position


def answer(context: LetterContext) -> Composed:
    """The answer to a reply: results or refusal, requested information, and the open question of
    the reader."""
    facts = context.letter.facts
    shown: Json = {name: facts.get(name, nothing) for name, nothing in _NOTHING.items()}
    shown |= _NO_QUESTION
    if "asked_in" in facts and ("results" in facts or "games" not in shown["show"]):
        return _about_several(context, shown)
    games: Json = {}
    lost = context.letter.game_id is None and shown["refused"] is not None
    if lost or "games" in shown["show"]:
        keyed, more = open_questions(context)
        shown["waiting"], games = turns_facts(keyed, more), games_facts(keyed)
    if context.letter.game_id is None:
        _must_be_wanted(context, shown, asks=bool(games))
        known = {"named": None, "link": context.link("/")}
        return context.written(ANSWER, shown | known, games=games)
    about = Table(context, context.letter.game_id)
    if "help" in shown["show"]:
        shown["wishes"] = about.game.preference_labels(
            about.game.all_preferences(), context.language
        )
    composed = _about_game(context, about, shown | about.facts())
    return composed._replace(games=games)


def _must_be_wanted(context: LetterContext, shown: Json, asks: bool) -> None:
    """Raise NotNeeded for a receipt to a reader who wants none."""
    facts = context.letter.facts
    refused = [shown["refused"], *(one.get("refused") for one in facts.get("results", {}).values())]
    if asks or any(refused) or not facts.get("receipt"):
        return
    if not preferences(context.reader.mail).receipts:
        raise NotNeeded("no_receipt")


def _about_game(context: LetterContext, about: Table, shown: Json) -> Composed:
    game_id = about.row.id
    if about.access.seat is None or not about.loaded.begun or about.loaded.frozen:
        shown["show"] = [what for what in shown["show"] if what in WITHOUT_GAME]
        return context.written(ANSWER, shown, game_id=game_id)
    question = _question(about, shown)
    _must_be_wanted(context, shown, asks=question is not None and not question.revising)
    shown |= _state_facts(about, question, shown) | _pages(about, shown["show"])
    if question is not None and not question.revising:
        return asking(context, ANSWER, question, shown)
    answered: Json = {"game_id": game_id}
    if question is not None:
        shown["changeable"] = question.facts()
        answered = question.answered() | {"deadline": None}
    if "board" not in shown["show"]:
        return context.written(ANSWER, shown, **answered)
    return context.written(ANSWER, shown | about.position(), about.picture(), **answered)


def _question(about: Table, shown: Json) -> Question | None:
    """The open decision, or one whose answer may still be changed, after an answer or a refusal."""
    revising = shown["played"] or shown["refused"] is not None or "choices" in shown["show"]
    return about.open_question(revising=revising)


def _state_facts(about: Table, question: Question | None, shown: Json, key: str = "") -> Json:
    """What is true now of a move that was played, and of a question that is asked back. `key` is
    the letter of the game in a letter about several."""
    say, loaded = about.context.say, about.loaded
    facts: Json = {"waits": None, "may_change": None}
    suggestion = shown["suggestion"]
    if suggestion is not None and (question is None or question.decision != suggestion["decision"]):
        facts["ask"] = None
    if not shown["played"]:
        return facts
    if not loaded.running:
        facts["waits"] = say("With that the game is over; the result comes in a mail of its own.")
        return facts
    if question is not None and question.revising:
        facts["may_change"] = _may_choose_again(about, key)
    elif question is not None and undoable_answer(loaded, about.seat):
        facts["may_change"] = (
            say("You can take that back: reply with 'undo %(key)s'.", key=key)
            if key
            else say("You can take that back: reply with 'undo'.")
        )
    if question is None or question.revising:
        waiting = [loaded.names[seat] for seat in about.game.pending(loaded.state)]
        names = about.context.listed(waiting)
        facts["waits"] = say("Now the game waits for %(names)s.", names=names)
    return facts


def _may_choose_again(about: Table, key: str) -> str:
    say = about.context.say
    if not key:
        return say("Until everybody has chosen you can change that: reply with another number.")
    return say(
        "Until everybody has chosen you can change that: reply with another choice, such as "
        "'%(choice)s'.",
        choice=f"{key}2",
    )


def _pages(about: Table, show: list[str]) -> Json:
    """The log and the rules, if the reader asked for them."""
    facts: Json = {}
    if "log" in show:
        facts["log"] = about.log()
    if "rules" in show:
        facts["summary"] = about.game.about(about.context.language).summary
        guide = about.game.guide(about.context.language)
        facts["guide"] = [f"{topic.title}: {topic.text}" for topic in guide]
    return facts


def _about_several(context: LetterContext, shown: Json) -> Composed:
    """The answer to a reply to a letter about several games: what happened in each, and what it
    asks now, with the letters of that letter."""
    facts = context.letter.facts
    results: list[Json] = []
    keyed: dict[str, Question] = {}
    for key, game_id in sorted(facts["asked_in"].items()):
        result = _NOTHING | facts.get("results", {}).get(key, {})
        about = Table(context, game_id)
        seated = about.access.seat is not None and about.loaded.begun and not about.loaded.frozen
        question = _question(about, result) if seated else None
        result |= about.facts() | {"key": key, "turn": None, "waits": None, "may_change": None}
        if question is not None:
            keyed[key] = question
            result["turn"] = turn_facts(key, question)
        if seated:
            result |= _state_facts(about, question, result, key) | _pages(about, result["show"])
            if "board" in result["show"]:
                result |= about.position()
        results.append(result)
    _must_be_wanted(context, shown, asks=any(not one.revising for one in keyed.values()))
    games = games_facts(keyed)
    for result in results:
        game = games.get(result["key"])
        if game is not None:
            game |= {name: result[name] for name in ("suggestion", "confirm")}
    if any("help" in result["show"] for result in results):
        shown["show"] = [*shown["show"], "help"]
    known = {"results": results, "named": None, "link": context.link("/")}
    return context.written(ANSWER, shown | known, games=games)
