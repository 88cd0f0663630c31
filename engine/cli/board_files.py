"""Board files named in settings, read once at the start of a process."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from engine.errors import BadSetup
from engine.registry import BOARD_FILES, BoardFiles


def use_board_files(settings: Mapping[str, str]) -> None:
    """Give each game type the boards whose files the settings name; raises BadSetup."""
    for setting, kind in BOARD_FILES.items():
        kind.use(list(_boards(setting, settings.get(setting, ""), kind)))


def _boards(setting: str, paths: str, kind: BoardFiles) -> Iterator[Any]:
    for path in filter(None, paths.split(os.pathsep)):
        try:
            yield kind.parse(Path(path).read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise BadSetup(f"{setting}: {path} cannot be used: {error}") from None
