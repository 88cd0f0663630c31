"""Decoding of mail text and of encoded words in headers.

Only charsets of this table are used: Python's own lookup caches every name it is asked for, and
has codecs that are not for text.
"""

import binascii
import re
from collections.abc import Mapping

_UTF_8, _WESTERN = "utf-8", "cp1252"
_CODECS: Mapping[str, str] = {
    **dict.fromkeys(("utf-8", "utf8", "us-ascii", "ascii", "unicode-1-1-utf-8"), _UTF_8),
    **dict.fromkeys(("iso-8859-1", "latin1", "latin-1", "windows-1252", "cp1252"), _WESTERN),
    **{f"iso-8859-{number}": f"iso8859-{number}" for number in (2, 3, 4, 5, 6, 7, 8, 9, 10)},
    **{f"iso-8859-{number}": f"iso8859-{number}" for number in (11, 13, 14, 15, 16)},
    **{f"windows-{number}": f"cp{number}" for number in (1250, 1251, *range(1253, 1259))},
    **{f"cp{number}": f"cp{number}" for number in (437, 850, 852, 866, 1250, 1251)},
    **{name: name for name in ("koi8-r", "koi8-u", "big5", "gb2312", "gbk", "gb18030")},
    **{name: name for name in ("euc-jp", "iso-2022-jp", "shift_jis", "euc-kr")},
    **{name: name for name in ("utf-16", "utf-16le", "utf-16be", "utf-32", "utf-32le", "utf-32be")},
    "utf-16-le": "utf-16le",
    "utf-16-be": "utf-16be",
    "macintosh": "mac-roman",
    "ks_c_5601-1987": "cp949",
    "x-sjis": "shift_jis",
    "iso-8859-8-i": "iso8859-8",
}
_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
    (b"\xef\xbb\xbf", "utf-8-sig"),
)
_ENCODED_WORD = re.compile(r"=\?([^?\s]{1,60})\?([bBqQ])\?([^?\s]{0,1000})\?=")
_BETWEEN_WORDS = re.compile(r"\?=[ \t\r\n]{1,100}=\?")


def decoded(data: bytes, charset: str) -> str:
    """The text in these bytes, with U+FFFD for undecodable ones.

    Text that is declared Western and is valid UTF-8 is UTF-8. Text with a byte order mark, or with
    every other byte zero, is UTF-16.
    """
    for mark, codec in _MARKS:
        if data.startswith(mark):
            return data.decode(codec, "replace").lstrip("\ufeff")
    codec = _CODECS.get(charset.strip().strip("\"'").lower(), _UTF_8)
    if codec in (_UTF_8, _WESTERN):
        if (wide := _wide(data)) is not None:
            return data.decode(wide, "replace")
        try:
            return data.decode(_UTF_8)
        except UnicodeDecodeError:
            return data.decode(_WESTERN, "replace")
    return data.decode(codec, "replace")


def _wide(data: bytes) -> str | None:
    """The byte order of UTF-16 without a mark, judged by the positions of zeros."""
    even, odd = data[0::2].count(0), data[1::2].count(0)
    if 2 * odd > len(data[1::2]) > 1 and even == 0:
        return "utf-16le"
    if 2 * even > len(data[0::2]) > 1 and odd == 0:
        return "utf-16be"
    return None


def decoded_header(value: str) -> str:
    """A header with its encoded words (RFC 2047) decoded, on one line."""
    value = value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    value = _BETWEEN_WORDS.sub("?==?", value)
    return " ".join(_ENCODED_WORD.sub(_word, value).split())


def _word(match: re.Match[str]) -> str:
    charset, encoding, text = match.groups()
    data = text.encode("utf-8")
    try:
        if encoding in "bB":
            raw = binascii.a2b_base64(data + b"=" * (-len(data) % 4))
        else:
            raw = binascii.a2b_qp(data, header=True)
    except binascii.Error:
        return match.group()
    return decoded(raw, charset.partition("*")[0])
