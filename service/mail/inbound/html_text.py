"""Visible text of an HTML mail, without its quotes.

A quote becomes a line `>`, which `quote_stripper` knows; a mark that everything below is quoted
ends the text. Signatures and hidden elements are left out. Struck-out text gets a `~` at both ends,
so that no command is read in it.
"""

import re
from collections.abc import Iterator, Mapping
from enum import Enum, auto
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

MOST_TAGS = 12_000
DEEPEST = 200

_LEFT_OUT = frozenset(
    (
        *("head", "title", "style", "script", "template", "noscript", "object", "iframe", "svg"),
        *("math", "select", "textarea", "button", "input", "audio", "video", "canvas", "map"),
        "datalist",
    )
)
_BLOCKS = frozenset(
    (
        *("address", "article", "aside", "center", "dd", "details", "div", "dl", "dt", "fieldset"),
        *("figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li"),
        *("main", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "tfoot"),
        *("thead", "tr", "ul"),
    )
)
_CELLS = frozenset(("td", "th"))
_BLANKS = re.compile(r"[ \t\r\n\f]+")
_STRUCK = frozenset(["s", "strike", "del"])
# Names in class, id or name of an element, in lower case.
_QUOTES = frozenset(
    (
        "gmail_quote",
        "gmail_attr",
        "yahoo_quoted",
        "yahoo-quoted",
        "moz-cite-prefix",
        "moz-forward-container",
        "moz-email-headers-table",
        "protonmail_quote",
        "tutanota_quote",
        "zmail_extra",
        "aolmail_quote",
        "ms-outlook-mobile-reference-message",
        "mail-editor-reference-message-container",
        "quoted-text",
        "quotedtext",
    )
)
_SIGNATURES = frozenset(
    (
        "gmail_signature",
        "gmail_signature_prefix",
        "moz-signature",
        "signature",
        "applemailsignature",
        "applemailsignatureblock",
        "protonmail_signature_block",
        "ms-outlook-mobile-signature",
        "ms-outlook-mobile-body-separator-line",
        "yahoo-signature",
        "k9mail-signature",
        "tutanota_signature",
    )
)
_QUOTED_FROM_HERE = frozenset(
    ("divrplyfwdmsg", "appendonsend", "olk_src_body_section", "stopspelling")
)
_HIDDEN = re.compile(
    r"display:none|visibility:hidden|mso-hide:all|opacity:0(?![.0-9])|font-size:[01](?![.0-9])"
    r"|max-height:0(?![.0-9])|color:transparent"
)
_QUOTE_BAR = re.compile(r"border-left:(?!0|none|mediumnone|initial|inherit|unset)")
_OUTLOOK_RULE = re.compile(r"border-top:solid#(?:e1e1e1|b5c4df)|border-top:1px?solid")


class TooLarge(Exception):
    """More or deeper elements than in a mail of a person."""


def text_of_html(html: str) -> str:
    """The visible text of an HTML mail, line by line; raises TooLarge."""
    # Before parsing, which takes time by the square of the depth.
    if html.count("<") > MOST_TAGS:
        raise TooLarge
    body = LexborHTMLParser(html).body
    page = _Page()
    for element in [] if body is None else _walk(body):
        page.take(element)
        if page.ended:
            break
    return page.text()


class _Role(Enum):
    TEXT = auto()
    SHOWN = auto()
    LEFT_OUT = auto()
    QUOTE = auto()
    QUOTED_FROM_HERE = auto()


class _Element(NamedTuple):
    role: _Role
    tag: str
    struck: bool = False
    text: str = ""
    ends: bool = False


def _walk(root: LexborNode) -> Iterator[_Element]:
    """All elements and texts in order; visible elements at their beginning and at their end."""
    stack: list[LexborNode | _Element] = [root]
    open_elements = 0
    while stack:
        item = stack.pop()
        if isinstance(item, _Element):
            open_elements -= 1
            yield item
            continue
        element = _element(item)
        yield element
        if element.role is _Role.SHOWN:
            open_elements += 1
            if open_elements > DEEPEST:
                raise TooLarge
            stack.append(element._replace(ends=True))
            stack.extend(reversed(list(item.iter(include_text=True))))


def _element(node: LexborNode) -> _Element:
    tag = node.tag or ""
    if tag == "-text":
        return _Element(_Role.TEXT, tag, text=node.text_content or "")
    if tag in _LEFT_OUT or tag.startswith(("-", "!")):
        return _Element(_Role.LEFT_OUT, tag)
    attributes = node.attributes
    names, style = _names(attributes), "".join((attributes.get("style") or "").lower().split())
    if names & _QUOTED_FROM_HERE or (tag == "div" and _OUTLOOK_RULE.search(style)):
        return _Element(_Role.QUOTED_FROM_HERE, tag)
    if tag == "blockquote" or names & _QUOTES or (tag == "div" and "quote" in names):
        return _Element(_Role.QUOTE, tag)
    if tag in _BLOCKS and _QUOTE_BAR.search(style):
        return _Element(_Role.QUOTE, tag)
    if "hidden" in attributes or names & _SIGNATURES or _HIDDEN.search(style):
        return _Element(_Role.LEFT_OUT, tag)
    return _Element(_Role.SHOWN, tag, struck=tag in _STRUCK or "line-through" in style)


def _names(attributes: Mapping[str, str | None]) -> set[str]:
    """Names in class, id and name, without the prefix that some programs add
    (`x_divRplyFwdMsg`)."""
    text = " ".join(attributes.get(key) or "" for key in ("class", "id", "name"))
    return {name.removeprefix("x_") for name in text.lower().split()}


class _Page:
    """The text under construction."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._line: list[str] = []
        self._ends_blank = True
        self._preformatted = 0  # depth of <pre> elements
        self.ended = False

    def take(self, element: _Element) -> None:
        match element.role:
            case _Role.TEXT:
                self._add(element.text)
            case _Role.QUOTE:
                self._end_block()
                self._lines.append(">")
            case _Role.QUOTED_FROM_HERE:
                self.ended = True
            case _Role.SHOWN if element.ends:
                self._leave(element)
            case _Role.SHOWN:
                self._enter(element)

    def _enter(self, element: _Element) -> None:
        if element.tag == "br":
            self._end_line()
        elif element.tag in _CELLS:
            self._add(" ")
        elif element.tag in _BLOCKS:
            self._end_block()
        self._preformatted += element.tag == "pre"
        if element.struck:
            self._add("~")

    def _leave(self, element: _Element) -> None:
        if element.struck:
            self._add("~")
        self._preformatted -= element.tag == "pre"
        if element.tag in _BLOCKS:
            self._end_block()

    def _add(self, text: str) -> None:
        if self._preformatted:
            *lines, text = text.split("\n")
            for line in lines:
                self._line.append(line)
                self._end_line()
        else:
            text = _BLANKS.sub(" ", text)
            if self._ends_blank:
                text = text.lstrip(" ")
        if text:
            self._line.append(text)
            self._ends_blank = text.endswith(" ")

    def _end_block(self) -> None:
        if self._line:
            self._end_line()

    def _end_line(self) -> None:
        self._lines.append("".join(self._line))
        self._line, self._ends_blank = [], True

    def text(self) -> str:
        return "\n".join([*self._lines, "".join(self._line)])
