"""Addresses in mail headers, found by patterns of bounded length.

`email.utils.getaddresses` recurses once per nested comment, so that a header with 600 parentheses
raises RecursionError; the functions here take linear time and never recurse.
"""

import re

_ADDRESS = re.compile(r"[^\s<>@,;:\"()]{1,64}@[^\s<>@,;:\"()]{1,255}")
_IN_BRACKETS = re.compile(r"<([^<>]{0,320})>")
_QUOTED_STRING = re.compile(r'"[^"]*"')


def addresses_in(value: str) -> list[str]:
    """All strings in a header with the form of an address, in order."""
    return _ADDRESS.findall(value)


def is_address(text: str) -> bool:
    return _ADDRESS.fullmatch(text) is not None


def mailboxes_in(value: str) -> list[str]:
    """The mailboxes of a header: the texts in angle brackets, otherwise between commas."""
    unquoted = _QUOTED_STRING.sub("", value)
    found = _IN_BRACKETS.findall(unquoted) or _without_comments(unquoted).split(",")
    return [mailbox.strip() for mailbox in found]


def first_address(value: str) -> str:
    """The first address of a header; "" if it has none."""
    return next(filter(is_address, mailboxes_in(value)), "")


def _without_comments(value: str) -> str:
    """The header without comments, which may be nested (RFC 5322, 3.2.2)."""
    depth, kept = 0, []
    for sign in value:
        if sign == "(":
            depth += 1
        elif sign == ")" and depth:
            depth -= 1
        elif not depth:
            kept.append(sign)
    return "".join(kept)
