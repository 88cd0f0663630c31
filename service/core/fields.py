"""Marshmallow fields for input of people and programs, as strict as the API's contract."""

import unicodedata
from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from service.core.current_settings import settings
from service.core.email_address import LONGEST, is_acceptable
from service.core.names import is_visible_name, is_visible_text

# Control characters of ASCII and Latin-1, and the ends of lines and paragraphs of Unicode.
CONTROL = frozenset(map(chr, (*range(0x20), *range(0x7F, 0xA0))))
LINE_ENDS = frozenset("\u2028\u2029")
# Without width, and what turns the direction of all that follows: a name with these could look
# like somebody else's, or change what stands beside it.
DECEIVING = frozenset(map(chr, (0x200B, *range(0x202A, 0x202F), *range(0x2060, 0x206A), 0xFEFF)))
_UNSEEN = (
    r"\u0000-\u001f\u007f-\u009f\u2028\u2029"
    r"\u200b\u202a-\u202e\u2060-\u2069\ufeff"
)
_BLANK = r"\s\u001c-\u001f\u0085\ufeff"
LINE_PATTERN = rf"^([^{_UNSEEN}{_BLANK}]([^{_UNSEEN}]*[^{_UNSEEN}{_BLANK}])?)?$"
_NOT_WRITTEN = r"\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f"
POSSIBLY_EMPTY = rf"^[^{_NOT_WRITTEN}]*$"
PARAGRAPHS_PATTERN = rf"^[^{_NOT_WRITTEN}]*[^{_NOT_WRITTEN}{_BLANK}][^{_NOT_WRITTEN}]*$"


class Flag(fields.Boolean):
    """true or false, and nothing that merely looks like it."""

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return value


class Whole(fields.Integer):
    """A whole number of JSON, in a range."""

    def __init__(self, least: int, most: int, **kwargs: Any) -> None:
        super().__init__(strict=True, validate=validate.Range(least, most), **kwargs)

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.make_error("invalid", input=value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # JSON does not tell 2.0 from 2
        return super()._deserialize(value, *args, **kwargs)


class Amount(fields.Float):
    """A number of JSON, in a range."""

    def __init__(self, least: float, most: float, **kwargs: Any) -> None:
        super().__init__(allow_nan=False, validate=validate.Range(least, most), **kwargs)

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, *args, **kwargs)


class Line(fields.String):
    """Text of one line for people: any script, nothing that is not seen, no blank ends."""

    def __init__(self, least: int, most: int, **kwargs: Any) -> None:
        self.least, self.most = least, most
        metadata = {"minLength": least, "maxLength": most, "pattern": LINE_PATTERN}
        super().__init__(metadata=metadata | kwargs.pop("metadata", {}), **kwargs)

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        text: str = super()._deserialize(value, *args, **kwargs)
        if not (CONTROL | LINE_ENDS | DECEIVING).isdisjoint(text):
            raise ma.ValidationError("Write it in one line, without control characters.")
        if not self.least <= len(text) <= self.most:
            raise ma.ValidationError(f"Write {self.least} to {self.most} characters.")
        if text != text.strip():
            raise ma.ValidationError("Leave out the blanks at the ends.")
        if text and not is_visible_text(text):
            raise ma.ValidationError("Write it without invisible characters.")
        return unicodedata.normalize("NFC", text)[: self.most]


class Name(Line):
    """The name of a person or a bot."""

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        text: str = super()._deserialize(value, *args, **kwargs)
        if not is_visible_name(text):
            raise ma.ValidationError(
                "A name has a letter or a number in it, and no invisible characters."
            )
        return text


class Paragraphs(fields.String):
    """Text of several lines for people."""

    def __init__(self, least: int, most: int, **kwargs: Any) -> None:
        self.least, self.most = least, most
        pattern = PARAGRAPHS_PATTERN if least else POSSIBLY_EMPTY
        metadata = {"minLength": least, "maxLength": most, "pattern": pattern}
        super().__init__(metadata=metadata | kwargs.pop("metadata", {}), **kwargs)

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        text: str = super()._deserialize(value, *args, **kwargs)
        if any(char in CONTROL and char not in "\n\t\r" for char in text):
            raise ma.ValidationError("Write it without control characters.")
        if not self.least <= len(text) <= self.most or (self.least and not text.strip()):
            raise ma.ValidationError(f"Write {self.least} to {self.most} characters.")
        return unicodedata.normalize("NFC", text)[: self.most]


class MailAddress(fields.Email):
    """The address of a mailbox: a dot-atom and a public domain. `localhost` is one only where mails
    are shown on a page instead of being sent."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(validate=validate.Length(3, LONGEST), **kwargs)

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        text: str = super()._deserialize(value, *args, **kwargs)
        if not is_acceptable(text, local_ones=settings().smtp_url is None):
            raise self.make_error("invalid", input=value)
        return text
