"""The configuration: one object read from the environment, checked before anything starts."""

import contextlib
import os
import secrets
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from email.utils import parseaddr
from pathlib import Path
from typing import Any, NamedTuple, cast
from urllib.parse import SplitResult, unquote, urlsplit

from environs import Env, EnvValidationError
from marshmallow import ValidationError
from marshmallow.validate import OneOf, Range

from service.core.private_files import make_private, private_directory

MEGABYTE = 1024 * 1024
SECRET_LENGTH = 32
MOST_DAYS = 36_500
SECRET_CHARACTERS = 8  # different ones at least; a random key of 32 hex digits has 14
LOOPBACK = ("127.0.0.1", "::1", "localhost")


class BadConfiguration(Exception):
    """Settings that cannot work; the text lists every one of them with what would be right."""


@dataclass(frozen=True)
class Limits:
    """How much one person, or one address on the network, may do. Each has an error of its own."""

    requests: str = "600 per minute"
    anonymous_requests: str = "120 per minute"
    sign_ins_per_address_and_hour: int = 5
    sign_ins_per_client: str = "30 per hour"
    open_tables: int = 10
    running_games: int = 100
    invitations_per_game: int = 12
    invitations_per_day: int = 50
    invitation_mails_per_recipient_and_day: int = 5
    tokens: int = 50
    webhooks: int = 10
    webhook_tests: str = "5 per minute"  # and deliveries sent again, for each webhook
    bots: int = 10
    messages_per_game_and_hour: int = 60
    joins: str = "60 per hour"  # tables that a person, bots included, sits down at
    offers: str = "6 per hour"  # to end or to pause a game, for each seat
    mails_per_person_and_day: int = 500  # stored about the letters of one person, bounces too
    mail_megabytes_per_person_and_day: int = 20
    waiting_requests: int = 4000  # of one web process; further ones are refused
    waiting_requests_per_person: int = 20  # of one web process, bots included


@dataclass(frozen=True)
class Retention:
    """Days for which rows are kept that are no longer needed to play; 0 keeps them for ever."""

    events: int = 90
    letters: int = 102  # at least as long as somebody may reply to them
    letter_texts: int = 30
    skipped_letters: int = 7
    deliveries: int = 30
    decisions: int = 365  # of finished games, since they ended
    invitations: int = 30  # since they expired
    sign_ins: int = 7
    idempotency_answers: int = 1
    incoming_mails: int = 30


# Fewer days than this would break a promise: bounces stop mails once a month, letters may be
# answered for a hundred days.
LEAST_DAYS = {"events": 31, "letters": 102, "decisions": 102}


@dataclass(frozen=True)
class Settings:
    """Everything that can be set from outside."""

    data: Path
    database_url: str
    host: str
    port: int
    public_url: str
    secret_key: str = field(repr=False)
    old_secret_keys: tuple[str, ...] = field(repr=False)  # good for what was sealed earlier
    redis_url: str | None = field(repr=False)
    smtp_url: str | None = field(repr=False)
    mail_from: str
    mail_domain: str  # of the addresses to which people reply
    mail_in: tuple[str, ...] = field(repr=False)  # where `laguna mail-in` gets replies from
    mail_hook_secret: str | None = field(repr=False)  # with which a provider signs mails
    trusted_hosts: tuple[str, ...]
    trusted_proxies: int
    cors_origins: tuple[str, ...]
    open_webhooks: bool
    metrics_token: str | None = field(repr=False)
    web_workers: int
    web_threads: int
    log_format: str
    log_level: str
    sign_up: str = "open"  # who may have an account: open, invited (with an invitation), closed
    mail_check_sender: bool = False  # replies must come from the address of the account
    mail_delay: int = 60  # seconds in which a turn may be taken before it is mailed
    audit_share: int = 5  # percent of one core
    max_body: int = MEGABYTE
    database_timeout: int = 60  # seconds of a statement; see `WEB_DATABASE_SECONDS`
    web_connections: int = 5000  # of one web process; 0: any number
    web_connections_per_address: int = 250  # of one web process, where no proxy is trusted
    metrics_host: str = "127.0.0.1"
    metrics_port: int = 0  # of each process group; 0: no metrics
    limits: Limits = field(default_factory=Limits)
    retention: Retention = field(default_factory=Retention)

    @property
    def secure(self) -> bool:
        """Whether people reach us by https; cookies are bound to it."""
        return self.public_url.startswith("https://")

    @property
    def session_cookie(self) -> str:
        """With https the name makes browsers keep it to this host, this path and https."""
        return "__Host-laguna" if self.secure else "laguna"

    @property
    def takes_replies(self) -> bool:
        """Whether a reply to a letter reaches us. Where mails are not sent away but shown on a
        page, they are answered there."""
        return self.smtp_url is None or bool(self.mail_in) or self.mail_hook_secret is not None

    @property
    def warnings(self) -> list[str]:
        """Sentences about settings that work and are probably not what is meant."""
        if self.secure and self.trusted_proxies == 0:
            sentence = (
                "LAGUNA_PUBLIC_URL is https, so there is a proxy in front, but "
                "LAGUNA_TRUSTED_PROXIES is 0: all clients have the proxy's address and share its "
                "limits. Set it to the number of proxies that add X-Forwarded-For."
            )
            return [sentence]
        return []

    @property
    def sqlite(self) -> bool:
        return self.database_url.startswith("sqlite")


