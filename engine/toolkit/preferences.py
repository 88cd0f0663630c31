"""Preferences lists: ranked choices for a seat whose time runs out."""

from collections.abc import Callable, Sequence

from engine.errors import Unreadable

LONGEST_LIST = 30


def read_list(
    value: object,
    split: Callable[[str], Sequence[list[str]]],
    read_words: Callable[[str], list[str]],
    read_one: Callable[[list[str]], str],
) -> tuple[str, ...]:
    """The normal form of a preferences list, given as one text or as a list; raises Unreadable.

    `split` gives the words of each preference in a text, `read_words` those of an entry of a list,
    and `read_one` makes one preference of its words.
    """
    if isinstance(value, str):
        parts = split(value)
    elif isinstance(value, (list, tuple)):
        parts = [read_words(part) if isinstance(part, str) else [str(part)] for part in value]
    else:
        raise Unreadable("A ranked list is a text or a list of words.")
    if not 1 <= len(parts) <= LONGEST_LIST:
        raise Unreadable(f"A ranked list has 1 to {LONGEST_LIST} wishes.")
    return tuple([read_one(part) for part in parts])
