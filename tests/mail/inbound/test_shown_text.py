"""The text that a reader sees: text and HTML parts, placeholders, lists."""

import pytest

from service.mail.inbound.classify import Reading, read_mail
from service.mail.inbound.html_text import read_page
from service.mail.inbound.plain_text import plain
from service.mail.inbound.shown_text import is_placeholder

HEAD = "From: Bela Kovacs <bela@example.net>\nTo: Laguna <turn+x@mail.laguna.example>\nSubject: Re: x\n"


def part(kind: str, text: str) -> str:
    return f"Content-Type: {kind}; charset=utf-8\n\n{text}\n"


def around(subtype: str, *parts: str) -> str:
    inner = "".join(f"--{subtype}\n{one}" for one in parts)
    return f"Content-Type: multipart/{subtype}; boundary={subtype}\n\n{inner}--{subtype}--\n"


def both(text: str, page: str) -> Reading:
    body = around("alternative", part("text/plain", text), part("text/html", page))
    return read_mail((HEAD + body).encode())


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("2", "<p>3</p>"),
        ("2", "<p>2 and 3</p>"),
        ("2\n\n4", "<p>2</p>"),
        ("2\n> 3", "<p>3</p><blockquote>2</blockquote>"),
        ("3", "<blockquote>3</blockquote>"),
        ("3 4", "<s>3</s> 4"),
        ("help", "<p>resign</p>"),
    ],
)
def test_a_mail_that_says_two_things_is_not_read(text: str, page: str) -> None:
    read = both(text, page)
    assert (read.kind, read.reason, read.text) == ("two_texts", "two_texts", "")


@pytest.mark.parametrize(
    ("text", "page", "own"),
    [
        ("*2*", "<b>2</b>", "*2*"),
        ("2 <https://example.org/x>", '<a href="https://example.org/x">2</a>', None),
        ("2\n[image: logo.png]", "2<br><img src=x>", None),
        ("I take the\nsecond", "I take the second", None),
        ("* 2", "<ul><li>2</li></ul>", None),
        ("   2. quartz-1 W10", '<ol start="2"><li>quartz-1 W10</li></ol>', "2. quartz-1 W10"),
        ("quartz-1 W10", '<ol start="2"><li>quartz-1 W10</li></ol>', "2. quartz-1 W10"),
        ("3", "<ol><li>3</li></ol>", "1. 3"),
        ("2 \N{THUMBS UP SIGN}", '2 <img alt="x" src="y">', None),
        ("2\n\n> 4", "<p>2</p><blockquote>4</blockquote>", "2"),
        (
            "2\n\nBest Glazier\nBudapest",
            '2<div class="gmail_signature">Best Glazier<br>Budapest</div>',
            "2",
        ),
        ("2\n\nKovacs wrote\n3\n4", "<p>2</p><blockquote>Kovacs wrote<br>3<br>4</blockquote>", "2"),
        ("2\n-- \nBudapest", "<p>2</p><p>Budapest</p>", "2"),
        ("2", "<html><body></body></html>", "2"),
        ("2\n\n> 4", '<div class="gmail_quote">2<br>4</div>', "2"),
    ],
)
def test_parts_that_differ_in_form_alone_say_the_same(
    text: str, page: str, own: str | None
) -> None:
    read = both(text, page)
    assert read.kind == "reply"
    assert read.text == (plain(text) if own is None else own)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n \n",
        "This is an HTML mail.",
        "Your mail client does not support HTML",
        "To view this message, please use an HTML compatible email viewer!",
        "Diese Nachricht ist im HTML-Format.",
        "Ihr E-Mail-Programm kann keine HTML-Mails anzeigen.",
        "Este mensaje está en formato HTML; su cliente de correo no lo admite.",
        "This message is in MIME format.",
        "Ver este mensaje en el navegador: https://example.org/7",
    ],
)
def test_a_text_part_that_points_to_the_html_is_ignored(text: str) -> None:
    read = both(text, "<p>2</p>")
    assert (read.kind, read.text) == ("reply", "2")


