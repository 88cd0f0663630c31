"""Properties of the whole reading, from the raw mail to the command, over random combinations.

Politeness, a signature, a footer, a quote or an attribution around a reply never changes what is
played, except to "ask"; another number always does.
"""

import random

import pytest

from service.mail.inbound.classify import read_mail
from service.mail.inbound.command_parser import read_commands
from service.mail.inbound.command_types import Command, Play, Unclear
from tests.mail.inbound.additions import BANNERS, DEVICE_LINES, FOOTERS, LEGAL_TEXTS, SIGNATURES
from tests.mail.position import CHOICES, GAME, OWN_DOMAIN, TODAY

LABELS = [f"{choice}: 1 point" for choice in CHOICES]
MAILS = 500
LEAST_PLAYED = 0.97  # of replies with nothing but politeness and additions around a number
ANSWERS = (
    *("{n}", "{n}.", "{n}!", "{n} please", "number {n}", "I'll take {n}", "I choose number {n}."),
    *("{n} bitte", "Ich nehme die {n}.", "Nummer {n}", "dann die {n}", "meine Wahl: {n}"),
    *("la {n}", "{n} por favor", "Elijo la {n}.", "me quedo con la {n}", "opción {n}"),
)
GREETINGS = ("", "Hi,", "Hello Laguna,", "Good morning!", "Hallo zusammen,", "Moin", "¡Hola!")
TALK = ("", "Sorry for the delay.", "Viel Spaß noch!", "¡Buena partida!", "Have a nice day!")
CLOSINGS = ("", "Thanks!", "Best regards\nAnna", "Viele Grüße\nKlaus", "Un saludo,\nMarta", "LG")
ATTRIBUTIONS = (
    "On Tue, Nov 4, 2025 at 5:02 PM Laguna <turn+abc@mail.laguna.example> wrote:",
    "Am 04.11.25 um 17:02 schrieb Laguna:",
    "El mar, 4 nov 2025 a las 17:02, Laguna (<turn+abc@mail.laguna.example>) escribió:",
    "Laguna <turn+abc@mail.laguna.example> kirjoitti 4.11.2025 kello 17.02:",
    "4 Kas 2025 Sal 17:02 tarihinde Laguna <turn+abc@mail.laguna.example> şunu yazdı:",
    "2025年11月4日(火) 17:02 Laguna <turn+abc@mail.laguna.example>:",
)
HEAD = (
    "From: Bela <bela@example.net>\nTo: Laguna <turn+abc@mail.laguna.example>\n"
    "Subject: Re: Mille Fiori with Anna\nMessage-ID: <a1@example.net>\nMIME-Version: 1.0\n"
    "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n"
)


def quote(chance: random.Random) -> str:
    """The quoted mail of ours, with its numbers, as programs write it below a reply."""
    lines = ["##- reply above this line -##", "Where does quartz-1 go?"]
    lines += [f"{n}  {label}" for n, label in enumerate(LABELS, start=1)]
    signs = chance.choice(("> ", "> ", "| ", ""))
    return "\n".join((chance.choice(ATTRIBUTIONS), "", *(f"{signs}{line}" for line in lines)))


def addition(chance: random.Random, planted: int) -> str:
    tables = (DEVICE_LINES, FOOTERS, LEGAL_TEXTS, SIGNATURES)
    return chance.choice(chance.choice(tables)).replace("{planted}", str(planted))


def mail(chance: random.Random, answer: str, planted: int) -> bytes:
    """A reply with an answer and, each by chance, everything that may stand around it."""

    def perhaps(text: str) -> str:
        return text if chance.random() < 0.5 else ""

    parts = (
        perhaps(chance.choice(BANNERS).replace("{planted}", str(planted))),
        chance.choice(GREETINGS),
        answer,
        perhaps(chance.choice(TALK)),
        chance.choice(CLOSINGS),
        perhaps(addition(chance, planted)),
        perhaps(quote(chance)),
    )
    return (HEAD + "\n\n".join(filter(None, parts)) + "\n").encode()


def read(raw: bytes) -> list[Command] | None:
    """The commands of a mail; None if it is asked back."""
    reading = read_mail(raw, OWN_DOMAIN)
    try:
        return read_commands(reading.text, GAME, CHOICES, TODAY, labels=LABELS, quote=reading.quote)
    except Unclear:
        return None


def test_nothing_around_an_answer_changes_what_is_played() -> None:
    chance = random.Random(random.randrange(2**32))
    asked = []
    for _ in range(MAILS):
        number, planted = chance.sample(range(1, len(CHOICES) + 1), 2)
        raw = mail(chance, chance.choice(ANSWERS).replace("{n}", str(number)), planted)
        commands = read(raw)
        if commands is None:
            asked.append(raw.decode())
        else:
            assert commands == [Play(((CHOICES[number - 1],),))], raw.decode()
    assert len(asked) <= (1 - LEAST_PLAYED) * MAILS, asked[0]


@pytest.mark.parametrize("answer", ANSWERS)
def test_another_number_is_always_another_move(answer: str) -> None:
    played = [
        read((HEAD + answer.replace("{n}", str(n)) + "\n").encode())
        for n in range(1, len(CHOICES) + 1)
    ]
    assert played == [[Play(((choice,),))] for choice in CHOICES]


@pytest.mark.parametrize(
    "against",
    [
        *("not {n}", "anything but {n}", "{n}?", "maybe {n}", "{n} or {m}", "if possible {n}"),
        *("+{n}",),
        *("nicht die {n}", "{n} oder {m}", "vielleicht {n}", "lieber keine {n}", "falls frei {n}"),
        *("no la {n}", "{n} o {m}", "quizás la {n}", "si puedo la {n}", "menos la {n}"),
        *("Anna takes {n}", "I took {n}", "{n} days", "at {n} pm", "{n}/{m}", "{n} und {m}"),
    ],
)
def test_nothing_around_a_doubtful_answer_plays_it(against: str) -> None:
    chance = random.Random(random.randrange(2**32))
    for _ in range(40):
        number, other, planted = chance.sample(range(1, len(CHOICES) + 1), 3)
        doubtful = against.replace("{n}", str(number)).replace("{m}", str(other))
        assert read(mail(chance, doubtful, planted)) is None, doubtful