def from_environment(keep_secret: bool = True) -> Settings:
    """Read and check all settings; raises BadConfiguration. `docs/operations.md` lists them.

    Without `keep_secret` nothing is written and the secret key may be empty: to look at them.
    """
    env = Env(eager=False, prefix="LAGUNA_")
    data = Path(env.str("DATA", "var"))
    port = env.int("PORT", 8000, validate=Range(1, 65535))
    public_url = (env.str("PUBLIC_URL", "") or f"http://localhost:{port}").rstrip("/")
    mail_from = env.str("MAIL_FROM", "Laguna <laguna@localhost>")
    database_url = _database_url(_secret(env, "DATABASE_URL"), data)
    settings = Settings(
        data=data,
        database_url=database_url,
        host=env.str("HOST", "127.0.0.1"),
        port=port,
        public_url=public_url,
        secret_key=_secret(env, "SECRET_KEY"),
        old_secret_keys=_secrets(env, "OLD_SECRET_KEYS"),
        redis_url=_secret(env, "REDIS_URL") or None,
        smtp_url=_secret(env, "SMTP_URL") or None,
        mail_from=mail_from,
        mail_domain=_domain(env.str("MAIL_DOMAIN", "") or parseaddr(mail_from)[1]),
        mail_in=_secrets(env, "MAIL_IN"),
        mail_hook_secret=_secret(env, "MAIL_HOOK_SECRET") or None,
        mail_check_sender=env.bool("MAIL_CHECK_SENDER", False),
        mail_delay=env.int("MAIL_DELAY", 60, validate=Range(0, 86400)),
        audit_share=env.int("AUDIT_SHARE", 5, validate=Range(0, 33)),
        sign_up=env.str("SIGN_UP", "open", validate=OneOf(["open", "invited", "closed"])),
        trusted_hosts=tuple(env.list("TRUSTED_HOSTS", [])),
        trusted_proxies=env.int("TRUSTED_PROXIES", 0, validate=Range(0, 8)),
        cors_origins=tuple(env.list("CORS_ORIGINS", ["*"])),
        open_webhooks=env.bool("OPEN_WEBHOOKS", False),
        metrics_token=_secret(env, "METRICS_TOKEN") or None,
        metrics_host=env.str("METRICS_HOST", "127.0.0.1"),
        metrics_port=env.int("METRICS_PORT", 0, validate=Range(0, 65535)),
        web_workers=env.int("WEB_WORKERS", _usual_workers(database_url), validate=Range(1, 64)),
        web_threads=env.int("WEB_THREADS", 12, validate=Range(1, 256)),
        database_timeout=env.int("DATABASE_TIMEOUT", 60, validate=Range(1, 86400)),
        web_connections=env.int("WEB_CONNECTIONS", 5000, validate=Range(0, 100_000)),
        web_connections_per_address=env.int(
            "WEB_CONNECTIONS_PER_ADDRESS", 250, validate=Range(0, 100_000)
        ),
        log_format=env.str("LOG_FORMAT", "json", validate=OneOf(["json", "text"])),
        log_level=env.str(
            "LOG_LEVEL", "info", validate=OneOf(["debug", "info", "warning", "error"])
        ),
        limits=_limits(env),
        retention=_retention(env),
    )
    try:
        env.seal()
    except EnvValidationError as error:
        reasons = cast(Mapping[str, list[str]], error.error_messages)
        wrong = "\n".join(f"  {name}: {' '.join(found)}" for name, found in reasons.items())
        raise BadConfiguration(f"These settings cannot be used:\n{wrong}") from error
    _check_url("DATABASE_URL", settings.database_url, ("sqlite", "postgresql"))
    _check_url("PUBLIC_URL", public_url, ("http", "https"))
    _check_url("REDIS_URL", settings.redis_url, ("redis", "rediss", "unix"))
    for url in settings.mail_in:
        mail_source(url)
    if settings.smtp_url is not None:
        smtp_server(settings.smtp_url)
    open_metrics = settings.metrics_port and settings.metrics_host not in LOOPBACK
    if open_metrics and settings.metrics_token is None:
        raise BadConfiguration(
            "LAGUNA_METRICS_HOST is not the loopback interface: set LAGUNA_METRICS_TOKEN, too."
        )
    if not settings.secret_key:
        return replace(settings, secret_key=_kept_secret(data)) if keep_secret else settings
    if len(settings.secret_key) < SECRET_LENGTH:
        raise BadConfiguration(f"LAGUNA_SECRET_KEY must have {SECRET_LENGTH} characters or more.")
    if len(set(settings.secret_key)) < SECRET_CHARACTERS:
        raise BadConfiguration(
            f"LAGUNA_SECRET_KEY must have {SECRET_CHARACTERS} different characters or more; "
            "make one with `openssl rand -hex 32`."
        )
    return settings


