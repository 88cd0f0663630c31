"""Letters as people get them: of every kind and in every language, as text and as HTML."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from babel.messages.catalog import Message
from babel.messages.extract import extract
from babel.messages.pofile import read_po
from jinja2.ext import babel_extract

from engine.languages import LANGUAGES
from engine.registry import GAME_TYPES
from service.core import formatting
from service.core.i18n import CATALOGUES, translations_for
from service.db.models import Letter
from service.mail.inbound.command_parser import read_commands
from service.mail.inbound.html_text import read_page
from service.mail.inbound.own_words import own_words
from service.mail.inbound.quote_patterns import FIRST_SIGN
from service.mail.outgoing.compose import compose, context
from service.mail.outgoing.mime import content_size, mail_of
from service.mail.outgoing.reply_address import read_address
from service.mail.outgoing.templates import TEMPLATES
from tests.support.mails import KINDS, READER, Looked, one_of_each, parsed, raw_mail
from tests.support.mails import words_of_text as words
from tests.support.site import NOON, Site, settings_for

OTHERS = [language for language in LANGUAGES if language != "en"]
MOST_BYTES = 100_000
BOARD = {"en": "THE BOARD", "de": "DER SPIELPLAN", "es": "EL TABLERO"}
# Their authors put the sign before their first line.
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
    assert shown == {"turn", "answer", "away", "finished"}
    assert post.letters["finished"].picture is not None


@pytest.mark.parametrize("kind", KINDS)
def test_text_and_html_say_the_same(post: Post, kind: str) -> None:
    """But for the board, which the HTML shows as a picture."""
    text, board = str(post.letters[kind].text), BOARD[post.language]
    if post.html(kind).all("img"):
        above, _, below = text.partition(f"\n{board}\n")
        text = above + below[below.index("\n-- \n") :]
    assert post.html(kind).words() == words(text)


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
    if kind == "sign_in":
        assert "Reply-To" not in mail
        assert "List-Unsubscribe" not in mail
        return
    if kind == "invitation":
        found = read_address(post.site.settings, mail["Reply-To"], post.site.clock())
        assert found == ("turn", letter.id)
        assert "List-Unsubscribe" in mail
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


def test_a_mail_begins_with_what_it_is_about_and_then_has_the_line_to_reply_above(
    post: Post,
) -> None:
    """A phone shows the first words of a mail beside its subject."""
    for kind in KINDS:
        text, html = str(post.letters[kind].text), post.html(kind)
        read = " ".join(" ".join(html.read).split())
        assert text.startswith(f"{FIRST_SIGN} ")
        assert read.startswith(f"{FIRST_SIGN} ")
        if kind == "sign_in":
            assert "##-" not in text + read
            continue
        assert "\n##- " in f"\n{text}"
        assert 0 <= read.index("##- ") < 200


@pytest.mark.parametrize("kind", KINDS)
def test_a_mail_quoted_without_signs_is_no_word_of_the_writer(post: Post, kind: str) -> None:
    text = str(post.letters[kind].text)
    if "##-" in text:
        assert own_words(f"2\n\n{text}").text == "2"
        assert own_words(f"2\n{text}").text == "2"
        page = read_page(f"<p>2</p>{post.letters[kind].html}")
        assert own_words(page.text).text == "2"


@pytest.mark.parametrize("kind", KINDS)
def test_lines_of_text_are_at_most_78_characters_wide(post: Post, kind: str) -> None:
    for line in str(post.letters[kind].text).splitlines():
        assert len(line) <= 78 or re.fullmatch(r" *https?://\S+", line), line


def test_the_choices_come_before_the_news_and_the_picture(post: Post) -> None:
    html = str(post.letters["turn"].html)
    first, picture = html.index('class="c"'), html.index("<img")
    assert first < picture
    news = html.find(translations_for(post.language).gettext("Since your last turn"))
    assert news < 0 or first < news < picture
    [shown] = [link for link in post.html("turn").all("a") if "/games/" in link["href"]][:1]
    assert html.index(shown["href"]) < picture, "the picture is a link"


def test_the_best_choices_can_be_tapped_and_all_have_a_number(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a reply where mails are sent away, else on a page."""
    letter, site = post.letters["reminder"], post.site
    assert not any(link["href"].startswith("mailto:") for link in post.html("reminder").all("a"))
    sending = replace(site.settings, smtp_url="smtp://127.0.0.1:9", mail_hook_secret="x" * 32)
    monkeypatch.setitem(site.app.config, "LAGUNA", sending)
    with site.app.app_context():
        composed = compose(letter, site.clock())
    looked = Looked(composed.html)
    replies = [link["href"] for link in looked.all("a") if link["href"].startswith("mailto:")]
    address = parsed(post.raw["reminder"])["Reply-To"]
    assert len(replies) >= min(5, len(composed.choices))
    for number, link in enumerate(replies, start=1):
        assert link.startswith(f"mailto:{address}?subject=Re%3A%20")
        assert link.endswith(f"body={number}")
    read = " ".join(" ".join(looked.read).split())
    for number, label in enumerate(composed.labels, start=1):
        assert f"{number} {label}" in read
    [page] = [link["href"] for link in looked.all("a") if "/answer/" in link["href"]]
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
        "en": "Until Fri 6 Mar, 17:00 CET (4 days 4 h left).",
        "de": "Bis Fr., 6. März, 17:00 MEZ (noch 4 Tage 4 h).",
        "es": "Hasta el vie 6 mar, 17:00 CET (quedan 4 días 4 h).",
    }
    assert said[post.language] in text.partition("##-")[0].splitlines()


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
    """Some is shared with other texts, and stands in the catalogue of those."""
    catalogues: dict[str, dict[tuple[str | None, str], Message]] = {}
    for path in (CATALOGUES / language).glob("*.po"):
        with path.open("rb") as file:
            catalogues[path.stem] = {
                (one.context, one.id if isinstance(one.id, str) else one.id[0]): one
                for one in read_po(file, locale=language)
                if one.id
            }
    translated = catalogues["letters"]
    assert set(translated) <= said_in_code() <= set().union(*catalogues.values())
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
