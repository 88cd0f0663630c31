"""Removal of attachments from a large mail before it is stored, in one pass over its lines.

Headers and text stay as they are, so that the stored mail reads as the whole one. The contents of
other parts are left out, and of very long texts the end.
"""

import re

MOST_STORED = 200_000  # bytes; larger mails are stored without attachments
LONGEST_HEAD = 64_000  # bytes of the headers of all parts together

_BOUNDARY = re.compile(rb'boundary\s*=\s*(?:"([^"]{1,200})"|([^\s;"]{1,200}))', re.IGNORECASE)
_TYPE = re.compile(rb"^content-type:\s*([^\s;]+)", re.IGNORECASE | re.MULTILINE)
_ATTACHED = re.compile(rb"^content-disposition:\s*attachment", re.IGNORECASE | re.MULTILINE)
_KEPT_TYPES = (b"text/", b"multipart/", b"message/")


def without_attachments(raw: bytes) -> bytes:
    """The mail itself if it is small, otherwise without the contents of attachments."""
    return raw if len(raw) <= MOST_STORED else _Stripper().stripped(raw)


class _Stripper:
    """State of the pass over the lines of a mail."""

    def __init__(self) -> None:
        self.boundaries: set[bytes] = set()
        self.head: list[bytes] | None = []  # of the part that begins; None: inside of its content
        self.keeps = True  # the content of the current part
        self.left, self.left_for_heads = MOST_STORED, LONGEST_HEAD

    def stripped(self, raw: bytes) -> bytes:
        return b"".join(line for line in raw.splitlines(keepends=True) if self._keeps(line))

    def _keeps(self, line: bytes) -> bool:
        bare = line.rstrip()
        if bare.startswith(b"--") and self._is_boundary(bare):
            return self._fits_head(line)
        if self.head is not None:
            self.head.append(line)
            if not bare:
                self._end_head(b"".join(self.head))
            return self._fits_head(line)
        if self.keeps:
            self.left -= len(line)
        return self.keeps and self.left >= 0

    def _is_boundary(self, bare: bytes) -> bool:
        """Whether a line begins a part or ends the last one."""
        if bare[2:] in self.boundaries:
            self.head = []
            return True
        if bare.endswith(b"--") and bare[2:-2] in self.boundaries:
            self.head, self.keeps = None, False
            return True
        return False

    def _end_head(self, head: bytes) -> None:
        unfolded = re.sub(rb"\r?\n[ \t]+", b" ", head[:LONGEST_HEAD])
        found = _BOUNDARY.search(unfolded)
        if found is not None:
            self.boundaries.add(found[1] or found[2])
        kind = _TYPE.search(unfolded)
        is_text = kind is None or kind[1].lower().startswith(_KEPT_TYPES)
        self.head, self.keeps = None, is_text and _ATTACHED.search(unfolded) is None

    def _fits_head(self, line: bytes) -> bool:
        self.left_for_heads -= len(line)
        return self.left_for_heads >= 0
