"""Subset of Markdown used by API descriptions, as HTML: paragraphs, lists, bold, code."""

import re

from markupsafe import Markup, escape

_CODE = re.compile(r"`([^`]+)`")
_BOLD = re.compile(r"\*\*([^*]+)\*\*")


def prose(text: str) -> Markup:
    """Blocks of text; a block whose lines begin with `- ` is a list."""
    blocks = [block for block in re.split(r"\n\s*\n", text.strip()) if block.strip()]
    return Markup("\n").join(_block(block) for block in blocks)


def _block(block: str) -> Markup:
    lines = block.splitlines()
    if all(line.lstrip().startswith("- ") for line in lines):
        items = [Markup("<li>{}</li>").format(words(line.lstrip()[2:])) for line in lines]
        return Markup("<ul>{}</ul>").format(Markup().join(items))
    return Markup("<p>{}</p>").format(words(" ".join(line.strip() for line in lines)))


def words(text: str) -> Markup:
    """One line of text with bold and code; everything else is escaped."""
    escaped = str(escape(text))
    escaped = _CODE.sub(r"<code>\1</code>", escaped)
    return Markup(_BOLD.sub(r"<strong>\1</strong>", escaped))  # noqa: S704 - escaped above
