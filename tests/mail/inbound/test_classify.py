"""Reading mails: limits, hostile forms, and what is made of doubtful ones."""

import codecs
from pathlib import Path

import pytest

from service.mail.inbound import classify as module
from service.mail.inbound.charsets import decoded, decoded_header
from service.mail.inbound.classify import Reading, read_mail
from service.mail.inbound.html_text import DEEPEST, MOST_TAGS, TooLarge, read_page
from service.mail.inbound.mime_parts import MOST_BYTES, MOST_BYTES_OF_TEXT, without_files
from service.mail.inbound.own_words import MOST_LINES, own_words
from service.mail.inbound.plain_text import plain

HEAD = b"From: Bela <Bela@Example.NET>\r\nSubject: Re: x\r\nMessage-ID: <7@example.net>\r\n"


def of_text(text: str) -> Reading:
    return read_mail(HEAD + b"Content-Type: text/plain; charset=utf-8\r\n\r\n" + text.encode())


def of_html(page: str) -> Reading:
    return read_mail(HEAD + b"Content-Type: text/html; charset=utf-8\r\n\r\n" + page.encode())


def nested(levels: int) -> bytes:
    inner = b"Content-Type: text/plain\r\n\r\n3\r\n"
    for level in range(levels):
        boundary = b"level%d" % level
        head = b"Content-Type: multipart/mixed; boundary=" + boundary + b"\r\n\r\n"
        inner = head + b"--" + boundary + b"\r\n" + inner + b"\r\n--" + boundary + b"--\r\n"
    return HEAD + inner


# Limits


def test_a_mail_beyond_the_limit_is_not_read_but_known_by_its_head() -> None:
    read = of_text("3\r\n" + "x" * MOST_BYTES)
    assert (read.kind, read.reason, read.text) == ("unreadable", "too_large", "")
    assert (read.sender, read.message_id) == ("bela@example.net", "<7@example.net>")


def test_a_mail_beyond_the_limit_may_still_be_known_as_automatic() -> None:
    raw = b"Auto-Submitted: auto-replied\r\n" + HEAD + b"\r\n" + b"x" * MOST_BYTES
    assert read_mail(raw).kind == "auto"


def test_a_line_of_two_megabytes_is_too_large() -> None:
    assert of_text("3" * 2_000_000).reason == "too_large"


@pytest.mark.parametrize(("levels", "kind"), [(5, "reply"), (10, "reply"), (11, "unreadable")])
def test_mime_may_be_ten_levels_deep(levels: int, kind: str) -> None:
    read = read_mail(nested(levels))
    assert read.kind == kind
    assert read.reason == ("" if kind == "reply" else "too_deep")


def test_mime_too_deep_for_the_parser_is_refused_before_parsing() -> None:
    assert read_mail(nested(1000)).reason == "too_deep"
    assert read_mail(HEAD + b"Content-Type: message/rfc822\r\n\r\n" * 2000).reason == "too_deep"


@pytest.mark.parametrize(("parts", "reason"), [(49, ""), (50, "too_many_parts")])
def test_a_mail_has_at_most_fifty_parts(parts: int, reason: str) -> None:
    part = b"--b\r\nContent-Type: text/plain\r\n\r\n3\r\n"
    raw = HEAD + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + part * parts + b"--b--\r\n"
    assert read_mail(raw).reason == reason


def test_thousands_of_boundaries_are_refused_before_parsing() -> None:
    raw = HEAD + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + b"--b\n" * 40_000
    assert read_mail(raw).reason == "too_many_parts"


@pytest.mark.parametrize(
    "raw",
    [
        HEAD + b'Content-Type: text/plain; a="' + b";" * 150_000 + b"\r\n\r\n3",
        HEAD + b"To: " + b"(" * 150_000 + b"\r\n\r\n3",
        HEAD + b"a: b\r\n" * 30_000 + b"\r\n3",
        HEAD + b"X: " + b" x\r\n\t" * 20_000 + b"y\r\n\r\n3",
        b"From: " + b'"' * 100_000 + b"\r\n\r\n3",
        b"Subject: " + b"=?utf-8?q?=41" * 10_000 + b"\r\n\r\n3",
    ],
    ids=["parameters", "brackets", "headers", "folding", "quotes", "words"],
)
def test_heads_that_are_meant_to_be_slow_are_read(raw: bytes) -> None:
    assert read_mail(raw).text == "3"


def test_accents_without_end_on_one_letter_are_cut_off() -> None:
    read = of_text("a" + "\u0301\u0323" * 40_000)
    assert read.kind == "reply"
    assert len(read.text) < 5000


