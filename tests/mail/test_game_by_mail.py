"""Whole games in which nobody opens anything but their mail program.

Mails leave by SMTP and replies come in by LMTP, over real sockets; what the worker does is done in
between. Each of the four players has a way of their own to answer.
"""

import random
import re
import smtplib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from engine.chance import Chance, seed_from_text
from engine.contract import GameType
from engine.errors import Unreadable
from engine.registry import GAME_TYPES
from service.core.config import MailSource
from service.db.models import Decision, Game, Incoming, Letter, LetterState, Move
from service.db.session import db, transact
from service.mail.inbound.processor import process_some
from service.mail.inbound.smtp_server import Listeners, listening_socket
from service.mail.outgoing.compose import NotNeeded, compose
from service.mail.outgoing.sender import send_letters
from service.notify.letter_planner import plan_letters
from tests.mail.correspondent import german_reply, gmail_reply, outlook_reply, plain_reply
from tests.support.site import Site, settings_for
from tests.worker.sink import Mail, Sink

MOST = 50
PLAYERS = ("Nina", "Otto", "Greta", "Hugo")  # by number, by notation, in German, in HTML
MOST_ROUNDS = 1000  # then something is wrong
SECRETS_COMPARED_EVERY = 9
DOMAIN = "laguna.example"
PREMOVE = " then "


class Post:
    """The game, the mail servers on both sides, and the four at their mail programs."""

    def __init__(self, site: Site, game: GameType, sink: Sink, port: int) -> None:
        self.site, self.game, self.sink, self.port = site, game, sink, port
        self.random = random.Random(random.randrange(2**32))
        self.players = site.people(*PLAYERS)
        self.people = [player.id() for player in self.players]
        changed = self.players[2].patch("/v1/me", {"language": "de"}, headers={"If-Match": "*"})
        assert changed.status_code == 200
        self.id = site.game_of(*self.players, game=game.meta.key)
        self.read = 0
        self.answered: set[str] = set()  # decisions
        self.confirming: set[str] = set()  # letters that only let an answer be changed
        self.words_used: Counter[str] = Counter()
        self.imagined = 0  # positions that differ in nothing but secrets

    def works(self) -> None:
        """What the worker does about mails out."""
        with self.site.app.app_context():
            while plan_letters(self.site.clock(), MOST):
                pass
            send_letters()

    def processes(self) -> None:
        with self.site.app.app_context():
            while process_some(self.site.clock(), MOST):
                pass

    def new_mails(self) -> list[Mail]:
        """What arrived since the last look."""
        found = self.sink.mails[self.read :]
        self.read += len(found)
        return found

    def letter(self, mail: Mail) -> Letter:
        number = mail.id.strip("<>").partition(".")[0]
        with self.site.app.app_context():
            return db.session.scalars(select(Letter).where(Letter.id == number)).one()

    def answers(self, mail: Mail) -> bool:
        """Whoever got this mail answers it, if it asks something."""
        letter = self.letter(mail)
        if letter.decision is None:
            return False
        if letter.decision in self.answered and letter.kind == "answer":
            self.confirming.add(letter.id)
            return False
        self.answered.add(letter.decision)
        message = message_from_bytes(mail.raw, policy=default)
        assert isinstance(message, EmailMessage)
        name = mail.to.partition("@")[0].capitalize()
        reply = _WAYS[PLAYERS.index(name)](self, letter, message)
        with smtplib.LMTP("127.0.0.1", self.port) as server:
            server.sendmail(mail.to, [str(message["Reply-To"])], reply.as_bytes())
        return True

    def chosen(self, letter: Letter, premoves: bool = False) -> int:
        """The place in the list of what somebody wants, from 0: mostly one of the best, or some
        games would take very long. Choices that carry a premove come last."""
        texts = letter.facts["choices"]
        plain = [place for place, text in enumerate(texts) if PREMOVE not in text]
        if premoves and len(plain) < len(texts) and self.random.random() < 0.3:
            return self.random.randrange(len(plain), len(texts))
        return self.random.choice(plain if self.random.random() < 0.2 else plain[:2])

    def status(self) -> str:
        with self.site.app.app_context():
            return str(db.session.scalar(select(Game.status).where(Game.id == self.id)))

    def rows(self, model: Any) -> list[Any]:
        with self.site.app.app_context():
            return list(db.session.scalars(select(model)).all())

    def compares_secrets(self) -> None:
        """What others keep secret changes nothing in the letters that are about to be sent."""
        with self.site.app.app_context():
            waiting = db.session.execute(
                select(Letter.__table__).where(Letter.next_try_at.is_not(None))
            ).all()
            stored = str(db.session.scalar(select(Game.state).where(Game.id == self.id)))
        state = self.game.load(stored)
        for letter in waiting:
            seat = self.people.index(letter.person_id)
            chance = Chance(seed_from_text(str(self.random.random())), "imagined")
            other = self.game.imagine(state, (seat,), chance, seat, None)
            true = self.composed(letter)
            self.imagined += self.game.dump(other) != stored
            self.store(self.game.dump(other))
            assert self.composed(letter) == true
            self.store(stored)

    def composed(self, letter: Any) -> Any:
        with self.site.app.app_context():
            try:
                return compose(letter, self.site.clock())
            except NotNeeded as needless:
                return needless.reason

    def store(self, state: str) -> None:
        with self.site.app.app_context():
            changed = update(Game).where(Game.id == self.id).values(state=state)
            transact(lambda: db.session.execute(changed))


