"""JSON provider of Flask with orjson: compact, keys in their order, ISO timestamps."""

import orjson
from flask.json.provider import JSONProvider


class OrjsonProvider(JSONProvider):
    def dumps(self, obj: object, **_: object) -> str:
        return orjson.dumps(obj, option=orjson.OPT_NON_STR_KEYS).decode()

    def loads(self, s: str | bytes, **_: object) -> object:
        return orjson.loads(s)
