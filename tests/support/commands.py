"""Commands as an operator types them."""

import os
from pathlib import Path

import pytest

from service.cli import main
from tests.support.site import SECRET_KEY


class Said:
    """Runner of commands that returns their output."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def well(self, *arguments: str) -> str:
        code, out, err = self.any(*arguments)
        assert code == 0, out + err
        return out

    def wrong(self, *arguments: str, code: int = 2) -> str:
        found, out, err = self.any(*arguments)
        assert found == code, out
        assert "Traceback" not in err
        return err

    def any(self, *arguments: str) -> tuple[int, str, str]:
        try:
            code = main(arguments)
        except SystemExit as by_argparse:
            code = int(by_argparse.code or 0)
        printed = self.capsys.readouterr()
        return code, printed.out, printed.err


def set_environment(monkeypatch: pytest.MonkeyPatch, database_url: str, data: Path) -> None:
    """Settings of a separate site, independent of the environment."""
    for name in [name for name in os.environ if name.startswith("LAGUNA_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("LAGUNA_DATA", str(data))
    monkeypatch.setenv("LAGUNA_DATABASE_URL", database_url)
    monkeypatch.setenv("LAGUNA_SECRET_KEY", SECRET_KEY)
    # Logs are set up once per process, and this one goes on with other tests.
    monkeypatch.setattr("service.cli.command_app.configure_logging", lambda _: None)
