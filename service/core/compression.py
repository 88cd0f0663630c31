"""What browsers get compressed: pages, their files, and boards as drawings.

Other answers of the API are not: they carry strong ETags, which name their very bytes and are sent
back to change something, and a proxy in front may compress them as it likes.
"""

import re

from flask import Flask, Response
from flask_compress import Compress

TYPES = ["text/html", "text/css", "text/javascript", "application/manifest+json", "image/svg+xml"]
METHODS = ["br", "gzip"]
_OF_COMPRESSED = re.compile(rf':({"|".join(METHODS)})"$')

_compress = Compress()


def register_compression(app: Flask) -> None:
    app.config.update(
        COMPRESS_MIMETYPES=TYPES,
        COMPRESS_ALGORITHM=METHODS,
        COMPRESS_STREAMS=False,
        COMPRESS_REGISTER=False,
    )
    _compress.init_app(app)


def compressed(response: Response) -> Response:
    """The same, compressed if that is worth it and whoever asks can read it."""
    return _compress.after_request(response)


def tag_of_content(etag: str) -> str:
    """The ETag of something, from the one that it had when it was sent compressed."""
    return _OF_COMPRESSED.sub('"', etag)
