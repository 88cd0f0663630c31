"""Stage `text`: the text that a reader of the mail sees, and what its writer added to it.

Mails of most programs have a text and an HTML part that say the same. People see the HTML; where
the own words of the writer differ in both, nothing is read. A text part that only says that the
mail is HTML does not count.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from service.mail.inbound.html_text import Page, TooLarge, read_page
from service.mail.inbound.mime_parts import Shown, Unreadable, text_of
from service.mail.inbound.own_words import LONGEST_QUOTE, OwnWords, TooManyLines, own_words
from service.mail.inbound.plain_text import folded, plain
from service.mail.inbound.taken_off import FOOTER, QUOTE, TEXT, TakenOff, taken_off

LONGEST_PLACEHOLDER = 400
LONGEST_COMPARED = 10_000  # characters; no reply that is understood is longer
_PLACEHOLDER = re.compile(
    r"\bhtml\b|plain[- ]text version|text version of this|(?:in|im) (?:your |ihrem )?browser"
    r"|en (?:el|tu|su) navegador|mime format|mime-format|no text (?:version|part|content)"
    r"|alternative text|cannot be displayed|nicht angezeigt werden"
    r"|(?:cannot|can't|kann|no puede) .{0,60}(?:display|anzeigen|darstellen|mostrar)"
)
_LINK = re.compile(
    r"[<\[(](?:https?|mailto|tel|cid|image|bild|imagen)\s?:[^>\])]{0,500}[>\])]", re.I
)
_LIST_NUMBER = re.compile(r"^\d{1,3}[.)]\s*(?=\S)", re.MULTILINE)
_DRAWN = ("So", "Sk", "Cf", "Co", "Cn", "Mn")  # symbols, and signs without a width
_BULLET = re.compile(r"^[-*•·●o]\s+", re.MULTILINE)


class TwoTexts(Exception):
    """The own words differ in the text part and in the HTML part."""


class Texts(NamedTuple):
    """The mail as a program for text shows it, and as one for HTML does; None if that is the
    same."""

    as_text: Page
    as_page: Page | None
    taken: tuple[TakenOff, ...] = ()


def texts_of(shown: Iterable[Shown]) -> Texts:
    """The texts of the parts that are shown; raises Unreadable if there are none."""
    sections: list[_Section] = []
    readable = [part for part in shown if part.kind in ("text/plain", "text/html")]
    for _, group in groupby(readable, key=lambda part: part.choice or id(part.part)):
        sections.append(_section(list(group)))
    if not sections:
        raise Unreadable("no_text")
    as_text = _joined(section.text or section.page or Page("") for section in sections)
    as_page = _joined(section.page or section.text or Page("") for section in sections)
    differ = any(section.text and section.page for section in sections)
    taken = (record for section in sections for record in section.taken)
    return Texts(as_text, as_page if differ else None, tuple(taken))


class _Section(NamedTuple):
    """A part, or the alternatives of one."""

    text: Page | None
    page: Page | None
    taken: list[TakenOff]


def _section(parts: Sequence[Shown]) -> _Section:
    text = "\n\n".join(text_of(one.part) for one in parts if one.kind == "text/plain")
    html = [text_of(one.part) for one in parts if one.kind == "text/html"]
    taken: list[TakenOff] = []
    if html and is_placeholder(text):
        taken = taken_off(TEXT, "placeholder", [plain(text)])
        text = ""
    try:
        page = _joined(map(read_page, html)) if html else None
    except TooLarge:
        if not plain(text):
            raise Unreadable("too_large") from None
        page = None
    return _Section(Page(text) if plain(text) else None, page, taken)


def _joined(pages: Iterable[Page]) -> Page:
    values = ("\n\n".join(filter(None, texts)) for texts in zip(*pages))
    return Page(*values)


def is_placeholder(text: str) -> bool:
    """Whether a text part only says that the mail has to be read as HTML."""
    text = plain(text)
    if not text or len(text) > LONGEST_PLACEHOLDER or "\n>" in text:
        return False
    return _PLACEHOLDER.search(folded(text)) is not None


def own_words_in(texts: Texts, name: str, names: Sequence[str] = ()) -> OwnWords:
    """The own words of the writer in a mail. Raises Unreadable and TwoTexts."""
    try:
        by_text = _own_words(texts.as_text, name, names)
        own = by_text
        if texts.as_page is not None:
            own = _chosen(by_text, _own_words(texts.as_page, name, names))
    except TooManyLines:
        raise Unreadable("too_large") from None
    return own._replace(taken_off=(*texts.taken, *own.taken_off))


def _own_words(page: Page, name: str, names: Sequence[str]) -> OwnWords:
    own = own_words(page.text, name, names)
    quote, signature = plain(page.quote), plain(page.signature)
    return own._replace(
        quote=f"{own.quote}\n{quote}".strip("\n")[:LONGEST_QUOTE],
        taken_off=(
            *taken_off(QUOTE, "html_quote", [quote]),
            *taken_off(FOOTER, "html_signature", [signature]),
            *own.taken_off,
        ),
    )


def _chosen(by_text: OwnWords, by_page: OwnWords) -> OwnWords:
    """The reading of both parts. Where one has more than the other, such as a signature without a
    delimiter, this must have been taken off the other. Raises TwoTexts."""
    if len(by_text.text) > LONGEST_COMPARED:
        return by_text
    if len(by_page.text) > LONGEST_COMPARED:
        raise TwoTexts
    if _normal(by_text.text) == _normal(by_page.text):
        return by_text
    if _normal(_unnumbered(by_text.text)) == _normal(_unnumbered(by_page.text)):
        return by_page
    if not by_page.text:
        if by_text.quote or not by_page.taken_off:
            return by_text
    elif _has_less(by_page, by_text):
        return by_page
    if by_text.text and _has_less(by_text, by_page):
        return by_text
    if not by_text.text and _is_new(by_page, by_text):
        return by_page
    raise TwoTexts


def _is_new(by_page: OwnWords, by_text: OwnWords) -> bool:
    """Whether the words of the HTML part are missing in the text part, where they are not quoted,
    either: some programs lose the reply there."""
    known = f" {_normal(' '.join(record.text for record in by_text.taken_off))} "
    lines = [_normal(line) for line in by_page.text.split("\n")]
    return all(f" {line} " not in known for line in lines if line)


def _has_less(less: OwnWords, more: OwnWords) -> bool:
    """Whether the first reading is the other one without lines that it took off."""
    removed = f" {_normal(' '.join(record.text for record in less.taken_off))} "
    kept = f" {_normal(less.text)} "
    lines = [_normal(line) for line in more.text.split("\n")]
    extra = [line for line in lines if line and f" {line} " not in kept and f" {line} " in removed]
    return _normal(" ".join(line for line in lines if line not in extra)) == kept.strip()


def _unnumbered(text: str) -> str:
    return _LIST_NUMBER.sub("", text)


def _normal(text: str) -> str:
    """The words of a text without markup, symbols and line breaks."""
    text = _BULLET.sub("", _LINK.sub(" ", text))
    signs = (
        sign for sign in text if sign not in "*_`" and unicodedata.category(sign) not in _DRAWN
    )
    return " ".join("".join(signs).split())