def text_of(message: EmailMessage, kind: str) -> str:
    body = message.get_body((kind,))
    assert body is not None
    return str(body.get_content())


def by_number(post: Post, letter: Letter, message: EmailMessage) -> EmailMessage:
    number = post.chosen(letter, premoves=True) + 1
    text = post.random.choice((f"{number}", f"{number}.", f"  #{number}\n", f"{number}, else 1"))
    return plain_reply(text, letter.to, str(message["Reply-To"]), text_of(message, "plain"))


def by_notation(post: Post, letter: Letter, message: EmailMessage) -> EmailMessage:
    place = post.chosen(letter)
    move = letter.facts["choices"][place]
    text = post.random.choice((move, move.upper(), f"{move}."))
    if re.fullmatch(r"[a-z]+ [0-9]+", move):  # "take 3" might also be choice 3
        text = f"{place + 1}. {move}"
    return plain_reply(text, letter.to, str(message["Reply-To"]), text_of(message, "plain"))


def in_german(post: Post, letter: Letter, message: EmailMessage) -> EmailMessage:
    """A choice in the words in which the mail lists it, or by its number and another one's."""
    quoted, place = text_of(message, "plain"), post.chosen(letter)
    move = letter.facts["choices"][place]
    listed = re.search(rf"^ *{place + 1} +(\S.*)$", quoted, re.MULTILINE)
    assert listed is not None, quoted
    words = re.split(r"[:(]", listed.group(1))[0].strip()
    text = f"{place + 1}, sonst 1"
    if post.random.random() < 0.7 and means(post.game, words, move):
        text = words
        post.words_used[words.split()[0]] += 1
    return german_reply(text, letter.to, str(message["Reply-To"]), quoted)


def means(game: GameType, words: str, move: str) -> bool:
    """Whether these words are all of a move; a list may also shorten one."""
    try:
        return game.format(game.parse(words)) == move
    except Unreadable:
        return False


def in_html(post: Post, letter: Letter, message: EmailMessage) -> EmailMessage:
    shaped: Callable[..., EmailMessage] = post.random.choice((gmail_reply, outlook_reply))
    place = post.chosen(letter)
    text = f"{place + 1}"
    if post.random.random() < 0.5:
        text += f". {letter.facts['choices'][place]}"
    return shaped(text, letter.to, str(message["Reply-To"]), text_of(message, "html"))


