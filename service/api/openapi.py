"""The OpenAPI document: flask-smorest's, with examples from a recorded game."""

from functools import cache
from pathlib import Path

import orjson
import yaml
from flask import Flask
from flask_smorest import Api

from engine.contract import Json
from service.api import BLUEPRINTS, PREFIX
from service.api.errors import ProblemSchema
from service.core.config import Settings

EXAMPLES = Path(__file__).parent / "examples.json"  # recorded by `tests.clients.examples`
JSON = "application/json"

DESCRIPTION = """\
Correspondence play of board games: a few minutes a day, over weeks.

**Authenticate.** `POST /v1/sign-ins` with your address, then `POST /v1/sessions` with the mailed
code, or create a token on the command line: `laguna token create --email .. --name .. --scopes ..`.
Send it as `Authorization: Bearer lag_..`.

**Play.** `GET /v1/decisions` lists your open decisions, `GET /v1/games/{game_id}` returns the game
with your decision and every legal move, `POST /v1/games/{game_id}/moves` plays one. A client needs
no knowledge of the rules: every legal move can be sent back unchanged.

**Follow.** `GET /v1/events?after=N&wait=25` returns later events; a stream and webhooks deliver the
same events.

Errors are RFC 9457 problems with a stable `code`; a refused request changes nothing. Ids are
opaque. Timestamps are UTC. Fields may be added; ignore unknown ones.
"""


class DocumentApi(Api):  # type: ignore[misc]
    """flask-smorest's Api on an app of its own: serving requests needs no document."""

    DEFAULT_ERROR_RESPONSE_NAME = None  # every operation lists its own


def openapi_document(settings: Settings) -> Json:
    """The OpenAPI document of a service with these settings, as plain JSON values."""
    document: Json = orjson.loads(
        orjson.dumps(_api(settings).spec.to_dict(), option=orjson.OPT_NON_STR_KEYS)
    )
    for path in document["paths"].values():
        for operation in path.values():
            if isinstance(operation, dict):
                _add_example(operation)
    schemas = document["components"]["schemas"]
    for name in ("Error", "PaginationMetadata"):  # flask-smorest's, which no operation uses
        del schemas[name]
    for name in set(schemas) - _sent(document):
        schemas[name].pop("additionalProperties", None)  # responses may gain fields
    return document


def _api(settings: Settings) -> Api:
    app = Flask(__name__)
    app.config.update(API_TITLE="Laguna", API_VERSION="1", OPENAPI_VERSION="3.1.0")
    info = {"description": DESCRIPTION, "license": {"name": "MIT", "identifier": "MIT"}}
    servers = [{"url": "/", "description": "This server"}]
    api = DocumentApi(app, spec_kwargs={"info": info, "servers": servers})
    api.spec.components.security_scheme(
        "token",
        {"type": "http", "scheme": "bearer", "description": "A token `lag_..`, see /v1/tokens"},
    )
    api.spec.components.security_scheme(
        "session",
        {
            "type": "apiKey",
            "in": "cookie",
            "name": settings.session_cookie,
            "description": "Session cookie, for scripts of the service's own pages. Requests that "
            "change something also need the page's form token in `X-Form-Token`.",
        },
    )
    api.spec.components.schema("Problem", schema=ProblemSchema)
    for blueprint in BLUEPRINTS:
        api.register_blueprint(blueprint, url_prefix=PREFIX)
    return api


def _sent(document: Json) -> set[str]:
    """Names of the schemas of request bodies, which refuse unknown fields."""
    found: set[str] = set()
    bodies = [
        operation["requestBody"]
        for path in document["paths"].values()
        for operation in path.values()
        if "requestBody" in operation
    ]
    waiting = [name for body in bodies for name in _references(body)]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _references(document["components"]["schemas"][name])
    return found


def _references(value: object) -> list[str]:
    """Names of the schemas that a part of the document refers to."""
    if isinstance(value, dict):
        own = [value["$ref"].rpartition("/")[2]] if isinstance(value.get("$ref"), str) else []
        return own + [name for inner in value.values() for name in _references(inner)]
    if isinstance(value, list):
        return [name for inner in value for name in _references(inner)]
    return []


def openapi_yaml(document: Json) -> str:
    """The document as it is committed, in `openapi.yaml`."""
    return yaml.dump(document, Dumper=_Readable, sort_keys=False, allow_unicode=True, width=100)


@cache
def _examples() -> Json:
    """Recorded requests and responses of a real game, by operation."""
    found: Json = orjson.loads(EXAMPLES.read_bytes()) if EXAMPLES.exists() else {}
    return found


def _add_example(operation: Json) -> None:
    example = _examples().get(operation["operationId"])
    if example is None:
        return
    if "request" in example:
        operation["requestBody"]["content"][JSON]["example"] = example["request"]
    answer = operation["responses"][str(example["status"])]["content"].get(JSON)
    if answer is not None and "answer" in example:
        answer["example"] = example["answer"]


class _Readable(yaml.SafeDumper):
    """YAML dumper that writes long texts as blocks and uses no aliases."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    style = "|" if "\n" in value else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Readable.add_representer(str, _text)