def test_too_many_lines_or_elements_are_refused() -> None:
    assert of_text("a\n" * (MOST_LINES + 1)).reason == "too_large"
    assert of_html("<i>" * (MOST_TAGS + 1)).reason == "too_large"
    with pytest.raises(TooLarge):
        read_page("<div>" * (DEEPEST + 10))


@pytest.mark.parametrize("raw", [b"", b"\0", b"\r\n", b"\xff" * 100, b":", b"From", b"\r\n\r\n"])
def test_what_is_no_mail_at_all_is_read_as_something(raw: bytes) -> None:
    read = read_mail(raw)
    assert read.kind in ("empty", "reply", "unreadable")
    assert read.reason != "broken"


def test_an_error_of_our_own_makes_a_mail_unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(raw: bytes, own_domain: str) -> Reading:
        raise RecursionError

    monkeypatch.setattr(module, "_read", fail)
    assert read_mail(HEAD) == Reading("unreadable", reason="broken")


# Who wrote it, and whether a person did


@pytest.mark.parametrize(
    ("written", "sender"),
    [
        ("bela@example.net", "bela@example.net"),
        ("<BELA@example.net>", "bela@example.net"),
        ('"Kovacs, Bela" <bela@example.net>', "bela@example.net"),
        ('"a@b.c" <bela@example.net>', "bela@example.net"),
        ("a@b.c <bela@example.net>", "bela@example.net"),
        ("<a@b.c> <bela@example.net>", ""),
        ("Bela", ""),
        ("", ""),
        ("bela@example.net\r\nFrom: other@example.net", ""),
    ],
)
def test_the_sender_is_the_one_address_in_from(written: str, sender: str) -> None:
    assert read_mail(f"From: {written}\r\n\r\n3".encode()).sender == sender


def test_own_mails_are_known_by_their_id_and_domain() -> None:
    raw = b"Message-ID: <01J.Letter@Mail.example>\r\n\r\n3"
    assert read_mail(raw, "mail.example").kind == "own"
    assert read_mail(raw, "example").kind == "reply"
    assert read_mail(raw).kind == "reply"


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        ("Auto-Submitted: no", "reply"),
        ("Auto-Submitted: No; x=y", "reply"),
        ("Auto-Submitted: auto-notified", "auto"),
        ("Precedence: BULK", "auto"),
        ("Precedence: first-class", "reply"),
        ("X-Auto-Response-Suppress: All", "reply"),
        ("X-Autoreply: yes", "auto"),
        ("Return-Path: < >", "auto"),
    ],
)
def test_headers_tell_programs_from_people(header: str, kind: str) -> None:
    assert read_mail(f"{header}\r\nFrom: a@b.c\r\n\r\n3".encode()).kind == kind


def test_a_subject_makes_no_mail_an_automatic_one() -> None:
    subject = b"Subject: Automatic reply: x\r\n"
    assert read_mail(subject + b"\r\n3").kind == "reply"
    assert read_mail(subject + b"X-Auto-Response-Suppress: All\r\n\r\n3").reason == "vacation"


def test_a_report_that_somebody_attached_is_no_report_about_us() -> None:
    status = b"Content-Type: message/delivery-status\r\n\r\nA: b\r\n\r\nAction: failed\r\n"
    report = b"Content-Type: multipart/report; boundary=r\r\n\r\n--r\r\n" + status + b"--r--\r\n"
    attached = b"Content-Type: message/rfc822\r\n\r\nSubject: x\r\n" + report
    text = b"Content-Type: text/plain\r\n\r\n3\r\n"
    raw = HEAD + b"Content-Type: multipart/mixed; boundary=m\r\n\r\n"
    assert read_mail(raw + b"--m\r\n" + text + b"--m\r\n" + attached + b"--m--\r\n").text == "3"


def test_a_person_who_writes_about_a_bounce_is_answered() -> None:
    read = of_text("This could not be delivered: 550 5.1.1 <a@b.c> undeliverable")
    assert read.kind == "reply"


