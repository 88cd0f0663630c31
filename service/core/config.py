"""Settings, read from the environment and checked at the start of a process."""

import contextlib
import os
import secrets
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from email.utils import parseaddr
from pathlib import Path
from typing import Any, NamedTuple, cast
from urllib.parse import SplitResult, unquote, urlsplit

from environs import Env, EnvValidationError
from marshmallow import ValidationError
from marshmallow.validate import OneOf, Range

from service.core.private_files import make_private, private_directory

MEGABYTE = 1024 * 1024
MOST_DAYS = 36_500
SECRET_LENGTH = 32
SECRET_CHARACTERS = 8  # different ones; a random key of 32 hex digits has 14
LOOPBACK = ("127.0.0.1", "::1", "localhost")


class BadConfiguration(Exception):
    """Invalid settings; the text names each of them with its valid values."""


@dataclass(frozen=True)
class Limits:
    """Limits for one person or one network address."""

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
    joins: str = "60 per hour"  # seats taken by a person, bots included
    offers: str = "6 per hour"  # to end or to pause a game, for each seat
    mails_per_person_and_day: int = 500  # incoming mails to the letters of one person
    mail_megabytes_per_person_and_day: int = 100
    mails_per_address_and_hour: int = 20  # incoming mails to one signed address
    mails_per_sender_and_hour: int = 60  # incoming mails about the letters of one person
    mails_to_own_address_per_day: int = 1000  # incoming mails to the server's own address
    mail_commands_per_person_and_day: int = 20  # carried out, of mails to the own address
    confirmation_mails_per_address_and_day: int = 2  # to addresses without an account
    confirmation_mails_per_day: int = 300  # to all of them together
    waiting_requests: int = 4000  # of one web process; further ones are refused
    waiting_requests_per_person: int = 20  # of one web process, bots included


@dataclass(frozen=True)
class Retention:
    """Retention periods in days of rows that are not needed to play; 0 keeps them for ever."""

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


# Other features need these: bounces are counted for a month, letters can be answered for 100 days.
LEAST_DAYS = {"events": 31, "letters": 102, "decisions": 102}


def _setting(default: Any, validate: Callable[[Any], Any] | None = None) -> Any:
    """A field of Settings with a plain value, read from the variable LAGUNA_<NAME>."""
    return field(default=default, metadata={"plain": True, "validate": validate})


