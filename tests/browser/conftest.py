"""What the tests in the browser share."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.person import Person
from tests.browser.running_site import RunningSite, running_site_of

PATIENCE = 30_000  # milliseconds: what comes, comes much sooner, but machines can be busy
# What moves costs time; a test that wants it says so.
USUAL: dict[str, Any] = {"locale": "en-GB", "reduced_motion": "reduce"}
PHONE: dict[str, Any] = {
    "viewport": {"width": 360, "height": 740},
    "has_touch": True,
    "is_mobile": True,
}

Visit = Callable[..., Person]


@pytest.fixture(scope="session")
def running_site(migrated_sqlite: Path) -> Iterator[RunningSite]:
    with running_site_of(migrated_sqlite) as living:
        yield living


@pytest.fixture(scope="module")
def chromium(chromium_server: str) -> Iterator[Browser]:
    """The browser of this run. Playwright keeps an event loop running in this thread, which must
    not be there when tests of other folders have their turn."""
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.connect(chromium_server)
        yield browser
        browser.close()


@pytest.fixture
def visit(running_site: RunningSite, chromium: Browser) -> Iterator[Visit]:
    """Somebody opens a browser: `visit("Anna", color_scheme="dark")`. In the end none of their
    pages may have complained."""
    visitors: list[Person] = []

    def come(name: str, **options: Any) -> Person:
        context = chromium.new_context(**(USUAL | {"base_url": running_site.url} | options))
        context.set_default_timeout(PATIENCE)
        visitors.append(Person(running_site, name, context))
        return visitors[-1]

    yield come
    complaints = [f"{who.name}: {said}" for who in visitors for said in who.watch.complaints()]
    for who in visitors:
        who.context.close()
    assert not complaints, "\n".join(complaints)