# Text


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("3\n> 4", "3"),
        ("> 4\n\n3", "3"),
        ("> 4\n3", "3"),
        ("3\n\n> 5\n\n4", "3\n\n4"),
        ("##- x\n3", ""),
        ("3\n> ##- x\n> 4", "3"),
        ("3\n--\nBela\n4", "3"),
        ("3\n\nBela\nFlat 4", "3"),
        ("Bela\n3", "Bela\n3"),
        ("3\nOn 4 Nov, a@b.c\nwrote:\n4", "3"),
        ("3\nOn 4 Nov, a@b.c\nwrote:\n> 4\n\n5", "3\n\n5"),
        ("3\n---- On 4 Nov Laguna <a@b.c> wrote ----\n4", "3"),
        ("3\n---- Am 4. Nov schrieb Laguna <a@b.c> ---\n> 4\n5", "3\n\n5"),
        ("3\nQuoting Laguna <a@b.c>:\n\n> 4", "3"),
        ("3\n\nSent from Spark\n4", "3"),
        ("3\nLaguna <a@b.c> hat am 4.11. geschrieben:\n\n4", "3"),
        ("3\n04.11.2025, 17:02, Laguna <a@b.c>:\n4", "3"),
        ("On second thought 3", "On second thought 3"),
        ("From: me", "From: me"),
        ("From: me\nTo: you\n3", ""),
        ("3\n\nEnviado: hoy\nDe: Laguna\n4", "3"),
        ("say she wrote well", "say she wrote well"),
        ("3\nthis e-mail is confidential\n4", "3"),
        (f"> {'long ' * 12}\n4\n> x", ""),
        ("3\n-----Original Message-----\n4", "3"),
        ("---------- Forwarded message ---------\n3", ""),
    ],
)
def test_own_words_are_told_from_quotes_and_signatures(text: str, own: str) -> None:
    assert own_words(text, "Bela Kovacs").text == own


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>3</p>", "3"),
        ("<p>3<p>4", "3\n4"),
        ("<div>3<br></div><div><br></div><div>4</div>", "3\n\n4"),
        ("<b>1</b><b>2</b>", "12"),
        ("1<!-- x -->2", "12"),
        ("<s>3</s>4", "~3~4"),
        ('<span style="text-decoration: line-through">3</span> 4', "~3~ 4"),
        ("&#51;&nbsp;else&nbsp;1", "3 else 1"),
        ("<pre>3\n4</pre>", "3\n4"),
        ("<ul><li>3<li>4</ul>", "3\n4"),
        ("<table><tr><td>3<td>4</table>", "3 4"),
        ('<div style="display: none">4</div>3', "3"),
        ("<a href=x>3</a><i> else </i><u>1</u>", "3 else 1"),
        ("<script>4</script><style>5</style><textarea>6</textarea>3", "3"),
        ("<blockquote>4</blockquote>3", ">\n3"),
        ('<div style="border:none;border-left:solid blue 1.5pt">4</div>3', ">\n3"),
        ('<div style="border-left: none">4</div>3', "4\n3"),
        ('3<div id="x_divRplyFwdMsg">4</div>5', "3"),
        ('3<div style="border:none;border-top:solid #E1E1E1 1.0pt">4</div>5', "3"),
        ("", ""),
        ("3", "3"),
        ("<!-- 3", ""),
    ],
)
def test_html_is_read_as_it_looks(page: str, text: str) -> None:
    assert plain(read_page(page).text) == text


def test_charsets_are_taken_from_our_table_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(codecs, "lookup", lambda name: asked.append(name))
    for name in ("rot13", "zlib", "x" * 1000, "utf-8\0", "unicode_escape", "idna", ""):
        assert decoded(b"3 \\u0034", name) == "3 \\u0034"
    assert asked == []


@pytest.mark.parametrize(
    ("data", "charset", "text"),
    [
        ("zurück".encode(), "iso-8859-1", "zurück"),
        ("zurück".encode("latin-1"), "utf-8", "zurück"),
        ("“3”".encode("cp1252"), "ISO-8859-1", "“3”"),
        ("3 else 1".encode("utf-16-be"), "", "3 else 1"),
        ("3".encode("utf-16"), "us-ascii", "3"),
        (b"\xef\xbb\xbf3", "x", "3"),
        ("naïve €".encode("iso-8859-15"), "iso-8859-15", "naïve €"),
    ],
)
def test_text_is_decoded_by_what_it_is(data: bytes, charset: str, text: str) -> None:
    assert decoded(data, charset) == text


def test_headers_are_decoded_as_far_as_they_can_be() -> None:
    assert decoded_header("=?utf-8?q?AW=3A_f=C3=BCr?= =?utf-8?b?IGRpY2g=?=") == "AW: für dich"
    assert decoded_header("=?utf-8?b?abcde?= x") == "=?utf-8?b?abcde?= x"
    assert decoded_header("=?rot13?q?abc?=") == "abc"


LONG = "well played, all of you, and to my own surprise, too"


