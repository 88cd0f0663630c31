"""Compression of pages, their files and SVG boards.

Other API responses stay uncompressed: their strong ETags name the exact bytes and come back in
`If-Match`. A proxy in front may compress them.
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
    """The response, compressed if its size and the client allow it."""
    return _compress.after_request(response)


def tag_of_content(etag: str) -> str:
    """The ETag of a representation, from the one that its compressed response had."""
    return _OF_COMPRESSED.sub('"', etag)
