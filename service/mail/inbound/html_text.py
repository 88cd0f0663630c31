"""Visible text of an HTML mail, apart from its quotes and signatures.

A quote becomes a line `>`, which `quote_stripper` knows; a mark that everything below is quoted
ends the text. Hidden elements are left out. Struck-out text gets a `~` at both ends, so that no
command is read in it. Items of a list have the numbers that a reader sees.
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
_LISTS = frozenset(("ol", "ul", "menu", "dir"))
_CELLS = frozenset(("td", "th"))
_BLANKS = re.compile(r"[ \t\r\n\f]+")
_STRUCK = frozenset(["s", "strike", "del"])
# Names in class, id or name of an element, in lower case.
_QUOTES = frozenset(
    (
        "gmail_quote",
        "gmail_quote_container",
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
_GMAIL_QUOTES = frozenset(("gmail_quote", "gmail_quote_container"))
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
_OTHER_LIST = re.compile(r"list-style(?:-type)?:(?:none|disc|circle|square|lower|upper)")
_BELOW_QUOTE = "below-quote"  # stands for the end of a quote inside of its frame
_QUOTE_BAR = re.compile(r"border-left:(?!0|none|mediumnone|initial|inherit|unset)")
_OUTLOOK_RULE = re.compile(r"border-top:solid#(?:e1e1e1|b5c4df)|border-top:1px?solid")


class TooLarge(Exception):
    """More or deeper elements than in a mail of a person."""


class Page(NamedTuple):
    """The visible text of an HTML mail, line by line, and apart from it the texts of its quotes and
    of its signatures."""

    text: str
    quote: str = ""
    signature: str = ""


def read_page(html: str) -> Page:
    """The texts of an HTML mail; raises TooLarge."""
    # Before parsing, which takes time by the square of the depth.
    if html.count("<") > MOST_TAGS:
        raise TooLarge
    body = LexborHTMLParser(html).body
    builder = _Builder()
    for element in [] if body is None else _walk(body):
        builder.take(element)
    return builder.page()


class _Role(Enum):
    TEXT = auto()
    SHOWN = auto()
    LEFT_OUT = auto()
    SIGNATURE = auto()
    QUOTE = auto()
    QUOTED_FROM_HERE = auto()


class _Element(NamedTuple):
    role: _Role
    tag: str
    struck: bool = False
    text: str = ""
    number: int | None = None  # of a list or its item
    ends: bool = False


def _walk(root: LexborNode) -> Iterator[_Element]:
    """All elements and texts in order; visible elements at their beginning and at their end."""
    stack: list[LexborNode | _Element] = [root]
    open_elements = quotes = 0
    while stack:
        item = stack.pop()
        if isinstance(item, _Element):
            if item.ends:
                open_elements -= 1
                quotes -= item.role is _Role.QUOTE
            yield item
            continue
        element = _element(item)
        yield element
        if element.role in (_Role.TEXT, _Role.LEFT_OUT):
            continue
        open_elements += 1
        quotes += element.role is _Role.QUOTE
        stack.append(element._replace(ends=True))
        if open_elements <= DEEPEST:
            stack.extend(reversed(_content(item, element)))
        elif not quotes:
            raise TooLarge


def _content(node: LexborNode, element: _Element) -> list[LexborNode | _Element]:
    """The nodes inside of an element. In the frame that Gmail puts around attribution and quote,
    people may write below the quote."""
    nodes = list(node.iter(include_text=True))
    if element.role is _Role.QUOTE and node.tag == "div" and _is_gmail(node):
        for place, inner in enumerate(nodes, start=1):
            if inner.tag == "blockquote" and _is_gmail(inner):
                return [*nodes[:place], _Element(_Role.QUOTE, _BELOW_QUOTE), *nodes[place:]]
    return [*nodes]


def _is_gmail(node: LexborNode) -> bool:
    return not _GMAIL_QUOTES.isdisjoint(_names(node.attributes))


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
    if "hidden" in attributes or _HIDDEN.search(style):
        return _Element(_Role.LEFT_OUT, tag)
    if names & _SIGNATURES:
        return _Element(_Role.SIGNATURE, tag)
    struck = tag in _STRUCK or "line-through" in style
    return _Element(_Role.SHOWN, tag, struck=struck, number=_number(tag, attributes, style))


def _number(tag: str, attributes: Mapping[str, str | None], style: str) -> int | None:
    """The first number of a numbered list, or that of an item which has its own."""
    if tag == "ol":
        if attributes.get("type") not in (None, "", "1") or _OTHER_LIST.search(style):
            return None
        return _whole(attributes.get("start")) or 1
    return _whole(attributes.get("value")) if tag == "li" else None


def _whole(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 5 else None


def _names(attributes: Mapping[str, str | None]) -> set[str]:
    """Names in class, id and name, without the prefix that some programs add
    (`x_divRplyFwdMsg`)."""
    text = " ".join(attributes.get(key) or "" for key in ("class", "id", "name"))
    return {name.removeprefix("x_") for name in text.lower().split()}


class _Builder:
    """Text, quotes and signatures under construction."""

    def __init__(self) -> None:
        self._own, self._quote, self._signature = _Lines(), _Lines(), _Lines()
        self._quotes = 0  # depth of quotes that are open
        self._signatures = 0
        self._below: list[int] = []  # depths from which text is the writer's again
        self._ended = False

    def take(self, element: _Element) -> None:
        match element.role:
            case _Role.QUOTE if element.tag == _BELOW_QUOTE:
                self._below.append(self._quotes)
            case _Role.QUOTE:
                self._take_quote(element)
            case _Role.QUOTED_FROM_HERE:
                self._ended = True
            case _Role.SIGNATURE:
                self._signatures += -1 if element.ends else 1
                self._lines.end_block()
            case _Role.TEXT | _Role.SHOWN:
                self._lines.take(element)

    def _take_quote(self, element: _Element) -> None:
        if not element.ends:
            if self._lines is self._own:
                self._own.end_quote()
            self._quotes += 1
        else:
            if self._below and self._below[-1] == self._quotes:
                self._below.pop()
            self._quotes -= 1
        self._quote.end_block()

    @property
    def _lines(self) -> "_Lines":
        if self._ended:
            return self._quote
        if self._quotes and not (self._below and self._below[-1] == self._quotes == 1):
            return self._quote
        return self._signature if self._signatures else self._own

    def page(self) -> Page:
        return Page(self._own.text(), self._quote.text(), self._signature.text())


class _Lines:
    """Lines under construction."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._line: list[str] = []
        self._ends_blank = True
        self._preformatted = 0  # depth of <pre> elements
        self._lists: list[int | None] = []  # the next number of each list that is open

    def take(self, element: _Element) -> None:
        if element.role is _Role.TEXT:
            self._add(element.text)
        elif element.ends:
            self._leave(element)
        else:
            self._enter(element)

    def _enter(self, element: _Element) -> None:
        if element.tag == "br":
            self._end_line()
        elif element.tag in _CELLS:
            self._add(" ")
        elif element.tag in _BLOCKS:
            self.end_block()
        if element.tag in _LISTS:
            self._lists.append(element.number)
        elif element.tag == "li":
            self._begin_item(element.number)
        self._preformatted += element.tag == "pre"
        if element.struck:
            self._add("~")

    def _begin_item(self, given: int | None) -> None:
        following = self._lists[-1] if self._lists else None
        if following is not None:
            number = following if given is None else given
            self._add(f"{number}. ")
            self._lists[-1] = number + 1

    def _leave(self, element: _Element) -> None:
        if element.struck:
            self._add("~")
        self._preformatted -= element.tag == "pre"
        if element.tag in _LISTS and self._lists:
            self._lists.pop()
        if element.tag in _BLOCKS:
            self.end_block()

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

    def end_quote(self) -> None:
        self.end_block()
        self._lines.append(">")

    def end_block(self) -> None:
        if self._line:
            self._end_line()

    def _end_line(self) -> None:
        self._lines.append("".join(self._line))
        self._line, self._ends_blank = [], True

    def text(self) -> str:
        return "\n".join([*self._lines, "".join(self._line)])
