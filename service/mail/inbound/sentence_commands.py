"""Sentence stage: commands as people say them, "show me the board" and "I am away until Friday".

The tables are in `sentence_patterns`. An absence and the end of all mails are read only where the
sentence is all of the reply. With a question mark, only what shows something is a command.
"""

import re
from collections.abc import Iterable
from datetime import date

from service.mail.inbound.choice_words import QUESTION_STARTS
from service.mail.inbound.command_types import Away, Command, MailChoice, Show, ShowPlan, Unclear
from service.mail.inbound.date_parser import read_days
from service.mail.inbound.move_parser import quoted
from service.mail.inbound.sentence_patterns import (
    ASKED_FOR,
    AWAY,
    FUERA,
    GONE,
    MAILS,
    SENTENCES,
    THINGS,
    WEG,
    WHOLE_REPLIES,
)
from service.mail.inbound.vocabulary import COMMANDS, NO_MORE_MAILS, UNTIL
from service.mail.inbound.word_forms import bare, matches, sentence_pattern
from service.notify.preferences import OFF

LONGEST = 160  # characters of a sentence
_QUESTION_MARKS = ("?", "\u00bf")
_SENTENCES = [
    *((command, sentence_pattern(table, mail=MAILS)) for command, table in SENTENCES.items()),
    *((command, sentence_pattern(ASKED_FOR, things=names)) for command, names in THINGS.items()),
]
_WHOLE_REPLIES = [
    (command, sentence_pattern(table, mail=MAILS)) for command, table in WHOLE_REPLIES.items()
]
_AWAY = [
    sentence_pattern(sentence, gone=GONE, weg=WEG, fuera=FUERA)
    for sentence in AWAY.strip().splitlines()
]
# "away from home" names no days, "away until next week" tries to.
_DAYS_FOLLOW = (*UNTIL, "from", "for", "vom", "von", "ab", "fuer", "del", "desde", "por", "durante")


def read_sentence(text: str) -> Command | None:
    """The command that a sentence says, wherever in a reply it stands."""
    spoken = bare(text)
    if len(spoken) > LONGEST:
        return None
    command = COMMANDS.get(spoken.replace(",", "")) or _first_match(spoken, _SENTENCES)
    if any(mark in text for mark in _QUESTION_MARKS) and not isinstance(command, Show | ShowPlan):
        return None
    return command


def read_whole_reply(text: str, today: date) -> Command | None:
    """The command of a sentence that is all of a reply; raises Unclear for days that could be
    others."""
    spoken = bare(text)
    if len(spoken) > LONGEST or any(mark in text for mark in _QUESTION_MARKS):
        return None
    if spoken in NO_MORE_MAILS:
        return MailChoice(OFF)
    return _first_match(spoken, _WHOLE_REPLIES) or _absence(spoken, text, today)


def _first_match(spoken: str, table: Iterable[tuple[Command, re.Pattern[str]]]) -> Command | None:
    return next((command for command, pattern in table if matches(pattern, spoken)), None)


def _absence(spoken: str, text: str, today: date) -> Away | None:
    unclear: Unclear | None = None
    for pattern in _AWAY:
        match = matches(pattern, spoken)
        if match is None:
            continue
        days = match[1].strip(" ,")
        try:
            return read_days(days, quoted(text), today)
        except Unclear as error:
            if error.code != "bad_dates" or days.startswith(_DAYS_FOLLOW):
                unclear = unclear or error
    if unclear is not None:
        raise unclear
    return None


def is_question(text: str) -> bool:
    """Whether a text asks us something, in more than a number."""
    words = [word for word in bare(text).split() if word.isalpha()]
    if any(mark in text for mark in _QUESTION_MARKS):
        return len(words) > 1
    return len(words) > 1 and matches(QUESTION_STARTS, bare(text)) is not None
