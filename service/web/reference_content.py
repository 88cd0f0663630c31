"""OpenAPI document prepared for the reference: operations by tag, fields in words."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.contract import Json
from service.core.errors import PROBLEM_TYPES

METHODS = ("get", "post", "put", "patch", "delete")
SCHEMAS = "#/components/schemas/"


@dataclass(frozen=True)
class Field:
    """A parameter or a member of an object. `schema` names its schema."""

    name: str
    type: str
    schema: str | None
    required: bool
    description: str
    limits: str
    place: str = ""


@dataclass(frozen=True)
class Body:
    content_type: str
    type: str
    schema: str | None
    example: str | None


@dataclass(frozen=True)
class Answer:
    status: str
    description: str
    bodies: Sequence[Body]
    codes: Sequence[str]  # of problems


@dataclass(frozen=True)
class Operation:
    id: str
    method: str
    path: str
    summary: str
    description: str
    needs: str
    parameters: Sequence[Field]
    body: Body | None
    fields: Sequence[Field]  # of the body
    answers: Sequence[Answer]
    refusals: Sequence[Answer]


@dataclass(frozen=True)
class Subject:
    name: str
    description: str
    operations: Sequence[Operation]


@dataclass(frozen=True)
class Shape:
    name: str
    description: str
    fields: Sequence[Field]


def subjects(document: Json) -> list[Subject]:
    """The operations by tag, in the document's order."""
    found = list(_operations(document))
    return [
        Subject(
            tag["name"],
            tag.get("description", ""),
            [operation for name, operation in found if name == tag["name"]],
        )
        for tag in document.get("tags", [])
    ]


def shapes(document: Json) -> list[Shape]:
    """The schemas with their fields, by name."""
    return [
        Shape(name, schema.get("description", ""), _members(schema))
        for name, schema in sorted(document["components"]["schemas"].items())
    ]


def _operations(document: Json) -> Iterator[tuple[str, Operation]]:
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                raw = item[method]
                shared = item.get("parameters", [])
                yield raw["tags"][0], _operation(document, method, path, shared, raw)


def _operation(
    document: Json, method: str, path: str, shared: Sequence[Json], raw: Json
) -> Operation:
    body = raw.get("requestBody")
    bodies = [] if body is None else _bodies(document, body, with_samples=True)
    schema = bodies[0].schema if bodies else None
    answers = [_answer(document, status, answer) for status, answer in raw["responses"].items()]
    return Operation(
        id=raw["operationId"],
        method=method.upper(),
        path=path,
        summary=raw.get("summary", ""),
        description=raw.get("description", ""),
        needs=_needs(raw),
        parameters=[_parameter(one) for one in [*shared, *raw.get("parameters", [])]],
        body=bodies[0] if bodies else None,
        fields=_members(document["components"]["schemas"][schema]) if schema else [],
        answers=[answer for answer in answers if not answer.codes],
        refusals=[answer for answer in answers if answer.codes],
    )


def _needs(raw: Json) -> str:
    """Credentials that a request needs."""
    security = raw.get("security", [])
    scope = raw.get("x-scope")
    if {} in security:
        return f"public; with a token: {scope}" if scope else "public"
    if scope:
        return str(scope)
    return "signed in" if security else "public"


def _answer(document: Json, status: str, answer: Json) -> Answer:
    answer = _followed(document, answer)
    said = answer.get("description", "")
    codes = [code for code in PROBLEM_TYPES if f"`{code}`" in said] if status[0] in "45" else []
    return Answer(status, said, _bodies(document, answer), codes)


def _followed(document: Json, value: Json) -> Json:
    """A part of the document, with a reference resolved."""
    if "$ref" not in value:
        return value
    found: Any = document
    for step in value["$ref"].removeprefix("#/").split("/"):
        found = found[step]
    return dict(found)


def _bodies(document: Json, holder: Json, with_samples: bool = False) -> list[Body]:
    found = []
    for content_type, content in holder.get("content", {}).items():
        schema = content.get("schema", {})
        example = content.get("example")
        if example is None and content.get("examples"):
            example = next(iter(content["examples"].values())).get("value")
        if example is None and with_samples:
            example = sample(document, schema)
        shown = None if example is None else json.dumps(example, indent=2, ensure_ascii=False)
        found.append(Body(content_type, type_words(schema), _schema_name(schema), shown))
    return found


def _parameter(raw: Json) -> Field:
    schema = raw.get("schema", {})
    return Field(
        name=raw["name"],
        type=type_words(schema),
        schema=_schema_name(schema),
        required=raw.get("required", False),
        description=raw.get("description", ""),
        limits=limit_words(schema),
        place=raw["in"],
    )


def _members(schema: Json) -> list[Field]:
    required = schema.get("required", [])
    return [
        Field(
            name=name,
            type=type_words(member),
            schema=_schema_name(member),
            required=name in required,
            description=member.get("description", ""),
            limits=limit_words(member),
        )
        for name, member in schema.get("properties", {}).items()
    ]


def _alternatives(schema: Json) -> list[Json]:
    return schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf") or []


def _schema_name(schema: Json) -> str | None:
    """Name of the referenced schema: directly, of list items, or as an alternative to null."""
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(SCHEMAS)
    inner = [*_alternatives(schema), *([schema["items"]] if "items" in schema else [])]
    return next((name for one in inner if (name := _schema_name(one))), None)


def type_words(schema: Mapping[str, Any]) -> str:
    """The type of a value, in words."""
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(SCHEMAS)
    if _alternatives(dict(schema)):
        return " or ".join(type_words(one) for one in _alternatives(dict(schema)))
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


_SAMPLES = {"string": "..", "integer": 1, "number": 1, "boolean": True, "null": None}


def sample(document: Json, schema: Json) -> Any:
    """Sample value of a schema without an example."""
    schema = _followed(document, schema)
    for known in ("example", "default"):
        if schema.get(known) is not None:
            return schema[known]
    if "enum" in schema:
        return schema["enum"][0]
    if _alternatives(schema):
        return sample(document, _alternatives(schema)[0])
    kind = schema.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "array":
        return [sample(document, schema.get("items", {}))]
    if kind == "object":
        return {
            name: sample(document, member) for name, member in schema.get("properties", {}).items()
        }
    if schema.get("format") == "email":
        return "anna@example.org"
    return max(_SAMPLES[kind], schema.get("minimum", 1)) if kind == "integer" else _SAMPLES[kind]