def test_a_placeholder_is_recorded() -> None:
    [record] = both("This is an HTML mail.", "<p>2</p>").taken_off
    assert record == ("text", "placeholder", "This is an HTML mail.")
    assert not is_placeholder("2")
    assert not is_placeholder("2\n> this is html")


def test_parts_that_are_shown_one_after_the_other_are_read_together() -> None:
    body = around("mixed", part("text/plain", "2"), part("text/html", "<p>say hello</p>"))
    assert read_mail((HEAD + body).encode()).text == "2\n\nsay hello"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ('<ol start="2"><li></li></ol>', "2."),
        ('<ol start="2"><li><br></li></ol>', "2."),
        ("<ol><li>quartz-1 W8</li></ol>", "1. quartz-1 W8"),
        ("<ol><li>a<li>b</ol>", "1. a\n2. b"),
        ('<ol><li value="2">b</li><li>c</li></ol>', "2. b\n3. c"),
        ("<ul><li>2</li></ul>", "2"),
        ("<ol><li>a<ul><li>b</li></ul></li><li>c</li></ol>", "1. a\nb\n2. c"),
        ('<ol style="list-style-type: none"><li>2</li></ol>', "2"),
        ('<ol type="a"><li>x</li></ol>', "x"),
        ('<ol start="x"><li>x</li></ol>', "1. x"),
        ("<li>2</li>", "2"),
    ],
)
def test_lists_have_the_numbers_that_people_see(page: str, text: str) -> None:
    assert plain(read_page(page).text) == text


def test_an_empty_item_with_a_number_is_an_answer() -> None:
    page = '<div dir="ltr"><ol start="2"><li><br></li></ol></div>'
    assert both("   2.", page).text == "2."
    assert both("", page).text == "2."


FRAME = (
    '{above}<div class="gmail_quote gmail_quote_container"><div class="gmail_attr">On Tue, Laguna '
    'wrote:<br></div><blockquote class="gmail_quote">3<div class="gmail_quote">4<blockquote '
    'class="gmail_quote">5</blockquote>6</div></blockquote>{below}</div>'
)


def test_text_below_the_quote_in_its_frame_is_own_text() -> None:
    page = read_page(FRAME.format(above="<p>2</p>", below="<div>say hello</div>"))
    assert plain(page.text) == "2\n>\nsay hello"
    assert plain(page.quote) == "On Tue, Laguna wrote:\n3\n4\n5\n6"


def test_quotes_and_signatures_of_html_are_kept_apart() -> None:
    page = read_page(
        '2<div class="gmail_signature">Bela<br>4</div><blockquote>3. x</blockquote>'
        '<div id="appendonsend"></div><div>5</div><div hidden>6</div>'
    )
    assert (plain(page.text), plain(page.quote)) == ("2\n>", "3. x\n5")
    assert plain(page.signature) == "Bela\n4"
    read = both("", '2<div class="gmail_signature">4</div><blockquote>3. x</blockquote>')
    assert (read.text, read.quote) == ("2", "3. x")
    assert [record[:2] for record in read.taken_off] == [
        ("quote", "html_quote"),
        ("footer", "html_signature"),
        ("quote", "quote_signs"),
    ]


@pytest.mark.parametrize(
    "page",
    [
        (
            "<p>2</p><table><tr><td><b>Fra:</b></td><td>Laguna &lt;a@b.example&gt;</td></tr>"
            "<tr><td><b>Sendt:</b></td><td>4. november 2025 17:02</td></tr>"
            "<tr><td><b>Emne:</b></td><td>x</td></tr></table><p>3</p>"
        ),
        (
            "<p>2</p><div><b>Lähettäjä:</b> Laguna &lt;a@b.example&gt;<br><b>Lähetetty:</b> 4.11.2025 "
            "17.02<br><b>Aihe:</b> x</div><p>3</p>"
        ),
    ],
)
def test_copied_headers_in_html_end_the_text(page: str) -> None:
    assert both("", page).text == "2"
