"""Marshmallow fields, as strict as the API's contract."""

import unicodedata
from collections.abc import Mapping
from typing import TypedDict, Unpack

import marshmallow as ma
from marshmallow import fields, validate

from service.core.current_settings import settings
from service.core.email_address import LONGEST, is_acceptable
from service.core.names import is_visible_name, is_visible_text

# Control characters of ASCII and Latin-1, and the ends of lines and paragraphs of Unicode.
CONTROL = frozenset(map(chr, (*range(0x20), *range(0x7F, 0xA0))))
LINE_ENDS = frozenset("\u2028\u2029")
# Characters without width, and controls of text direction: a name with these could look like
# another name, or change the text beside it.
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


class ValueOptions(TypedDict, total=False):
    """Options of a field: whether it may be missing or null."""

    required: bool
    allow_none: bool
    load_default: object


class FieldOptions(ValueOptions, total=False):
    """The same with the description."""

    metadata: Mapping[str, object]


class Flag(fields.Boolean):
    """A boolean of JSON; strings and numbers are refused."""

    def _deserialize(self, value: object, *_: object, **__: object) -> bool:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return value


class Whole(fields.Integer):
    """An integer of JSON, in a range."""

    def __init__(self, least: int, most: int, **options: Unpack[FieldOptions]) -> None:
        super().__init__(strict=True, validate=validate.Range(least, most), **options)

    def _validated(self, value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.make_error("invalid", input=value)
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # JSON does not tell 2.0 from 2
        return super()._validated(value)


class Amount(fields.Float):
    """A number of JSON, in a range."""

    def __init__(self, least: float, most: float, **options: Unpack[FieldOptions]) -> None:
        super().__init__(allow_nan=False, validate=validate.Range(least, most), **options)

    def _validated(self, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.make_error("invalid", input=value)
        return super()._validated(value)


def _with_pattern(options: FieldOptions, least: int, most: int, pattern: str) -> FieldOptions:
    metadata = {"minLength": least, "maxLength": most, "pattern": pattern}
    return {**options, "metadata": {**metadata, **options.get("metadata", {})}}


class Line(fields.String):
    """One line of text in any script, without invisible characters and surrounding blanks."""

    def __init__(self, least: int, most: int, **options: Unpack[FieldOptions]) -> None:
        self.least, self.most = least, most
        super().__init__(**_with_pattern(options, least, most, LINE_PATTERN))

    def _deserialize(self, value: object, *_: object, **__: object) -> str:
        text = super()._deserialize(value, None, None)
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

    def _deserialize(self, value: object, *_: object, **__: object) -> str:
        text = super()._deserialize(value, None, None)
        if not is_visible_name(text):
            raise ma.ValidationError(
                "A name has a letter or a number in it, and no invisible characters."
            )
        return text


class Paragraphs(fields.String):
    """Text of several lines."""

    def __init__(self, least: int, most: int, **options: Unpack[FieldOptions]) -> None:
        self.least, self.most = least, most
        pattern = PARAGRAPHS_PATTERN if least else POSSIBLY_EMPTY
        super().__init__(**_with_pattern(options, least, most, pattern))

    def _deserialize(self, value: object, *_: object, **__: object) -> str:
        text = super()._deserialize(value, None, None)
        if any(char in CONTROL and char not in "\n\t\r" for char in text):
            raise ma.ValidationError("Write it without control characters.")
        if not self.least <= len(text) <= self.most or (self.least and not text.strip()):
            raise ma.ValidationError(f"Write {self.least} to {self.most} characters.")
        return unicodedata.normalize("NFC", text)[: self.most]


class MailAddress(fields.Email):
    """An e-mail address with a public domain; also `localhost` where no mail server is set."""

    def __init__(self, **options: Unpack[FieldOptions]) -> None:
        super().__init__(validate=validate.Length(3, LONGEST), **options)

    def _deserialize(self, value: object, *_: object, **__: object) -> str:
        text = super()._deserialize(value, None, None)
        if not is_acceptable(text, local_ones=settings().smtp_url is None):
            raise self.make_error("invalid", input=value)
        return text
