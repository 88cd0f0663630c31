"""Ways to answer a question on the page of a game, always with the first that is offered."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

Way = Callable[[Page], None]


def by_panel(page: Page) -> None:
    page.locator("#decision .option").first.click()


def by_board(page: Page) -> None:
    """What is drawn nowhere is only in the panel."""
    marks = page.locator("#board .mark.open")
    if marks.count():
        marks.nth(marks.evaluate_all(FIRST_UNCOVERED)).click()
    else:
        by_panel(page)


# A ship may lie on the middle of its space; people click beside it, a program on the ship.
FIRST_UNCOVERED = """(marks) => marks.findIndex((mark) => {
  const isOnTop = () => {
    const { x, y, width, height } = mark.getBoundingClientRect();
    return mark.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  };
  if (!isOnTop()) {
    mark.scrollIntoView({ block: "center" });
  }
  return isOnTop();
})"""


def by_keys(page: Page) -> None:
    """From wherever the focus is."""
    for _ in range(FARTHEST):
        if page.evaluate("document.activeElement.matches('.mark.open, #decision .option')"):
            page.keyboard.press("Enter")
            return
        page.keyboard.press("Tab")
    raise AssertionError("nothing that can be chosen comes by Tab")


FARTHEST = 60  # things on a page before the question


def is_asked(page: Page) -> None:
    """Wait for a question."""
    expect(page.locator("#decision.urgent .step").locator(".option, .play").first).to_be_visible()


def choose(page: Page, way: Way) -> None:
    """Choose as far as it takes, without playing it."""
    is_asked(page)
    while not page.locator("#decision .play").is_visible():
        way(page)


def decide(page: Page, way: Way) -> None:
    choose(page, way)
    with page.expect_response("**/moves") as answered:
        if way is by_keys:
            expect(page.locator("#decision .play")).to_be_focused()
            page.keyboard.press("Enter")
        else:
            page.locator("#decision .play").click()
    assert answered.value.ok, answered.value.text()
    expect(page.locator("#decision .busy")).to_have_count(0)