@pytest.mark.parametrize(
    ("kind", "text", "own"),
    [
        ("format=flowed", f"say {LONG} \ntwo\n3\n", f"say {LONG} two\n3"),
        ("format=flowed", f"say {LONG} \r\n two\r\n", f"say {LONG} two"),
        ("Format=Flowed; DelSp=yes", f"say {LONG} \nne \n-- \n4\n", f"say {LONG}ne"),
        ("format=flowed", f"say {LONG} \n\n3\n", f"say {LONG}\n\n3"),
        ("format=flowed", f"say {LONG} \n> 4 \n> 5\n", f"say {LONG}"),
        ("format=flowed", f"say {LONG} \n##- x -##\n4\n", f"say {LONG}"),
        ("format=flowed", "3 \n-- \nBela \n4\n", "3"),
        ("format=flowed", "say one \n3\n", "say one\n3"),
        ("format=fixed", f"say {LONG} \ntwo\n", f"say {LONG}\ntwo"),
    ],
)
def test_lines_that_a_program_broke_are_whole_again(kind: str, text: str, own: str) -> None:
    raw = f"From: bela@example.net\nContent-Type: text/plain; {kind}\n\n{text}"
    assert read_mail(raw.encode()).text == own


def test_a_mail_is_read_the_same_with_either_line_end() -> None:
    folder = Path(__file__).parent / "corpus"
    for name in ("gmail-web-de", "outlook-owa", "thunderbird-bottom", "bounce-postfix-hard"):
        raw = (folder / f"{name}.eml").read_bytes()
        assert read_mail(raw.replace(b"\r\n", b"\n")) == read_mail(raw)


@pytest.mark.parametrize(
    "header",
    [
        "X-Auto-Reply-From: bela@example.net",
        "X-Autoreply: yes",
        "X-Autoresponder: on",
        "X-Vacation: true",
        "X-FC-MachineGenerated: true",
        "X-MS-Exchange-Inbox-Rules-Loop: bela@example.net",
        "Precedence: auto-reply",
    ],
)
def test_automatic_replies_are_known_by_any_header_in_use(header: str) -> None:
    raw = header.encode() + b"\r\n" + HEAD + b"\r\n2\r\n"
    assert read_mail(raw).kind == "auto"
    assert read_mail(HEAD + b"\r\n2\r\n").kind == "reply"


def test_a_reaction_of_gmail_is_not_a_reply() -> None:
    parts = [("text/plain", "2"), ("text/vnd.google.email-reaction+json", '{"emoji":"2"}')]
    body = "".join(
        f"--part\r\nContent-Type: {kind}; charset=utf-8\r\n\r\n{text}\r\n" for kind, text in parts
    )
    head = b"Content-Type: multipart/alternative; boundary=part\r\n\r\n"
    read = read_mail(HEAD + head + body.encode() + b"--part--\r\n")
    assert (read.kind, read.reason) == ("auto", "reaction")


# Large mails


def file_of(size: int, head: bytes = b"Content-Type: image/jpeg; name=x.jpg\r\n") -> bytes:
    lines = b"QUJD" * 19 + b"\r\n"
    head += b"Content-Transfer-Encoding: base64\r\n\r\n"
    return b"--m\r\n" + head + lines * (size // len(lines)) + b"\r\n"


def with_files(*files: bytes) -> bytes:
    text = b"--m\r\nContent-Type: text/plain\r\n\r\n2\r\n"
    head = b"Content-Type: multipart/mixed; boundary=m\r\n\r\n"
    return HEAD + head + text + b"".join(files) + b"--m--\r\n"


def test_a_reply_with_files_of_nine_megabytes_is_read() -> None:
    assert read_mail(with_files(file_of(9_000_000))).text == "2"
    assert read_mail(with_files(*[file_of(900_000)] * 10)).text == "2"


def test_files_are_removed_before_parsing_and_text_is_not() -> None:
    attached = b"Content-Type: text/html\r\nContent-Disposition: attachment\r\n"
    for head in (b"Content-Type: application/pdf\r\n", attached):
        assert len(without_files(with_files(file_of(100_000, head)))) < 1000
    for head in (b"Content-Type: text/html\r\n", b""):
        raw = with_files(file_of(100_000, head))
        assert without_files(raw) == raw
    no_file = with_files(file_of(100_000).replace(b"QUJD", b"3 < 4"))
    assert without_files(no_file) == no_file


def test_text_of_more_than_a_megabyte_is_too_large() -> None:
    page = with_files(file_of(MOST_BYTES_OF_TEXT, b"Content-Type: text/html\r\n"))
    assert read_mail(page).reason == "too_large"