_WAYS: tuple[Callable[[Post, Letter, EmailMessage], EmailMessage], ...] = (
    by_number,
    by_notation,
    in_german,
    in_html,
)


@contextmanager
def open_for_mail(folder: Path, url: str) -> Iterator[tuple[Site, Sink, int]]:
    """A site that sends mails to a server and takes replies on a port."""
    sock = listening_socket(MailSource("lmtp", "127.0.0.1", 0, "", "", ""))
    port = sock.getsockname()[1]
    with Sink() as sink:
        settings = settings_for(
            folder,
            url,
            smtp_url=sink.url,
            mail_in=(f"lmtp://127.0.0.1:{port}",),
            mail_from=f"Laguna <laguna@{DOMAIN}>",
            mail_domain=DOMAIN,
            mail_delay=0,
        )
        site = Site(settings)
        with Listeners(site.app, [("lmtp", sock)]):
            yield site, sink, port
        with site.app.app_context():
            db.session.remove()
            db.engine.dispose()


@pytest.mark.long
@pytest.mark.parametrize("game", GAME_TYPES, ids=lambda game: str(game.meta.key))
def test_four_people_play_a_whole_game_by_nothing_but_mail(
    game: GameType, sqlite_url: str, tmp_path: Path
) -> None:
    with open_for_mail(tmp_path, sqlite_url) as (site, sink, port):
        post = Post(site, game, sink, port)
        for played in range(MOST_ROUNDS):
            if post.status() != "running":
                break
            site.clock.advance(minutes=3)
            with site.app.app_context():
                plan_letters(site.clock(), MOST)
            if played % SECRETS_COMPARED_EVERY == 0:
                post.compares_secrets()
            post.works()
            site.clock.advance(minutes=3)
            answered = [post.answers(mail) for mail in post.new_mails()]
            assert any(answered), "somebody is asked"
            post.processes()
        assert post.status() == "finished"
        site.clock.advance(minutes=3)
        post.works()
        check(post)


def check(post: Post) -> None:
    """Everything was asked once, answered once, by its player and in time; and all know the end."""
    decisions = post.rows(Decision)
    assert {decision.via for decision in decisions} <= {"player", "plan"}
    answered = [decision for decision in decisions if decision.via == "player"]
    moves = Counter(move.decision for move in post.rows(Move))
    assert all(moves[decision.id] == 1 for decision in decisions)
    letters = post.rows(Letter)
    told = [letter for letter in letters if letter.state == LetterState.sent]
    closed = {decision.id: decision.closed_at for decision in decisions}
    asking = [
        letter
        for letter in told
        if letter.decision is not None and letter.id not in post.confirming
    ]
    for letter in asking:
        assert letter.sent_at < closed[letter.decision], "a mail about what was decided"
    asked = {decision.id: 1 for decision in answered}
    assert Counter(letter.decision for letter in asking) == asked
    assert not [
        (letter.kind, letter.error)
        for letter in letters
        if letter.state not in (LetterState.sent, LetterState.skipped)
    ]
    answers = [letter for letter in letters if letter.kind == "answer"]
    assert [answer.facts["refused"] for answer in answers if answer.facts["refused"]] == []
    mails = post.rows(Incoming)
    assert len(mails) == len(answers) == len(answered)
    assert {(mail.state, mail.reason, mail.via) for mail in mails} == {("done", None, "lmtp")}
    assert {letter.to for letter in told if letter.kind == "finished"} == {
        f"{name.lower()}@example.org" for name in PLAYERS
    }
    last = [mail for mail in post.sink.mails if post.letter(mail).kind == "finished"]
    assert len(last) == len(PLAYERS)
    assert sum(post.words_used.values()) > 5, "German words were used"
    assert post.imagined > 5, "there was something to compare"