def _secret(env: Env, name: str) -> str:
    """A setting that may also stand in a file, which LAGUNA_.._FILE names."""
    value, path = env.str(name, ""), env.str(f"{name}_FILE", "")
    if not path:
        return value
    if value:
        raise BadConfiguration(f"Set either LAGUNA_{name} or LAGUNA_{name}_FILE.")
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BadConfiguration(f"LAGUNA_{name}_FILE is {path}, which cannot be read.") from error


def _secrets(env: Env, name: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in _secret(env, name).split(",") if part.strip())


def _usual_workers(database_url: str) -> int:
    """Web processes: one where writers queue for one file anyway, which saves 120 MB."""
    return 1 if database_url.startswith("sqlite") else 2


def _database_url(given: str, data: Path) -> str:
    """A file is named by its whole path: libraries differ in where they look for another."""
    if not given:
        return f"sqlite:///{data.absolute()}/laguna.db"
    scheme, _, path = given.partition(":///")
    if scheme == "sqlite" and path and not path.startswith(("/", ":memory:", "file:")):
        return f"sqlite:///{Path(path).absolute()}"
    return given


def _limits(env: Env) -> Limits:
    """Every limit can be set, as LAGUNA_LIMIT_REQUESTS or LAGUNA_LIMIT_OPEN_TABLES."""
    found: dict[str, Any] = {
        name: env.int(f"LIMIT_{name.upper()}", value, validate=Range(0))
        if isinstance(value, int)
        else env.str(f"LIMIT_{name.upper()}", value, validate=_is_rate)
        for name, value in asdict(Limits()).items()
    }
    return Limits(**found)


def _retention(env: Env) -> Retention:
    """Every number of days can be set, as LAGUNA_KEEP_EVENTS_DAYS."""
    found: dict[str, int] = {
        name: env.int(f"KEEP_{name.upper()}_DAYS", days, validate=_days(LEAST_DAYS.get(name, 1)))
        for name, days in asdict(Retention()).items()
    }
    return Retention(**found)


def _days(least: int) -> Callable[[int], None]:
    def validate(days: int) -> None:
        if days and not least <= days <= MOST_DAYS:
            raise ValidationError(f"Must be from {least} to {MOST_DAYS}, or 0 to keep them.")

    return validate


def _is_rate(text: str) -> None:
    if text in asdict(Limits()).values():
        return
    from limits import parse  # which takes longer than all the rest of this module

    try:
        parse(text)
    except ValueError as error:
        raise ValidationError("Write it as `600 per minute`.") from error


def _check_url(name: str, url: str | None, schemes: tuple[str, ...]) -> None:
    if url is not None:
        _split(name, url, schemes)


