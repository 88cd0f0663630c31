"""`laguna mail explain`: what each stage of reading takes off a mail."""

import io
import sys
from pathlib import Path

import pytest

from tests.mail.position import CHOICES
from tests.support.commands import Said, set_environment
from tests.support.incoming import arrives, incoming, mail, our_address, sent_letter
from tests.support.site import Site

REPLY = (
    "2\n\nSent from my iPhone\n\nOn Tue, 4 Nov 2025 at 17:02, Laguna <turn+x@example.org> wrote:\n"
    "> 3. quartz-1 W13\n"
)
OPTIONS = ("--game", "millefiori", "--choice", CHOICES[0], "--choice", CHOICES[1])


@pytest.fixture
def said(
    site: Site,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> Said:
    set_environment(monkeypatch, site.settings.database_url, tmp_path / "data")
    return Said(capsys)


def test_a_file_is_explained_up_to_its_commands(said: Said, tmp_path: Path) -> None:
    path = tmp_path / "reply.eml"
    path.write_bytes(mail("turn+x@example.org", REPLY))
    out = said.well("mail", "explain", str(path), *OPTIONS)
    for line in (
        "parts that are shown: text/plain\n",
        "classify: reply, from ann@example.org: Re: Your turn\n",
        "text: nothing taken off\n",
        "quote: 1 lines taken off: attribution\n  On Tue, 4 Nov 2025",
        "quote: 1 lines taken off: quote_signs\n  > 3. quartz-1 W13\n",
        "footer: 1 lines taken off: device\n  Sent from my iPhone\n",
        "own words\n  2\n",
        "result: \"Play(steps=(('quartz-1 W10',),))\" (command)\n",
    ):
        assert line in out


def test_without_a_game_type_it_stops_at_the_words(
    said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = io.TextIOWrapper(io.BytesIO(mail("turn+x@example.org", "3, perhaps")))
    monkeypatch.setattr(sys, "stdin", source)
    out = said.well("mail", "explain", "-")
    assert "own words\n  3, perhaps\n\ncommands: not read" in out


def test_a_stored_mail_is_explained_and_stays_as_it_was(said: Said, site: Site) -> None:
    to = our_address(site, sent_letter(site))
    number = arrives(site, mail(to, "perhaps 2"), to).id
    before = [(one.id, one.state, one.attempts) for one in incoming(site)]
    out = said.well("mail", "explain", number, *OPTIONS)
    assert "own words\n  perhaps 2\n" in out
    assert "asked back: " in out
    assert [(one.id, one.state, one.attempts) for one in incoming(site)] == before
    assert "There is no incoming mail with this id." in said.wrong("mail", "explain", "x")


def test_wrong_options_are_refused(said: Said) -> None:
    assert "There is no game 'chess'" in said.wrong("mail", "explain", "x", "--game", "chess")
    assert "--game" in said.wrong("mail", "explain", "x", "--choice", "a")


def test_a_mail_that_is_no_reply_says_why(said: Said, tmp_path: Path) -> None:
    path = tmp_path / "auto.eml"
    path.write_bytes(mail("turn+x@example.org", "2", Auto_Submitted="auto-replied"))
    out = said.well("mail", "explain", str(path), *OPTIONS)
    assert "classify: auto (auto_submitted)" in out
    assert "commands" not in out
