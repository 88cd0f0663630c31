"""`laguna openapi` and `laguna config`: the API contract and the settings."""

import argparse
import difflib
import os
import re
import sys
from dataclasses import asdict, fields
from pathlib import Path
from urllib.parse import urlsplit

import yaml

from service.api.openapi import openapi_document, openapi_yaml
from service.core import config as configuration

CONTRACT = Path(__file__).parents[2] / "openapi.yaml"
MASK = "***"
SECRET = ("secret_key", "old_secret_keys", "mail_hook_secret", "metrics_token")
NO_VARIABLE = ("max_body", "limits", "retention")  # each limit has its own


def openapi(options: argparse.Namespace) -> int:
    document = openapi_document(configuration.from_environment(keep_secret=False))
    path: Path = options.file or CONTRACT
    written = path.read_text(encoding="utf-8") if path.exists() else ""
    emitted = openapi_yaml(document)
    if not options.check:
        if written != emitted:
            path.write_text(emitted, encoding="utf-8")
        print(f"{_shown(path)} is {'up to date' if written == emitted else 'written'}")
        return 0
    if yaml.load(written, Loader=yaml.CSafeLoader) == document:
        print(f"{_shown(path)} is up to date")
        return 0
    sys.stdout.writelines(
        difflib.unified_diff(
            written.splitlines(keepends=True),
            emitted.splitlines(keepends=True),
            _shown(path),
            "the app",
        )
    )
    print(f"{_shown(path)} is out of date; run `make openapi`", file=sys.stderr)
    return 1


def _shown(path: Path) -> str:
    return os.path.relpath(path)


def config(_: argparse.Namespace) -> int:
    settings = configuration.from_environment(keep_secret=False)
    for name, value in shown_settings(settings).items():
        print(f"{name}={value}")
    return 0


def shown_settings(settings: configuration.Settings) -> dict[str, str]:
    """Every variable with its value, secrets masked."""
    shown = {
        f"LAGUNA_{field.name.upper()}": masked(field.name, getattr(settings, field.name))
        for field in fields(settings)
        if field.name not in NO_VARIABLE
    }
    shown |= {
        f"LAGUNA_LIMIT_{name.upper()}": str(value)
        for name, value in asdict(settings.limits).items()
    }
    return shown | {
        f"LAGUNA_KEEP_{name.upper()}_DAYS": str(value)
        for name, value in asdict(settings.retention).items()
    }


def masked(name: str, value: object) -> str:
    """A setting without secrets and passwords."""
    if name == "secret_key":
        return MASK if value else "(in the data directory)"
    if name in SECRET:
        return MASK if value else ""
    if isinstance(value, tuple):
        return ",".join(_without_password(one) for one in value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and name.endswith("_url"):
        return _without_password(value)
    return "" if value is None else str(value)


def _without_password(value: str) -> str:
    password = urlsplit(value).password
    shown = value.replace(f":{password}@", f":{MASK}@", 1) if password else value
    return re.sub(r"(?<=password=)[^&]*", MASK, shown)
