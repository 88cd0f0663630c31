"""Web addresses in names and titles."""

import re
import unicodedata

# A scheme, or words joined by a dot of which the last has two letters or more, or an IPv4 address.
_WEB_ADDRESS = re.compile(
    r"://|\bwww\.|[\w-]\.[^\W\d_]{2,}|\d+\.\d+\.\d+\.\d+", re.IGNORECASE | re.UNICODE
)
_OTHER_DOTS = str.maketrans("\u3002\uff61", "..")  # IDNA reads them as dots


def has_web_address(text: str) -> bool:
    """Whether a mail program may show a part of this text as a link."""
    return (
        _WEB_ADDRESS.search(unicodedata.normalize("NFKC", text).translate(_OTHER_DOTS)) is not None
    )
