"""The configuration: everything wrong is told at the start, in words."""

import traceback
from pathlib import Path

import pytest
from flask import request

from service.core.config import BadConfiguration, from_environment, smtp_server
from tests.support.site import Site, settings_for


@pytest.fixture(autouse=True)
def own_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("LAGUNA_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def test_every_setting_has_a_default(own_data: Path) -> None:
    settings = from_environment()
    assert settings.port == 8000
    assert settings.database_url == f"sqlite:///{own_data}/laguna.db"
    assert settings.public_url == "http://localhost:8000"
    assert not settings.secure


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("sqlite:///laguna.db", "sqlite:///{here}/laguna.db"),
        ("sqlite:///./data/laguna.db?timeout=5", "sqlite:///{here}/data/laguna.db?timeout=5"),
        ("sqlite:////srv/laguna.db", "sqlite:////srv/laguna.db"),
        ("sqlite:///:memory:", "sqlite:///:memory:"),
        ("sqlite://", "sqlite://"),
        ("postgresql:///laguna", "postgresql:///laguna"),
    ],
)
def test_a_relative_path_is_resolved_in_the_working_directory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, given: str, meant: str
) -> None:
    """So that the service and `laguna backup` mean the same one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LAGUNA_DATABASE_URL", given)
    assert from_environment().database_url == meant.format(here=tmp_path)


def test_the_key_is_made_once_and_kept_for_its_owner_only(own_data: Path) -> None:
    first = from_environment().secret_key
    assert len(first) == 64
    assert from_environment().secret_key == first
    assert (own_data / "secret.key").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("PORT", "eighty", "PORT"),
        ("PORT", "70000", "PORT"),
        ("WEB_THREADS", "0", "WEB_THREADS"),
        ("LOG_FORMAT", "xml", "LOG_FORMAT"),
        ("DATABASE_URL", "mysql://x", "sqlite:// or postgresql://"),
        ("PUBLIC_URL", "laguna.example", "http:// or https://"),
        ("REDIS_URL", "http://x", "redis://"),
        ("SMTP_URL", "mail.example", "smtp://"),
        ("SMTP_URL", "smtp://", "must look like"),
        ("SMTP_URL", "smtp://mail.example:0", "must look like"),
        ("SMTP_URL", "smtp://anna@mail.example", "both name and password"),
        ("DATABASE_URL", "postgresql://[::1", "cannot be read"),
        ("SECRET_KEY", "short", "32 characters"),
        ("LIMIT_REQUESTS", "often", "600 per minute"),
        ("LIMIT_OPEN_TABLES", "-1", "LIMIT_OPEN_TABLES"),
        ("OPEN_WEBHOOKS", "perhaps", "OPEN_WEBHOOKS"),
    ],
)
def test_an_invalid_setting_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str
) -> None:
    monkeypatch.setenv(f"LAGUNA_{name}", value)
    with pytest.raises(BadConfiguration, match=said):
        from_environment()


def test_all_configuration_errors_are_reported_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAGUNA_PORT", "x")
    monkeypatch.setenv("LAGUNA_LOG_LEVEL", "loud")
    with pytest.raises(BadConfiguration) as refused:
        from_environment()
    assert "PORT" in str(refused.value)
    assert "LOG_LEVEL" in str(refused.value)


def test_secrets_do_not_show_when_the_settings_are_printed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LAGUNA_SECRET_KEY", "s3cret-4uv" * 10)
    monkeypatch.setenv("LAGUNA_SMTP_URL", "smtp://user:pa55word@mail.example")
    shown = repr(from_environment())
    assert "s3cret" not in shown
    assert "pa55word" not in shown


@pytest.mark.parametrize(
    "url",
    [
        "smtp://user:pa55/word@mail.example",
        "smtp://user:pa55?word@mail.example:587",
        "smtp://user:pa55#word@mail.example",
        "smtp://user:pa55[word@mail.example",
        "smtp://user:@mail.example:pa55word",
        "smtp://user:pa55w%C3%B6rd@mail.example",
        "smtp://user:pa55w\u2100rd@mail.example",
    ],
)
def test_an_address_of_the_mail_server_is_refused_without_telling_the_password(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("LAGUNA_SMTP_URL", url)
    with pytest.raises(BadConfiguration, match="LAGUNA_SMTP_URL") as refused:
        from_environment()
    told = "".join(traceback.format_exception(refused.value))
    assert "pa55" not in told


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("smtp://mail.example", ("mail.example", 25, False, None, "")),
        ("smtp://mail.example:2525/", ("mail.example", 2525, False, None, "")),
        ("smtp://anna:a%2Fb%40c@mail.example", ("mail.example", 587, False, "anna", "a/b@c")),
        ("smtps://an%40na:p@[::1]", ("::1", 465, True, "an@na", "p")),
    ],
)
def test_the_address_of_the_mail_server_says_who_signs_in(url: str, server: object) -> None:
    assert smtp_server(url) == server
    assert "a/b" not in repr(smtp_server(url))


@pytest.mark.parametrize(
    ("url", "proxies", "warned"),
    [
        ("https://games.example", 0, True),
        ("https://games.example", 1, False),
        ("http://localhost:8000", 0, False),
    ],
)
def test_a_public_address_without_trusted_proxies_is_warned_about(
    tmp_path: Path, url: str, proxies: int, warned: bool
) -> None:
    found = settings_for(tmp_path, "sqlite://", public_url=url, trusted_proxies=proxies).warnings
    assert bool(found) == warned
    assert all("LAGUNA_TRUSTED_PROXIES" in warning for warning in found)


@pytest.mark.parametrize("key", ["a" * 32, "abcdefg" * 10])
def test_a_secret_key_of_few_different_characters_is_refused(
    monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("LAGUNA_SECRET_KEY", key)
    with pytest.raises(BadConfiguration, match="LAGUNA_SECRET_KEY must have 8 different") as told:
        from_environment()
    assert key not in str(told.value)


def test_a_proxy_tells_the_client_and_the_scheme_but_not_the_host(tmp_path: Path) -> None:
    app = Site(settings_for(tmp_path, "sqlite://", trusted_proxies=1)).app
    seen: list[tuple[str | None, str, str]] = []
    app.before_request_funcs[None].insert(
        0, lambda: seen.append((request.remote_addr, request.scheme, request.host))
    )
    app.test_client().get(
        "/healthz",
        headers={
            "X-Forwarded-For": "192.0.2.9",
            "X-Forwarded-Proto": "https",
            "X-Forwarded-Host": "evil.example",
        },
    )
    assert seen == [("192.0.2.9", "https", "localhost")]


def test_secrets_may_stand_in_files(
    own_data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    contents = {
        "SECRET_KEY": "0123456789abcdef" * 2,
        "OLD_SECRET_KEYS": "first,second",
        "DATABASE_URL": "postgresql://laguna:geheim@db.example/laguna",
        "REDIS_URL": "redis://:geheim@redis.example",
        "SMTP_URL": "smtp://name:geheim@mail.example:587",
        "MAIL_IN": "lmtp://127.0.0.1:2424",
        "MAIL_HOOK_SECRET": "hook",
        "METRICS_TOKEN": "token",
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(f"{content}\n")
        monkeypatch.setenv(f"LAGUNA_{name}_FILE", str(tmp_path / name))
    settings = from_environment()
    assert settings.secret_key == contents["SECRET_KEY"]
    assert settings.old_secret_keys == ("first", "second")
    assert settings.database_url == contents["DATABASE_URL"]
    assert settings.redis_url == contents["REDIS_URL"]
    assert settings.smtp_url == contents["SMTP_URL"]
    assert settings.mail_in == ("lmtp://127.0.0.1:2424",)
    assert (settings.mail_hook_secret, settings.metrics_token) == ("hook", "token")
    assert not (own_data / "secret.key").exists()


def test_a_secret_in_two_places_or_in_no_file_is_refused(
    own_data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LAGUNA_METRICS_TOKEN_FILE", str(tmp_path / "missing"))
    with pytest.raises(BadConfiguration, match="LAGUNA_METRICS_TOKEN_FILE is "):
        from_environment()
    monkeypatch.setenv("LAGUNA_METRICS_TOKEN", "token")
    with pytest.raises(BadConfiguration, match="either LAGUNA_METRICS_TOKEN or"):
        from_environment()
