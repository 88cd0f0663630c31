"""Thousands of mails and texts put together at random: nothing raises an exception, and nothing is
played that its writer did not write above the quote.

What was written is judged by a much simpler rule than the grammar's: every move must be there by
its number or by all words of its notation. A quote and a signature with other moves are in every
mail.

Most are drawn by a generator with a fixed seed, which is quick. Of each kind Hypothesis makes some
more, and shows the smallest that fails.
"""

import base64
import binascii
import re
import unicodedata
from collections.abc import Callable, Sequence
from html import escape
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.contract import GameType
from engine.registry import game_type_by_key
from service.mail.inbound.classify import read_mail
from service.mail.inbound.command_parser import read_commands
from service.mail.inbound.command_types import Play, Unclear
from tests.mail.position import CHOICES, GAME, OWN_DOMAIN, TODAY

MAILS, DAMAGED_MAILS, TEXTS, OTHER_TEXTS = 8_500, 900, 7_500, 2_000
MORE_MAILS, MORE_DAMAGED_MAILS, MORE_TEXTS = 500, 100, 500  # by Hypothesis
OFFERED = CHOICES[:4]  # may be written above the quote
PLANTED = CHOICES[4:]  # stand in quotes and signatures only


def is_stated(move: str, text: str, choices: Sequence[str]) -> bool:
    """Whether a move is in a text by its number, by all its words, or by a code of its own, in
    whatever way."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    numbers = {int(found) for found in re.findall(r"[0-9]+", plain)}
    if move in choices and choices.index(move) + 1 in numbers:
        return True
    codes = {
        word
        for word in folded_words(move)
        if sum(word in folded_words(other) for other in choices) == 1
    }
    return words_of(move) <= words_of(plain) or bool(codes & folded_words(plain))


def folded_words(text: str) -> set[str]:
    """Words with a letter and a digit, as "w8"; one that only one choice has names it."""
    found = re.findall(r"[\w-]+", text.casefold())
    return {word for word in found if re.search(r"[0-9]", word) and re.search(r"[a-z]", word)}


def words_of(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+|[0-9]+", text.casefold()))


def check_play(
    read_text: str, written: str, game: GameType = GAME, choices: Sequence[str] = CHOICES
) -> None:
    """Whatever is played after reading a text was written by its writer."""
    try:
        commands = read_commands(read_text, game, choices, TODAY)
    except Unclear:
        return
    plays = [command for command in commands if isinstance(command, Play)]
    assert len(plays) <= 1
    for play in plays:
        for move in (move for step in play.steps for move in step):
            assert is_stated(move, written, choices)
            assert game.format(game.parse(move)) == move


# Texts


class Joined:
    """Up to so many of the pieces, one after the other."""

    def __init__(self, pieces: list[str], between: str, most: int) -> None:
        self.pieces, self.between, self.most = pieces, between, most

    def drawn(self, chance: Random) -> str:
        return self.between.join(chance.choices(self.pieces, k=chance.randint(0, self.most)))

    @property
    def strategy(self) -> st.SearchStrategy[str]:
        return st.lists(st.sampled_from(self.pieces), max_size=self.most).map(self.between.join)


def by_hypothesis(examples: int, **drawn: st.SearchStrategy[Any]) -> Callable[..., Any]:
    """A test of so many examples, the same ones every time."""

    def made(test: Callable[..., None]) -> Callable[..., None]:
        same = settings(max_examples=examples, deadline=None, derandomize=True, database=None)
        return same(given(**drawn)(test))

    return made


WRITTEN = Joined(
    [
        *("1", "2", "3", "#4", "3.", "2)", "3, else 1", "3, sonst 1", "4 si no 2", "3, 1", "1 2"),
        *(OFFERED[0], OFFERED[1].upper(), f"{OFFERED[2]}, else {OFFERED[3]}", f"2. {OFFERED[1]}"),
        *("help", "Hilfe!", "say hello 3", "note 4", "mail daily", "resign", "plan", "board", "99"),
        *("3?", "not 3", "3 or 4", "hello", "Danke", "Best regards", "", "", "away 24 Dec - 2 Jan"),
        *("-- ", "Sent from my iPhone", "Bela", "\u202e21", "1\u200b2", "\uff13", "①", "\ufffd"),
    ],
    "\n",
    4,
)
ANYTHING = Joined(
    [
        *("1", "2", "3", "4", "5", "12", "0", "quartz-1", "W8", "w10", "route", "quartz-1 W13"),
        *(" ", " ", " ", ",", ", ", ";", "\n", "\n\n", ".", ")", "#", "?", "!", "-", "'", '"', "*"),
        *("else", "sonst", "si no", " else ", ", sonst ", "or", "not", "keep", "keep quartz-1"),
        *("plan", "plan none", "say ", "note ", "di ", "resign", " yes", "zurück", "mail "),
        *("daily",),
        *("away ", "24 Dec", "24.12.", " - ", "2/1", " bis ", "2. Januar", "2025-12-24", "hasta "),
        *("workshops", "highest", "Hallo", "LG", "Danke", "\u00a0", "\u200b", "\u202e", "٣"),
        *("\uff13",),
        *("\0", "\x85", "ﷺ", "é", "ß", "İ", "🙂", "\ud800", "nr. ", "number ", "no "),
    ],
    "",
    10,
)


def test_no_text_plays_what_it_does_not_say() -> None:
    chance = Random(1)
    for _ in range(TEXTS):
        text = ANYTHING.drawn(chance)
        check_play(text, text)


# Of a game whose moves have verbs, and numbers that are none of the list.
OTHER_CHOICES = ("take 2", "take 3", "sail A5 A6", "build shop red SD-a1", "sell green 2", "gold")
OTHER = Joined(
    [
        *("1", "2", "3", "17", "take ", "choose ", "sail ", "pass ", "A5 ", "A6", "A12", "gold"),
        *("build shop ", "red ", "SD-a1", "sell ", "green ", "keep", "return ", "blue", "done"),
        *(" ", " ", ", ", ";", "\n", "\n\n", ".", "-", "?", " else ", " sonst ", "not ", "no "),
        *("plan ", "income", "say ", "the ", "la ", "[", "]", "hire", "produce "),
    ],
    "",
    7,
)


def test_no_text_plays_what_it_does_not_say_in_another_game() -> None:
    chance, game = Random(4), game_type_by_key("murano")
    for _ in range(OTHER_TEXTS):
        text = OTHER.drawn(chance)
        check_play(text, text, game, OTHER_CHOICES)


@by_hypothesis(MORE_TEXTS, text=ANYTHING.strategy)
def test_no_text_of_hypothesis_plays_what_it_does_not_say(text: str) -> None:
    check_play(text, text)


# Mails

HEADS = (
    "From: Bela Kovacs <bela@example.net>\nSubject: Re: x\nMessage-ID: <1@example.net>\n",
    "From: =?utf-8?b?QsOpbGE=?= <bela@example.net>\nSubject: =?x-no?q?=GG?=\nReceived: from x\n",
    "Subject:\nFrom:\nX-Long: " + "x" * 3000 + "\n",
    "from: a@b, c@d\nSUBJECT: a\n\tb\nX-Auto-Response-Suppress: All\n",
)
ATTRIBUTIONS = (
    "On Tue, Nov 4, 2025 at 5:02 PM Laguna <turn+x@mail.laguna.example> wrote:",
    "Am 04.11.25 um 17:02 schrieb Laguna:",
    "El 4/11/25 a las 17:02, Laguna\nescribió:",
    "-----Original Message-----\nFrom: Laguna\nSent: today\nSubject: x",
    "________________________________\nFrom: Laguna",
    "Von: Laguna\nGesendet: heute\nBetreff: x",
)
QUOTE = ("##- reply above this line -##", *PLANTED, "5", "7", "-- ", "Laguna", PLANTED[0])
CHARSETS = ("utf-8", "us-ascii", "iso-8859-1", "utf-16", "x-unknown", "", "utf-7", "base64")
ENCODINGS = ("8bit", "base64", "quoted-printable", "7bit", "x-uuencode", "")


def plain_body(written: str, quote: int, signature: bool) -> str:
    """A text as programs write replies: own words, perhaps a signature, a quote below."""
    signed = f"\n\n-- \nBela\n{PLANTED[1]}\n6\n" if signature else "\n\n"
    marked = quote < 3
    lines = "\n".join(f"> {line}" if marked else line for line in QUOTE)
    return f"{written}{signed}{ATTRIBUTIONS[quote]}\n\n{lines}\n"


def html_body(written: str, quote: int, signature: bool) -> str:
    own = "".join(f"<div>{escape(line) or '<br>'}</div>" for line in written.split("\n"))
    inside = "<br>".join(map(escape, QUOTE))
    signed = f'<div class="gmail_signature">{PLANTED[1]}<br>6</div>' if signature else ""
    around = (
        f'<div class="gmail_quote">{inside}</div>',
        f'<blockquote type="cite">{inside}</blockquote>',
        f'<div id="appendonsend"></div><div id="divRplyFwdMsg">{inside}</div>{inside}',
        f'<div style="border:none;border-top:solid #E1E1E1 1.0pt"><b>From:</b></div>{inside}',
        f'<div id="yahoo_quoted_1" class="yahoo_quoted">{inside}</div>',
        f'<div name="quote"><b>Von:</b>{inside}</div><style>{PLANTED[0]}</style>',
    )
    return f"<html><body>{own}{signed}<div hidden>{PLANTED[2]}</div>{around[quote]}</body></html>"


def encoded(text: str, charset: str, encoding: str) -> bytes:
    data = text.encode("utf-16" if charset == "utf-16" else "utf-8", "replace")
    if encoding == "base64":
        return base64.encodebytes(data)
    return binascii.b2a_qp(data) if encoding == "quoted-printable" else data


def leaf(kind: str, text: str, charset: str, encoding: str, extra: str = "") -> bytes:
    head = f"Content-Type: {kind}; charset={charset}\nContent-Transfer-Encoding: {encoding}\n"
    return head.encode() + extra.encode() + b"\n" + encoded(text, charset, encoding)


def around(subtype: str, boundary: str, *parts: bytes) -> bytes:
    head = f'Content-Type: multipart/{subtype}; boundary="{boundary}"\n\n'.encode()
    inner = b"".join(b"--" + boundary.encode() + b"\n" + part + b"\n" for part in parts)
    return head + inner + b"--" + boundary.encode() + b"--\n"


FILE = leaf("text/plain", PLANTED[3], "utf-8", "8bit", "Content-Disposition: attachment\n")
MAIL = b"Content-Type: message/rfc822\n\nSubject: x\n\n" + PLANTED[3].encode() + b"\n"


def entity(shape: int, text: bytes, page: bytes) -> bytes:
    """A body in one of many structures, with files and mails inside that are not to be read."""
    both = around("alternative", "alt", text, page)
    return (
        text,
        page,
        both,
        around("mixed", "mix", both, FILE),
        around("mixed", "mix", MAIL, text),
        around("signed", "sig", text, FILE),
        around("related", "rel", around("mixed", "mix", around("mixed", "in", both), MAIL), FILE),
        around("mixed", "mix", FILE, MAIL, page),
        around("x-new", "mix=_?", text),
    )[shape]


SHAPES = 9
FORMS = [
    (head, shape, quote, signature, charset, encoding)
    for head in range(len(HEADS))
    for shape in range(SHAPES)
    for quote in range(len(ATTRIBUTIONS))
    for signature in (False, True)
    for charset in CHARSETS
    for encoding in ENCODINGS
]


def message(written: str, form: int) -> bytes:
    head, shape, quote, signature, charset, encoding = FORMS[form]
    text = leaf("text/plain", plain_body(written, quote, signature), charset, encoding)
    page = leaf("text/html", html_body(written, quote, signature), charset, encoding)
    return HEADS[head].encode() + b"MIME-Version: 1.0\n" + entity(shape, text, page)


FORM = st.integers(0, len(FORMS) - 1)


def check_mail(written: str, form: int) -> None:
    reading = read_mail(message(written, form), OWN_DOMAIN)
    assert reading.reason != "broken"
    assert not any(move in reading.text for move in PLANTED)
    check_play(reading.text, written)


def test_no_mail_plays_what_its_writer_did_not_write() -> None:
    chance = Random(2)
    for _ in range(MAILS):
        check_mail(WRITTEN.drawn(chance), chance.randrange(len(FORMS)))


@by_hypothesis(MORE_MAILS, written=WRITTEN.strategy, form=FORM)
def test_no_mail_of_hypothesis_plays_what_its_writer_did_not_write(written: str, form: int) -> None:
    check_mail(written, form)


Cuts = list[tuple[int, bytes]]


def check_damaged(written: str, form: int, cuts: Cuts, end: int) -> None:
    raw = message(written, form)
    for place, junk in cuts:
        raw = raw[:place] + junk + raw[place + len(junk) :]
    reading = read_mail(raw[:end], OWN_DOMAIN)
    assert reading.reason != "broken"
    check_play(reading.text, reading.text)


def test_a_damaged_mail_is_read_somehow() -> None:
    chance = Random(3)
    for _ in range(DAMAGED_MAILS):
        count = chance.randint(0, 5)
        cuts = [
            (chance.randint(0, 3000), chance.randbytes(chance.randint(0, 6))) for _ in range(count)
        ]
        form, end = chance.randrange(len(FORMS)), chance.randint(0, 4000)
        check_damaged(WRITTEN.drawn(chance), form, cuts, end)


@by_hypothesis(
    MORE_DAMAGED_MAILS,
    written=WRITTEN.strategy,
    form=FORM,
    cuts=st.lists(st.tuples(st.integers(0, 3000), st.binary(max_size=6)), max_size=5),
    end=st.integers(0, 4000),
)
def test_a_damaged_mail_of_hypothesis_is_read_somehow(
    written: str, form: int, cuts: Cuts, end: int
) -> None:
    check_damaged(written, form, cuts, end)
