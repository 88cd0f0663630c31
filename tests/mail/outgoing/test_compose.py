"""Letters as people get them: of every kind and in every language, as text and as HTML."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from babel.messages.extract import extract
from babel.messages.pofile import read_po
from jinja2.ext import babel_extract

from engine.languages import LANGUAGES
from engine.registry import GAME_TYPES
from service.core import formatting
from service.core.i18n import CATALOGUES
from service.db.models import Letter
from service.mail.inbound.command_parser import read_commands
from service.mail.outgoing.compose import compose, context
from service.mail.outgoing.mime import content_size, mail_of
from service.mail.outgoing.reply_address import read_address
from service.mail.outgoing.templates import TEMPLATES
from tests.support.mails import KINDS, READER, Looked, one_of_each, parsed, raw_mail
from tests.support.mails import words_of_text as words
from tests.support.site import NOON, Site, settings_for

OTHERS = [language for language in LANGUAGES if language != "en"]
MOST_BYTES = 100_000
COMPOSING = Path(context.__file__).parent


class Post:
    """One letter of each kind in a language."""

    def __init__(self, site: Site, language: str) -> None:
        self.site, self.language = site, language
        self.letters = one_of_each(site, language)
        self.raw = {kind: raw_mail(site, letter) for kind, letter in self.letters.items()}

    def html(self, kind: str) -> Looked:
        return Looked(str(self.letters[kind].html))


@pytest.fixture(scope="module", params=list(LANGUAGES))
def post(
    request: pytest.FixtureRequest, migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory
) -> Post:
    folder = tmp_path_factory.mktemp("post")
    path = folder / "laguna.db"
    path.write_bytes(migrated_sqlite.read_bytes())
    site = Site(
        settings_for(
            folder,
            f"sqlite:///{path}",
            public_url="https://laguna.example",
            mail_from="Laguna <laguna@games.example>",
            mail_domain="in.games.example",
        )
    )
    return Post(site, request.param)


@pytest.mark.parametrize("kind", KINDS)
def test_a_mail_is_read_without_any_defect(post: Post, kind: str) -> None:
    raw = post.raw[kind]
    mail = parsed(raw)
    for part in mail.walk():
        assert part.defects == []
        for value in part.values():
            assert getattr(value, "defects", ()) == ()
    assert raw.isascii()
    assert b"\n" not in raw.replace(b"\r\n", b"")
    assert max(len(line) for line in raw.split(b"\r\n")) <= 998
    assert len(raw) < MOST_BYTES
    assert mail["To"] == READER
    assert mail["Subject"] == post.letters[kind].subject
    assert mail["Content-Language"] == post.language
    assert mail["Auto-Submitted"] == "auto-generated"


@pytest.mark.parametrize("kind", KINDS)
def test_a_mail_has_text_then_html_with_its_picture(post: Post, kind: str) -> None:
    mail, letter = parsed(post.raw[kind]), post.letters[kind]
    assert mail.get_content_type() == "multipart/alternative"
    text, html = mail.iter_parts()
    assert text.get_content().replace("\r\n", "\n") == letter.text
    if letter.picture is None:
        assert html.get_content_type() == "text/html"
        return
    assert html.get_content_type() == "multipart/related"
    shown, picture = html.iter_parts()
    assert shown.get_content().replace("\r\n", "\n").strip() == str(letter.html).strip()
    assert picture.get_content_disposition() == "inline"
    assert picture.get_content().startswith(b"\x89PNG")
    [image] = post.html(kind).all("img")
    assert image["src"] == f"cid:{picture['Content-ID'].strip('<>')}"


@pytest.mark.parametrize("long_lines", [False, True])
def test_the_size_of_a_mail_is_known_whatever_form_its_parts_need(
    post: Post, long_lines: bool
) -> None:
    """Long lines and letters beyond ASCII make the parts larger than what they say."""
    html = ("" if long_lines else "\n").join(["<a href='?a=1'>1</a>"] * 3000)
    kept = post.letters["turn"]
    letter = Letter(id=kept.id, kind=kept.kind, to=kept.to, subject=kept.subject, facts={})
    letter.text, letter.html = "ñ" * 9000, html
    raw = mail_of(letter, post.site.settings, NOON)
    for part in parsed(raw).iter_parts():
        if part["Content-Transfer-Encoding"] != "7bit":
            assert max(map(len, str(part.get_payload()).splitlines())) <= 76  # RFC 2045
    assert 0 < len(raw) - content_size("ñ" * 9000, html, None) < 2000


def test_letters_that_show_a_position_have_its_picture(post: Post) -> None:
    """The page with mails keeps the picture of the newest one about a game only."""
    shown = {kind for kind in KINDS if post.html(kind).all("img")}
    assert shown == {"turn", "reminder", "answer", "away", "finished"}
    assert post.letters["finished"].picture is not None


@pytest.mark.parametrize("kind", KINDS)
def test_text_and_html_say_the_same(post: Post, kind: str) -> None:
    assert post.html(kind).words() == words(str(post.letters[kind].text))


@pytest.mark.parametrize("kind", KINDS)
def test_the_html_needs_nothing_from_elsewhere(post: Post, kind: str) -> None:
    html, looked = str(post.letters[kind].html), post.html(kind)
    tags = {tag for tag, _ in looked.elements}
    assert not tags & {"script", "link", "iframe", "object", "embed", "form", "video", "base"}
    assert "url(" not in html
    assert "@import" not in html
    for tag, found in looked.elements:
        assert not [name for name in found if name.startswith("on") or name == "background"]
        if "src" in found:
            assert found["src"].startswith("cid:"), tag
        if "href" in found:
            assert found["href"].startswith("https://laguna.example/"), found


@pytest.mark.parametrize("kind", KINDS)
def test_the_html_can_be_read_aloud_in_its_language(post: Post, kind: str) -> None:
    looked = post.html(kind)
    assert looked.all("html") == [{"lang": post.language}]
    assert len(looked.all("h1")) == 1
    for image in looked.all("img"):
        assert len(image["alt"]) > 100, "it tells the position"
    for table in looked.all("table"):
        assert table.get("role") == "presentation" or "t" in table.get("class", "")
    assert len(looked.all("caption")) == len(
        [table for table in looked.all("table") if "role" not in table]
    )


@pytest.mark.parametrize("kind", KINDS)
def test_addresses_of_ours_in_a_mail_lead_back_to_its_letter(post: Post, kind: str) -> None:
    mail, letter = parsed(post.raw[kind]), post.letters[kind]
    if kind in ("invitation", "sign_in"):
        assert "Reply-To" not in mail
        assert ("List-Unsubscribe" in mail) == (kind == "invitation")
        return
    page, by_mail = re.findall(r"<([^>]+)>", mail["List-Unsubscribe"])
    assert page.startswith("https://laguna.example/mail/off/")
    assert page in str(letter.text)
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    for address, purpose in ((mail["Reply-To"], "turn"), (by_mail.removeprefix("mailto:"), "off")):
        local = str(address).partition("@")[0]
        assert len(local) <= 64
        assert local.isascii()
        assert local == local.lower()
        found = read_address(post.site.settings, str(address), post.site.clock())
        assert found == (purpose, letter.id)


def test_mails_about_a_game_hang_together_and_others_do_not(post: Post) -> None:
    for kind in KINDS:
        mail, game_id = parsed(post.raw[kind]), post.letters[kind].game_id
        root = None if game_id is None else f"<{game_id}.game@in.games.example>"
        assert mail["References"] == mail["In-Reply-To"] == root
    turn, reminder, answer = (post.letters[kind] for kind in ("turn", "reminder", "answer"))
    assert turn.subject == reminder.subject == answer.subject


def test_what_can_be_answered_begins_with_the_line_to_reply_above(post: Post) -> None:
    for kind in KINDS:
        marked = kind not in ("invitation", "sign_in")
        assert str(post.letters[kind].text).startswith("##-") == marked
        first = next(word for word in post.html(kind).read if word.strip())
        assert first.startswith("##-") == marked


def test_every_choice_can_be_made_by_a_tap(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a page, and by a reply where mails are sent away."""
    letter, site = post.letters["reminder"], post.site
    assert not any(link["href"].startswith("mailto:") for link in post.html("reminder").all("a"))
    sending = replace(site.settings, smtp_url="smtp://127.0.0.1:9", mail_hook_secret="x" * 32)
    monkeypatch.setitem(site.app.config, "LAGUNA", sending)
    with site.app.app_context():
        composed = compose(letter, site.clock())
    links = [link["href"] for link in Looked(composed.html).all("a")]
    address = parsed(post.raw["reminder"])["Reply-To"]
    for number in range(1, len(letter.facts["choices"]) + 1):
        [by_mail] = [
            link for link in links if link.startswith("mailto:") and link.endswith(f"={number}")
        ]
        assert by_mail.startswith(f"mailto:{address}?subject=Re%3A%20%5BLaguna%5D")
        [page] = [link for link in links if "/answer/" in link and link.endswith(f"/{number}")]
        assert page.startswith("https://laguna.example/answer/")


