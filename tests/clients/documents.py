"""The client page: its code is the code that the tests run."""

import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CONTRACT = ROOT / "openapi.yaml"
PAGE = ROOT / "docs" / "clients.md"
# Programs of this virtual environment are found, whether it was activated or not.
ENVIRONMENT = os.environ | {
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
}


def block(language: str) -> str:
    """The one block of the page in this language."""
    [found] = blocks(language)
    return found


def blocks(language: str) -> list[str]:
    page = PAGE.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