def _split(name: str, url: str, schemes: tuple[str, ...]) -> SplitResult:
    """The parts of an address; what is said about it names no part, which could be a password."""
    try:
        parts = urlsplit(url)
    except ValueError:
        raise BadConfiguration(f"LAGUNA_{name} cannot be read as an address.") from None
    if parts.scheme.split("+")[0] not in schemes:
        wanted = " or ".join(f"{scheme}://" for scheme in schemes)
        raise BadConfiguration(f"LAGUNA_{name} must begin with {wanted}.")
    return parts


class SmtpServer(NamedTuple):
    """Where mails are handed in, and as whom."""

    host: str
    port: int
    encrypted: bool  # from the start; otherwise as soon as the server offers it
    user: str | None
    password: str

    @property
    def name(self) -> str:
        return f"{self.host}:{self.port}"

    def __repr__(self) -> str:
        return f"SmtpServer({self.name})"


def smtp_server(url: str) -> SmtpServer:
    """The mail server with this address; raises BadConfiguration."""
    parts = _split("SMTP_URL", url, ("smtp", "smtps"))
    encrypted = parts.scheme == "smtps"
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    try:
        port = parts.port
    except ValueError:
        port = 0
    if not parts.hostname or port == 0 or parts.path.strip("/") or parts.query or parts.fragment:
        raise BadConfiguration(
            "LAGUNA_SMTP_URL must look like smtp://host:port or smtp://name:password@host:port;"
            " in name and password write / as %2F, ? as %3F and # as %23."
        )
    if bool(user) != bool(password) or not f"{user}{password}".isascii():
        raise BadConfiguration(
            "LAGUNA_SMTP_URL must have both name and password or neither, in plain ASCII."
        )
    usual = 465 if encrypted else 587 if user else 25
    return SmtpServer(parts.hostname, port or usual, encrypted, user or None, password)


class MailSource(NamedTuple):
    """Where mails come in: a port on which we listen, or a mailbox that we look into."""

    kind: str  # lmtp, smtp, imap or imaps
    host: str
    port: int
    user: str
    password: str
    folder: str

    def __repr__(self) -> str:
        return f"MailSource({self.kind}://{self.host}:{self.port})"


_USUAL_PORTS = {"lmtp": 24, "smtp": 25, "imap": 143, "imaps": 993}


def mail_source(url: str) -> MailSource:
    """One of the addresses in LAGUNA_MAIL_IN; raises BadConfiguration."""
    parts = _split("MAIL_IN", url, tuple(_USUAL_PORTS))
    mailbox = parts.scheme in ("imap", "imaps")
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    try:
        port = parts.port
    except ValueError:
        port = 0
    signed = bool(user) and bool(password) if mailbox else not user and not password
    if not parts.hostname or port == 0 or not signed or parts.query or parts.fragment:
        raise BadConfiguration(
            "LAGUNA_MAIL_IN must be a list of addresses like lmtp://127.0.0.1:2424,"
            " smtp://0.0.0.0:2525 or imaps://name:password@host/INBOX; in name and password write"
            " / as %2F, , as %2C, ? as %3F and # as %23."
        )
    folder = unquote(parts.path.strip("/"))
    if folder and not mailbox:
        raise BadConfiguration("LAGUNA_MAIL_IN: only a mailbox has a folder after its host.")
    return MailSource(
        parts.scheme,
        parts.hostname,
        port or _USUAL_PORTS[parts.scheme],
        user,
        password,
        folder or "INBOX",
    )


def _domain(text: str) -> str:
    return text.rpartition("@")[2].lower().rstrip(".") or "localhost"


def _kept_secret(data: Path) -> str:
    """A key made at the first start and kept beside the data.

    It appears under its name complete or not at all: two processes may start at once.
    """
    path = data / "secret.key"
    try:
        private_directory(data)
        make_private(path)
        if not path.exists():
            new = data / f"secret.{secrets.token_hex(8)}"
            new.touch(mode=0o600)
            new.write_text(secrets.token_hex(32))
            with contextlib.suppress(FileExistsError):
                os.link(new, path)
            new.unlink()
        return path.read_text().strip()
    except OSError as error:
        raise BadConfiguration(
            f"LAGUNA_DATA is {data}, but we cannot write there: {error.strerror}."
        ) from error
