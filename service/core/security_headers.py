"""Security headers of every response, and CORS for the API."""

from flask import Flask, Response, request

from service.core.config import Settings

# Pages have no inline script and nothing from elsewhere.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; frame-src 'self'; manifest-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
EXPOSED = (
    "ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, "
    "Idempotency-Replayed, WWW-Authenticate"
)
SENT = (
    "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, "
    "X-Request-Id"
)
METHODS = "GET, POST, PUT, PATCH, DELETE"
API = "/v1/"


def register_protection(app: Flask, settings: Settings) -> None:
    def protect(response: Response) -> Response:
        headers = response.headers
        if "Content-Security-Policy" not in headers:  # some are stricter, or show a mail
            headers.add("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        headers.add("X-Content-Type-Options", "nosniff")
        headers.add("Referrer-Policy", "no-referrer")
        if settings.secure:
            headers.add("Strict-Transport-Security", "max-age=31536000")
        if request.path.startswith(API):
            headers.add("Cache-Control", "private, no-cache")
            headers.add("Vary", "Authorization, Accept, Cookie, Origin")
            if "Origin" in request.headers:
                _allow_other_origins(response, settings)
        return response

    app.after_request(protect)


def _allow_other_origins(response: Response, settings: Settings) -> None:
    """Allow scripts of other sites to call the API: it authenticates by token, not by cookie."""
    origin = request.headers["Origin"]
    if not {"*", origin} & set(settings.cors_origins):
        return
    response.headers["Access-Control-Allow-Origin"] = (
        "*" if "*" in settings.cors_origins else origin
    )
    response.headers["Access-Control-Expose-Headers"] = EXPOSED
    if request.method == "OPTIONS":
        response.headers["Access-Control-Allow-Headers"] = SENT
        response.headers["Access-Control-Allow-Methods"] = METHODS
        response.headers["Access-Control-Max-Age"] = "86400"
