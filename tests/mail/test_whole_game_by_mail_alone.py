"""A stranger starts, plays and ends a whole game against a bot, and uses nothing but mail.

Mails come in by LMTP and leave by SMTP, over real sockets. The stranger reads the text of each mail
and answers as people do; the database is read only to compare what was wanted with what was played.
"""

import random
import re
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import select

from engine.contract import GameType
from engine.registry import GAME_TYPES, game_type_by_key
from service.db.models import Credential, Game, Incoming, Letter, Move
from service.db.session import db
from service.games import tables
from tests.mail.letterbox import Letterbox, text_of
from tests.mail.test_game_by_mail import DOMAIN, open_for_mail

ZOE = "zoe@example.net"
MOST_ROUNDS = 1000  # then something is wrong
CHANGEABLE = ("reply with 'undo'", "you can change that")
NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
LISTED = re.compile(r"^ *([0-9]+)  (\S.*)$", re.MULTILINE)

pytestmark = pytest.mark.usefixtures("without_pictures")


@pytest.fixture(autouse=True)
def _same_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    """The chance of the game depends on the seed of the test run, as Zoe's choices do."""
    monkeypatch.setattr(tables, "secrets", SimpleNamespace(token_bytes=random.randbytes))


class Zoe:
    """Somebody at her mail program, and the moves that she wants."""

    def __init__(self, box: Letterbox, game: GameType) -> None:
        self.box, self.game = box, game
        self.random = random.Random(random.randrange(2**32))
        self.wanted: dict[str, str] = {}  # moves by decision
        self.written = self.asked_back = self.taken_back = 0
        self.ways_used: set[str] = set()
        self.mails: list[EmailMessage] = []

    def writes(self, write: Callable[[], object]) -> EmailMessage:
        """The answer to a mail: the first that follows from it."""
        write()
        self.written += 1
        self.box.works()
        found = self.box.new_mails(ZOE)
        assert found, "every mail gets an answer"
        self.mails += found
        return found[0]

    def replies(self, mail: EmailMessage, text: str) -> EmailMessage:
        return self.writes(lambda: self.box.replies(mail, text))

    def letter(self, mail: EmailMessage) -> Letter:
        number = str(mail["Message-ID"]).strip("<>").partition(".")[0]
        with self.box.site.app.app_context():
            db.session.remove()
            return db.session.get_one(Letter, number)

    def rows(self, model: Any) -> list[Any]:
        with self.box.site.app.app_context():
            db.session.remove()
            return list(db.session.scalars(select(model)).all())

    def question(self) -> EmailMessage | None:
        """The last mail, if it asks for a move that Zoe has not chosen yet."""
        for mail in reversed(self.mails):
            decision = self.letter(mail).decision
            if decision is not None and "Reply with a number" in text_of(mail):
                return mail if decision not in self.wanted else None
        return None

    def answers(self, mail: EmailMessage) -> None:
        """Answer a question: once in doubtful words, once with a change of mind."""
        number = self.chosen(mail)
        if not self.asked_back:
            mail = self.asks_back(mail, number)
            answer = self.replies(mail, "Yes, please!")
        else:
            answer = self.replies(mail, self.words(mail, number))
        self.notes(mail, number)
        if not self.taken_back and any(words in spoken(answer) for words in CHANGEABLE):
            self.takes_back(answer, self.letter(mail).decision)

    def asks_back(self, mail: EmailMessage, number: int) -> EmailMessage:
        answer = self.replies(mail, f"Hm, {number} looks tasty")
        assert f"Did you mean {number}: " in spoken(answer)
        assert self.letter(answer).decision == self.letter(mail).decision
        self.asked_back += 1
        return answer

    def takes_back(self, mail: EmailMessage, decision: str | None) -> None:
        """Take the last step back, and play another."""
        assert decision is not None
        first = self.wanted[decision]
        again = self.replies(mail, "undo")
        letter = self.letter(again)
        assert letter.decision == decision, "the decision is open again"
        choices = letter.facts["choices"]
        assert first in choices
        number = next(n for n, move in enumerate(choices, 1) if move.split(";")[0] != first)
        self.replies(again, self.words(again, number))
        self.notes(again, number)
        assert self.wanted[decision] != first
        self.taken_back += 1

    def chosen(self, mail: EmailMessage) -> int:
        """The number of a move, mostly one of the best, or some games would take very long."""
        listed = [int(number) for number, _ in LISTED.findall(text_of(mail))]
        assert 1 in listed, text_of(mail)
        return self.random.choice(listed if self.random.random() < 0.2 else listed[:2])

    def words(self, mail: EmailMessage, number: int) -> str:
        """A choice in one of many ways."""
        choices: list[str] = self.letter(mail).facts["choices"]
        ways = {
            "number": f"{number}",
            "please": f"{number} please",
            "notation": choices[number - 1],
        }
        if number <= len(NUMBERS):
            ways["word"] = f"number {NUMBERS[number - 1]}"
        if (line := whole_line(text_of(mail), number)) is not None:
            ways["copied"] = line
        if any(re.fullmatch(r"[a-z]+ [0-9]+", move) for move in choices):
            ways["notation"] = f"{number}. {choices[number - 1]}"  # "take 3" may be choice 3
        else:
            ways["german"] = f"Ich nehme die {number}, danke!\n\nLG Zoe"
        way = self.random.choice(sorted(ways))
        self.ways_used.add(way)
        return ways[way]

    def notes(self, mail: EmailMessage, number: int) -> None:
        letter = self.letter(mail)
        self.wanted[str(letter.decision)] = letter.facts["choices"][number - 1].split(";")[0]

    def played(self) -> dict[str, str]:
        """The moves that were played as answers of hers, by decision."""
        game = game_type_by_key(self.game.meta.key)
        return {
            move.decision: game.format(game.move_from_json(move.move))
            for move in self.rows(Move)
            if move.via == "player"
        }

    def is_over(self) -> bool:
        [game] = self.rows(Game)
        return bool(game.status != "running")