def test_an_answer_asks_again_what_is_open(post: Post) -> None:
    turn, answer = post.letters["turn"], post.letters["answer"]
    assert answer.decision == turn.decision
    assert answer.facts["choices"] == turn.facts["choices"]
    assert "The rest was not & cannot be." in str(answer.text)


def test_names_are_text_in_the_html_whatever_they_are(post: Post) -> None:
    assert "Ben & <Berta>" in str(post.letters["turn"].text)
    assert "Ben &amp; &lt;Berta&gt;" in str(post.letters["turn"].html)
    for kind in KINDS:
        assert "<Berta>" not in str(post.letters[kind].html)


def test_dates_and_lengths_are_in_the_language(post: Post) -> None:
    text = str(post.letters["turn"].text)
    said = {
        "en": "Your time ends Fri 6 Mar, 17:00 CET; that leaves 4 days 4 h.",
        "de": "Deine Zeit endet am Fr., 6. März, 17:00 MEZ; noch 4 Tage 4 h.",
        "es": "Tu tiempo acaba el vie 6 mar, 17:00 CET, es decir, en 4 días 4 h.",
    }
    assert text.splitlines()[3] == said[post.language]


# The catalogues


def said_in_code() -> set[tuple[str | None, str]]:
    """Everything that letters say, with its context."""
    found: set[tuple[str | None, str]] = set()
    options = {"newstyle_gettext": "true", "trim_blocks": "true", "lstrip_blocks": "true"}
    for path in sorted(TEMPLATES.rglob("*.*")):
        with path.open("rb") as file:
            for _, function, message, _ in babel_extract(
                file, ("_", "gettext", "ngettext", "pgettext"), [], options
            ):
                given = (
                    [message] if isinstance(message, str) else [str(one) for one in message or ()]
                )
                found.add((given[0], given[1]) if function == "pgettext" else (None, given[0]))
    for path in [Path(formatting.__file__), *sorted(COMPOSING.glob("*.py"))]:
        with path.open("rb") as file:
            keywords = {"say": None, "gettext": None, "ngettext": (1, 2)}
            for _, message, _, _ in extract("python", file, keywords):
                found.add((None, message if isinstance(message, str) else message[0]))
    return found


