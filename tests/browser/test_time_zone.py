"""The time zone of a new account: the browser tells it, or the page says that nobody did."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/Lima"])
def test_a_new_account_has_the_time_zone_of_the_browser(visit: Visit, zone: str) -> None:
    anna = visit("Anna", timezone_id=zone)
    anna.opens("/")
    anna.signs_up()
    assert anna.caller.get("/v1/me").json["time_zone"] == zone  # type: ignore[index]


def test_the_time_zone_of_the_browser_is_preselected(visit: Visit) -> None:
    anna = visit("Anna", timezone_id="Europe/Berlin").is_known()
    page = anna.opens("/account?next=/")
    expect(page.get_by_label("Time zone")).to_have_value("Europe/Berlin")
    expect(page.get_by_text("did not tell us your time zone")).to_have_count(0)


def test_without_script_the_page_says_that_deadlines_are_in_utc(visit: Visit) -> None:
    anna = visit("Anna", timezone_id="Europe/Berlin", java_script_enabled=False)
    page = anna.opens("/")
    anna.signs_up_to_the_welcome()
    expect(page.get_by_text("did not tell us your time zone")).to_be_visible()
    page.get_by_label("Time zone").select_option("Europe/Rome")
    page.get_by_label("Name").fill("Anna")
    page.get_by_role("button", name="Go on").click()
    assert anna.caller.get("/v1/me").json["time_zone"] == "Europe/Rome"  # type: ignore[index]