def spoken(mail: EmailMessage) -> str:
    """The text without its line breaks."""
    return " ".join(text_of(mail).split())


def whole_line(text: str, number: int) -> str | None:
    """The line of a choice as it stands in the mail; None if it goes on in the next line."""
    found = re.search(rf"^ *{number}  \S.*$(?!\n     )", text, re.MULTILINE)
    return None if found is None else found.group()


@pytest.mark.long
@pytest.mark.parametrize("game", GAME_TYPES, ids=lambda game: str(game.meta.key))
def test_a_stranger_plays_a_whole_game_by_mail_alone(
    game: GameType, sqlite_url: str, tmp_path: Path
) -> None:
    with open_for_mail(tmp_path, sqlite_url) as (site, sink, port):
        box = Letterbox(site, sink, port, DOMAIN)
        zoe = Zoe(box, game)
        asks = zoe.writes(lambda: box.sends(ZOE, f"play {game.meta.title} with 1 bot", name="Zoe"))
        zoe.replies(asks, "yes")
        for _ in range(MOST_ROUNDS):
            if zoe.is_over():
                break
            if (question := zoe.question()) is not None:
                zoe.answers(question)
            assert site.let_bots_play() or zoe.question() or zoe.is_over(), "somebody is asked"
            box.works()
            zoe.mails += box.new_mails(ZOE)
        assert zoe.is_over()
        check(zoe)


def check(zoe: Zoe) -> None:
    """Everything was played as it was wanted, was answered, and ended with the result."""
    assert zoe.played() == zoe.wanted
    assert (zoe.asked_back, zoe.taken_back) == (1, 1)
    assert len(zoe.ways_used) >= 5, zoe.ways_used
    mails = zoe.rows(Incoming)
    assert len(mails) == zoe.written
    assert {mail.via for mail in mails} == {"lmtp"}
    assert [mail.reason for mail in mails if mail.reason] == ["asked", "refused"]
    letters = zoe.rows(Letter)
    assert [letter.error for letter in letters if letter.error] == []
    assert [letter.kind for letter in letters].count("finished") == 1
    assert zoe.letter(zoe.mails[-1]).kind == "finished"
    assert zoe.rows(Credential) == [], "she never signed in"


def test_two_games_are_played_by_one_reply_to_the_mail_of_the_day(
    sqlite_url: str, tmp_path: Path
) -> None:
    game = GAME_TYPES[0]
    with open_for_mail(tmp_path, sqlite_url) as (site, sink, port):
        box = Letterbox(site, sink, port, DOMAIN)
        zoe = Zoe(box, game)
        start = f"play {game.meta.title} with 1 bot"
        asks = zoe.writes(lambda: box.sends(ZOE, start))
        first = zoe.replies(asks, "yes")
        second = zoe.writes(lambda: box.sends(ZOE, start))
        assert "one mail a day" in spoken(zoe.replies(second, "mail daily"))
        for turn in (first, second):
            zoe.replies(turn, "1")
        site.let_bots_play()
        site.clock.advance(days=1)
        box.works()
        [digest] = box.new_mails(ZOE)
        asked = zoe.letter(digest).facts["games"]
        assert sorted(asked) == ["A", "B"]
        zoe.replies(digest, "A1\nB2")
        played = {(move.game_id, move.decision): move for move in zoe.rows(Move)}
        for key, number in (("A", 1), ("B", 2)):
            question = asked[key]
            move = played[question["game_id"], question["decision"]]
            wanted = question["choices"][number - 1].split(";")[0]
            assert game.format(game.move_from_json(move.move)) == wanted
