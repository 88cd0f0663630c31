"""Sentences of the answers to replies, in the language of the writer.

Every refusal has a code and one sentence: problems of the use cases, errors of the command parser,
and a few that only mails have.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.contract import GameType
from engine.languages import nearest_language
from service.core.i18n import translations_for
from service.mail.inbound.command_types import Word
from service.mail.inbound.vocabulary import MAIL_WORDS
from service.notify.preferences import BATCHED, DAILY, EVERY, OFF, URGENT

LONGEST_QUOTE = 60  # characters of a reply in a sentence
WRITTEN = ("line", "text", "first", "second")  # facts that quote a reply
REPLY = "reply"  # gettext context of command words


class NotDone(Exception):
    """A command that was refused; the facts are for its sentence."""

    def __init__(self, code: str, **facts: Any) -> None:
        super().__init__(code)
        self.code = code
        self.facts = facts


REFUSALS: Mapping[str, str] = {
    # The mail
    "empty": "Above the quoted text your mail says nothing.",
    "unreadable": "Your mail could not be read: there is no text in it that we understand.",
    "two_texts": "Your mail says two different things: one in its text, and another in the form "
    "in which mail programs show it. Nothing was done; please write once more.",
    "other_address": "Your mail came from another address than that of your account. From there "
    "it can only answer the question of the mail it replies to; write from the address to which "
    "our mails go.",
    "wrong_sender": "A reply to one of your mails came from another address than that of your "
    "account, so nothing was done.",
    "given_up": "Something went wrong here with your mail, and nothing of it was done. That is not "
    "your fault. Please write once more, or answer on the page of the game.",
    "which_game": "The mail you replied to is not about one game. Reply to a mail of the game you "
    "mean.",
    "which_letter": "The mail you replied to is about several games. Write the letter of the game "
    "as well, such as 'A2' for choice 2 of game A or 'A board' for its board.",
    # Parsing
    "nothing": "There is no command in your mail.",
    "too_long": "Your mail is too long for commands: at most %(most)d characters.",
    "too_many_lines": "Your mail asks for too much at once: at most %(most)d lines or choices.",
    "not_understood": "'%(line)s' could not be understood, so nothing was done.",
    "no_such_number": "There is no choice %(number)d; they are numbered 1 to %(most)d.",
    "no_list": "The mail you replied to has no list of choices; write the move itself.",
    "number_in_later_step": "'%(line)s' stands for a later move, for which there is no list yet; "
    "write the move itself. Nothing was done.",
    "contradicting": "'%(first)s' and '%(second)s' contradict each other, so nothing was done.",
    "bad_dates": "'%(line)s' names no days that we understand; write them as "
    "'away 24 Dec - 2 Jan'.",
    "ambiguous": "'%(line)s' could mean '%(first)s' or '%(second)s', so nothing was done.",
    "question": "We are a program and cannot answer questions in your own words. 'help' tells what "
    "you can write, 'rules' how the game is played, 'board' shows the board, and 'log' what "
    "happened last.",
    "nothing_to_confirm": "The mail you replied to asked nothing that could be answered with yes "
    "or no.",
    "part_of_talk": "'%(line)s' stands right below '%(word)s' and could belong to it, or be a "
    "command of its own. Leave an empty line between them if it is one. Nothing was done.",
    # The decision
    "nothing_asked": "It is not your turn in this game.",
    "unreadable_move": "'%(text)s' is not a move of this game.",
    "ambiguous_move": "'%(text)s' could mean several moves; write all of it.",
    "illegal_move": "This is not possible now: %(move)s.",
    "not_your_decision": "This was not played, since it is not your turn then: %(move)s.",
    "decision_closed": "What this mail asked is decided.",
    "taken_back": "What this mail asked followed from a step that you have taken back since, so "
    "nothing was done.",
    "closed_by_player": "What this mail asked is decided, as you answered it. %(happened)s",
    "closed_by_plan": "What this mail asked is decided, as you had planned. %(happened)s",
    "closed_by_timeout": "Your time was up before your reply came, and a move was played for you. "
    "%(happened)s",
    "closed_by_bot": "A bot kept your seat and has played for you. %(happened)s",
    "closed_by_auto": "What this mail asked is decided: there was only one possible move. "
    "%(happened)s",
    "nothing_to_undo": "There is no move of yours that could still be taken back.",
    "unreadable_wishes": "'%(text)s' is not a list that we understand, so nothing was done. In "
    "this game you can wish for: %(wishes)s.",
    # The game and the seat
    "game_over": "The game is over; nothing more can be played.",
    "not_running": "The game is not running.",
    "game_frozen": "Something is wrong with what we stored of this game; its clocks stand still "
    "until somebody has looked at it.",
    "board_missing": "The board of this game is not on the server at the moment; nothing is lost, "
    "and it goes on when the file is back.",
    "not_seated": "You have no seat in this game any more.",
    "resigned": "You have resigned from this game and cannot come back.",
    "seat_away": "A bot keeps your seat; write 'back' to take it back first.",
    # Chat, notes, absences
    "too_many_messages": "You have said a lot within an hour; let the others answer first.",
    "message_too_long": "That is too long to be said at the table: at most %(most)d characters.",
    "note_too_long": "Your note would become too long: at most %(most)d characters.",
    "bad_absence": "An absence begins today or later, takes at most %(days)d days and can be "
    "announced a year ahead.",
    "too_many_absences": "You have announced too many absences; take one back on your account's "
    "page first.",
    # Tables and the account
    "no_tables": "The mail you replied to lists no tables. Write 'tables', and reply to the list "
    "that comes.",
    "no_such_table": "There is no table %(number)d in the list; they are numbered 1 to %(most)d.",
    "not_open": "This table is no longer open.",
    "table_full": "All seats of this table are taken.",
    "already_seated": "You have a seat at this table already.",
    "invitation_needed": "This table is only for people whom its host invites.",
    "invitation_over": "The invitation is no longer good: it was used or withdrawn, or it expired.",
    "bad_setup": "Such a table is not possible: %(game)s is for %(seats)s players.",
    "bad_address": "'%(text)s' is not an address to which we can write.",
    "too_many_tables": "You have as many open tables as are allowed; wait until one of them "
    "begins.",
    "too_many_games": "You play as many games as are allowed; finish one before the next.",
    "too_many_invitations": "You have invited as many people as are allowed for now; wait a while.",
    "too_many_joins": "You join tables too often; wait a while.",
    "bad_name": "'%(text)s' cannot be a name: it has 1 to 40 letters, numbers and signs.",
    "unknown_place": "We do not know a time zone for '%(text)s'. Write the name of a large city, "
    "such as 'I live in Lisbon'.",
    "several_zones": "'%(text)s' has several time zones. Write which one is yours, such as "
    "'time zone %(zone)s': %(zones)s.",
    "bad_quiet_hours": "Quiet hours have at most %(hours)d hours; write them as "
    "'quiet hours 22:30 - 7:00'.",
    "failed": "That could not be done.",
}

# Command words that the sentences name.
COMMAND_WORDS = (
    *("say", "note", "takeback", "back", "plan none", "resign", "resign yes", "yes", "no"),
    *MAIL_WORDS.values(),
)

MAIL_CHOICES: Mapping[str, str] = {
    EVERY: "From now on you get a mail for every turn.",
    BATCHED: "From now on you get several turns in one mail, after a while.",
    DAILY: "From now on you get one mail a day with all your turns.",
    URGENT: "From now on you get a mail only when your time runs out or a bot keeps your seat.",
    OFF: "This is 'mail off': from now on you get no mails but answers to yours. 'mail "
    "every turn' lets them come again.",
}
RECEIPTS: Mapping[bool, str] = {
    True: "From now on every reply of yours is answered.",
    False: "From now on a reply that worked is only answered if we ask you something next. "
    "'receipts on' lets all answers come again.",
}


class Words:
    """The sentences of an answer in one language."""

    def __init__(self, language: str) -> None:
        self.language = nearest_language(language)
        self.translations_for = translations_for(language)

    def __call__(self, sentence: str, **facts: Any) -> str:
        said = self.translations_for.gettext(sentence)
        shown = {name: self._fact(name, fact) for name, fact in facts.items()}
        return said % shown if facts else said

    def _fact(self, name: str, fact: Any) -> Any:
        if isinstance(fact, Word):
            return self.translations_for.pgettext(REPLY, fact)
        return _quoted(fact) if name in WRITTEN else fact

    def refusal(self, code: str, facts: Mapping[str, Any]) -> str:
        """The sentence of a refusal."""
        return self(REFUSALS.get(code, REFUSALS["failed"]), **facts)

    def all_wishes(self, game: GameType) -> str:
        """All entries that a preferences list of a game can have."""
        return ", ".join(game.preference_labels(game.all_preferences(), self.language))

    def in_order(self, things: Sequence[str]) -> str:
        """`pigments, else highest`."""
        return self.translations_for.pgettext(REPLY, ", else ").join(things)


def _quoted(text: str) -> str:
    """Text of a reply, shortened for a sentence."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_QUOTE else f"{line[:LONGEST_QUOTE]}.."
