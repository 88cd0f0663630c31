"""OpenAPI document prepared for the reference page: operations by tag, fields in words."""

import json
from collections.abc import Iterator, Sequence
from types import SimpleNamespace as Item  # quicker in templates than a dictionary

from engine.contract import Json
from service.core.errors import PROBLEM_TYPES

METHODS = ("get", "post", "put", "patch", "delete")
SCHEMAS = "#/components/schemas/"


def subjects(document: Json) -> list[Item]:
    """The operations by tag, in the document's order."""
    found = list(_operations(document))
    return [
        Item(**tag, operations=[operation for name, operation in found if name == tag["name"]])
        for tag in document["tags"]
    ]


def shapes(document: Json) -> list[Item]:
    """The schemas with their fields, by name."""
    return [
        Item(name=name, description=schema.get("description", ""), fields=_members(schema))
        for name, schema in sorted(document["components"]["schemas"].items())
    ]


def _operations(document: Json) -> Iterator[tuple[str, Item]]:
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                raw = item[method]
                shared = item.get("parameters", [])
                yield raw["tags"][0], _operation(document, method, path, shared, raw)


def _operation(document: Json, method: str, path: str, shared: Sequence[Json], raw: Json) -> Item:
    body = next(iter(_bodies(raw.get("requestBody", {}))), None)
    schema = body and body.schema
    answers = [_answer(status, answer) for status, answer in raw["responses"].items()]
    return Item(
        id=raw["operationId"],
        method=method.upper(),
        path=path,
        summary=raw["summary"],
        description=raw.get("description", ""),
        needs=_needs(raw),
        parameters=[
            _field(one["name"], one["schema"], one.get("required", False), one, one["in"])
            for one in [*shared, *raw.get("parameters", [])]
        ],
        body=body,
        fields=_members(document["components"]["schemas"][schema]) if schema else [],
        answers=[answer for answer in answers if not answer.codes],
        refusals=[answer for answer in answers if answer.codes],
    )


def _needs(raw: Json) -> str:
    """Credentials that a request needs."""
    scope = raw.get("x-scope")
    if {} in raw["security"]:
        return f"public; with a token: {scope}"
    return scope or ("signed in" if raw["security"] else "public")


def _answer(status: str, answer: Json) -> Item:
    """A response, with the codes of its problems."""
    text = answer["description"]
    codes = [code for code in PROBLEM_TYPES if f"`{code}`" in text] if status[0] in "45" else []
    return Item(status=status, description=text, bodies=_bodies(answer), codes=codes)


def _bodies(holder: Json) -> list[Item]:
    """The content types of a request or response with their schemas and examples."""
    return [
        Item(
            content_type=content_type,
            type=type_words(content["schema"]),
            schema=_schema_name(content["schema"]),
            example=json.dumps(content["example"], indent=2, ensure_ascii=False)
            if "example" in content
            else None,
        )
        for content_type, content in holder.get("content", {}).items()
    ]


def _members(schema: Json) -> list[Item]:
    required = schema.get("required", [])
    return [
        _field(name, member, name in required, member)
        for name, member in schema.get("properties", {}).items()
    ]


def _field(name: str, schema: Json, required: bool, described: Json, place: str = "") -> Item:
    """A parameter, or a member of an object."""
    return Item(
        name=name,
        type=type_words(schema),
        schema=_schema_name(schema),
        required=required,
        description=described.get("description", ""),
        limits=limit_words(schema),
        place=place,
    )


def _alternatives(schema: Json) -> list[Json]:
    return schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf") or []


def _schema_name(schema: Json) -> str | None:
    """Name of the referenced schema: directly, of list items, or as an alternative to null."""
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(SCHEMAS)
    inner = [*_alternatives(schema), *([schema["items"]] if "items" in schema else [])]
    return next((name for one in inner if (name := _schema_name(one))), None)


def type_words(schema: Json) -> str:
    """The type of a value, in words."""
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(SCHEMAS)
    if _alternatives(schema):
        return " or ".join(type_words(one) for one in _alternatives(schema))
    kind = schema.get("type", "string" if "enum" in schema else "any")
    if isinstance(kind, list):
        return " or ".join(type_words({**schema, "type": one}) for one in kind)
    if kind == "array":
        return f"list of {type_words(schema.get('items', {}))}"
    if kind == "string" and "format" in schema:
        return f"string ({schema['format']})"
    return str(kind)


_RANGES = {
    ("minimum", "maximum"): "",
    ("minLength", "maxLength"): " characters",
    ("minItems", "maxItems"): " items",
}


def limit_words(schema: Json) -> str:
    """Constraints of a value in words."""
    parts = []
    if "enum" in schema:
        parts.append("one of " + ", ".join(f"`{value}`" for value in schema["enum"]))
    for (least, most), what in _RANGES.items():
        if schema.get(least) is not None and schema.get(most) is not None:
            parts.append(f"{schema[least]} to {schema[most]}{what}")
        elif schema.get(most) is not None:
            parts.append(f"at most {schema[most]}{what}")
        elif schema.get(least):
            parts.append(f"at least {schema[least]}{what}")
    if "pattern" in schema:
        parts.append(f"matches `{schema['pattern']}`")
    if schema.get("default") is not None and schema["default"] not in ("", [], {}):
        parts.append(f"`{json.dumps(schema['default'])}` if left out")
    return "; ".join(parts)