@dataclass(frozen=True)
class Settings:
    """All settings of the service."""

    data: Path
    database_url: str
    public_url: str
    secret_key: str = field(repr=False)
    old_secret_keys: tuple[str, ...] = field(repr=False)  # still valid for reading signatures
    redis_url: str | None = field(repr=False)
    smtp_url: str | None = field(repr=False)
    mail_from: str
    mail_domain: str  # of reply addresses
    mail_in: tuple[str, ...] = field(repr=False)  # sources of `laguna mail-in`
    mail_hook_secret: str | None = field(repr=False)  # with which a provider signs mails
    trusted_hosts: tuple[str, ...]
    cors_origins: tuple[str, ...]
    metrics_token: str | None = field(repr=False)
    web_workers: int
    host: str = _setting("127.0.0.1")
    port: int = _setting(8000, Range(1, 65535))
    trusted_proxies: int = _setting(0, Range(0, 8))
    open_webhooks: bool = _setting(False)
    web_threads: int = _setting(12, Range(1, 256))
    web_connections: int = _setting(5000, Range(0, 100_000))  # of a process; 0: no limit
    web_connections_per_address: int = _setting(250, Range(0, 100_000))  # without a proxy
    log_format: str = _setting("json", OneOf(["json", "text"]))
    log_level: str = _setting("info", OneOf(["debug", "info", "warning", "error"]))
    # Accounts for everybody, for people with an invitation, or for nobody new.
    sign_up: str = _setting("open", OneOf(["open", "invited", "closed"]))
    mail_check_sender: bool = _setting(False)  # replies must come from the account's address
    mail_delay: int = _setting(60, Range(0, 86400))  # seconds before a turn is mailed
    mail_megabytes: int = _setting(10, Range(1, 50))  # of one incoming mail
    operator_mail: str = _setting("")  # gets the mails to postmaster@ and abuse@
    audit_share: int = _setting(5, Range(0, 33))  # percent of one core
    # Seconds of a statement; see `WEB_DATABASE_SECONDS`.
    database_timeout: int = _setting(60, Range(1, 86400))
    metrics_host: str = _setting("127.0.0.1")
    metrics_port: int = _setting(0, Range(0, 65535))  # of each process group; 0: no metrics
    max_body: int = MEGABYTE
    limits: Limits = field(default_factory=Limits)
    retention: Retention = field(default_factory=Retention)

    @property
    def secure(self) -> bool:
        """Whether clients use https, which cookies then require."""
        return self.public_url.startswith("https://")

    @property
    def session_cookie(self) -> str:
        """The prefix binds a cookie to this host, to the path / and to https."""
        return "__Host-laguna" if self.secure else "laguna"

    @property
    def takes_replies(self) -> bool:
        """Whether replies to letters arrive; without a mail server the page /mailbox takes them."""
        return self.smtp_url is None or bool(self.mail_in) or self.mail_hook_secret is not None

    @property
    def largest_mail(self) -> int:
        """Bytes of the largest incoming mail."""
        return self.mail_megabytes * 1_000_000

    @property
    def warnings(self) -> list[str]:
        """Sentences about settings that are valid and probably a mistake."""
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

    Without `keep_secret` no key is generated: a missing secret key stays empty.
    """
    env = Env(eager=False, prefix="LAGUNA_")
    data = Path(env.str("DATA", "var"))
    plain = _plain_settings(env)
    mail_from = env.str("MAIL_FROM", "Laguna <laguna@localhost>")
    database_url = _database_url(_secret(env, "DATABASE_URL"), data)
    settings = Settings(
        data=data,
        database_url=database_url,
        public_url=(env.str("PUBLIC_URL", "") or f"http://localhost:{plain['port']}").rstrip("/"),
        secret_key=_secret(env, "SECRET_KEY"),
        old_secret_keys=_secrets(env, "OLD_SECRET_KEYS"),
        redis_url=_secret(env, "REDIS_URL") or None,
        smtp_url=_secret(env, "SMTP_URL") or None,
        mail_from=mail_from,
        mail_domain=_domain(env.str("MAIL_DOMAIN", "") or parseaddr(mail_from)[1]),
        mail_in=_secrets(env, "MAIL_IN"),
        mail_hook_secret=_secret(env, "MAIL_HOOK_SECRET") or None,
        trusted_hosts=tuple(env.list("TRUSTED_HOSTS", [])),
        cors_origins=tuple(env.list("CORS_ORIGINS", ["*"])),
        metrics_token=_secret(env, "METRICS_TOKEN") or None,
        web_workers=env.int("WEB_WORKERS", _usual_workers(database_url), validate=Range(1, 64)),
        limits=_limits(env),
        retention=_retention(env),
        **plain,
    )
    try:
        env.seal()
    except EnvValidationError as error:
        reasons = cast(Mapping[str, list[str]], error.error_messages)
        wrong = "\n".join(f"  {name}: {' '.join(found)}" for name, found in reasons.items())
        raise BadConfiguration(f"Invalid settings:\n{wrong}") from error
    _check(settings)
    if settings.secret_key or not keep_secret:
        return settings
    return replace(settings, secret_key=_kept_secret(data))


def _plain_settings(env: Env) -> dict[str, Any]:
    readers: dict[type, Callable[..., Any]] = {bool: env.bool, int: env.int, str: env.str}
    return {
        one.name: readers[type(one.default)](
            one.name.upper(), one.default, validate=one.metadata["validate"]
        )
        for one in fields(Settings)
        if "plain" in one.metadata
    }


def _check(settings: Settings) -> None:
    """Check URLs and settings that depend on each other."""
    _split("DATABASE_URL", settings.database_url, ("sqlite", "postgresql"))
    _split("PUBLIC_URL", settings.public_url, ("http", "https"))
    if settings.redis_url is not None:
        _split("REDIS_URL", settings.redis_url, ("redis", "rediss", "unix"))
    for url in settings.mail_in:
        mail_source(url)
    if settings.smtp_url is not None:
        smtp_server(settings.smtp_url)
    open_metrics = settings.metrics_port and settings.metrics_host not in LOOPBACK
    if open_metrics and settings.metrics_token is None:
        raise BadConfiguration(
            "LAGUNA_METRICS_HOST is not the loopback interface: set LAGUNA_METRICS_TOKEN, too."
        )
    key = settings.secret_key
    if key and len(key) < SECRET_LENGTH:
        raise BadConfiguration(f"LAGUNA_SECRET_KEY must have {SECRET_LENGTH} characters or more.")
    if key and len(set(key)) < SECRET_CHARACTERS:
        raise BadConfiguration(
            f"LAGUNA_SECRET_KEY must have {SECRET_CHARACTERS} different characters or more; "
            "make one with `openssl rand -hex 32`."
        )


def _secret(env: Env, name: str) -> str:
    """A setting that may also be the contents of the file LAGUNA_<NAME>_FILE."""
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
    """One web process with SQLite, where writers queue anyway; it saves 120 MB."""
    return 1 if database_url.startswith("sqlite") else 2


def _database_url(given: str, data: Path) -> str:
    """The URL with an absolute path: libraries resolve relative ones differently."""
    if not given:
        return f"sqlite:///{data.absolute()}/laguna.db"
    scheme, _, path = given.partition(":///")
    if scheme == "sqlite" and path and not path.startswith(("/", ":memory:", "file:")):
        return f"sqlite:///{Path(path).absolute()}"
    return given


def _limits(env: Env) -> Limits:
    found: dict[str, Any] = {
        name: env.int(f"LIMIT_{name.upper()}", value, validate=Range(0))
        if isinstance(value, int)
        else env.str(f"LIMIT_{name.upper()}", value, validate=_is_rate)
        for name, value in asdict(Limits()).items()
    }
    return Limits(**found)


def _retention(env: Env) -> Retention:
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
    from limits import parse  # slow to import

    try:
        parse(text)
    except ValueError as error:
        raise ValidationError("Write it as `600 per minute`.") from error


def _split(name: str, url: str, schemes: tuple[str, ...]) -> SplitResult:
    """The parts of a URL; errors quote none of them, since one may be a password."""
    try:
        parts = urlsplit(url)
    except ValueError:
        raise BadConfiguration(f"LAGUNA_{name} cannot be read as a URL.") from None
    if parts.scheme.split("+")[0] not in schemes:
        wanted = " or ".join(f"{scheme}://" for scheme in schemes)
        raise BadConfiguration(f"LAGUNA_{name} must begin with {wanted}.")
    return parts


def _split_mail_url(name: str, url: str, schemes: tuple[str, ...]) -> SplitResult:
    parts = _split(name, url, schemes)
    try:
        _ = parts.port
    except ValueError:
        raise BadConfiguration(f"LAGUNA_{name} has an invalid port.") from None
    return parts


class SmtpServer(NamedTuple):
    """The mail server for outgoing mail, and the account on it."""

    host: str
    port: int
    encrypted: bool  # from the start; otherwise by STARTTLS, if the server offers it
    user: str | None
    password: str

    @property
    def name(self) -> str:
        return f"{self.host}:{self.port}"

    def __repr__(self) -> str:
        return f"SmtpServer({self.name})"


def smtp_server(url: str) -> SmtpServer:
    """The mail server with this URL; raises BadConfiguration."""
    parts = _split_mail_url("SMTP_URL", url, ("smtp", "smtps"))
    host, port = parts.hostname, parts.port
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    if not host or port == 0 or parts.path.strip("/") or parts.query or parts.fragment:
        raise BadConfiguration(
            "LAGUNA_SMTP_URL must look like smtp://host:port or smtp://name:password@host:port;"
            " in name and password write / as %2F, ? as %3F and # as %23."
        )
    if bool(user) != bool(password) or not f"{user}{password}".isascii():
        raise BadConfiguration(
            "LAGUNA_SMTP_URL must have both name and password or neither, in plain ASCII."
        )
    encrypted = parts.scheme == "smtps"
    usual = 465 if encrypted else 587 if user else 25
    return SmtpServer(host, port or usual, encrypted, user or None, password)


class MailSource(NamedTuple):
    """A source of incoming mail: a port to listen on, or a mailbox to poll."""

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
    """The source with this URL of LAGUNA_MAIL_IN; raises BadConfiguration."""
    parts = _split_mail_url("MAIL_IN", url, tuple(_USUAL_PORTS))
    kind, host, folder = parts.scheme, parts.hostname, unquote(parts.path.strip("/"))
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    mailbox = kind in ("imap", "imaps")
    has_account = bool(user) and bool(password) if mailbox else not user and not password
    if not host or parts.port == 0 or not has_account or parts.query or parts.fragment:
        raise BadConfiguration(
            "LAGUNA_MAIL_IN must be a list of addresses like lmtp://127.0.0.1:2424,"
            " smtp://0.0.0.0:2525 or imaps://name:password@host/INBOX; in name and password write"
            " / as %2F, , as %2C, ? as %3F and # as %23."
        )
    if folder and not mailbox:
        raise BadConfiguration("LAGUNA_MAIL_IN: only a mailbox has a folder after its host.")
    port = parts.port or _USUAL_PORTS[kind]
    return MailSource(kind, host, port, user, password, folder or "INBOX")


def _domain(text: str) -> str:
    return text.rpartition("@")[2].lower().rstrip(".") or "localhost"


def _kept_secret(data: Path) -> str:
    """The key in the data directory, generated at the first start.

    `link` makes it appear complete, also if two processes start at once.
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
            f"LAGUNA_DATA is {data}, which cannot be written: {error.strerror}."
        ) from error