@pytest.mark.parametrize("language", OTHERS)
def test_everything_that_letters_say_is_in_the_catalogue_and_nothing_else(language: str) -> None:
    with (CATALOGUES / language / "letters.po").open("rb") as file:
        catalogue = read_po(file, locale=language)
    translated = {}
    for message in catalogue:
        if message.id:
            first = message.id if isinstance(message.id, str) else message.id[0]
            translated[message.context, first] = message
    assert set(translated) == said_in_code()
    for (_, said), message in translated.items():
        forms = [message.string] if isinstance(message.string, str) else message.string or [""]
        for form in forms:
            assert form, said
            assert named(form) == named(said)


def named(words: str) -> list[str]:
    """What is filled in."""
    return sorted(re.findall(r"%\(\w+\)[sd]", words))


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_help_says_can_be_written_is_understood(language: str) -> None:
    commands = [said for context, said in said_in_code() if context == "command"]
    if language != "en":
        with (CATALOGUES / language / "letters.po").open("rb") as file:
            catalogue = read_po(file, locale=language)
        commands = [str(catalogue.get(said, "command").string) for said in commands]  # type: ignore[union-attr]
    own_words = [command for command in commands if not command.startswith("plan ")]
    assert len(own_words) > 10
    for command in own_words:
        assert read_commands(command, GAME_TYPES[0], ["a", "b", "c"], NOON.date()), command
