"""The files for browsers: scripts that find each other, a page to install, one while offline."""

import json
import re
import struct

import pytest

from service.web.rendering import STATIC
from tests.support.browser import Browser
from tests.support.site import Site

FILES = sorted(path.name for path in STATIC.iterdir())
SCRIPTS = [name for name in FILES if name.endswith(".js")]
IMPORTED = re.compile(r'\bfrom "([^"]+)"|\bimport "([^"]+)"')
ADDRESS = re.compile(r"https?://[^\s\"'`)]+")
NAMESPACE = "http://www.w3.org/2000/svg"


def content(name: str) -> str:
    return (STATIC / name).read_text()


def addresses(markup: str) -> set[str]:
    """The files that a page needs."""
    return set(re.findall(r'(?:src|href)="(/static/[^"]+|/manifest[^"]*)"', markup))


def test_every_static_file_has_its_content_type(site: Site) -> None:
    for name in FILES:
        answer = site.client.get(f"/static/older/{name}")
        assert answer.status_code == 200
        assert answer.data == (STATIC / name).read_bytes()
        assert answer.mimetype != "application/octet-stream", name


@pytest.mark.parametrize("name", SCRIPTS)
def test_script_imports_exist(name: str) -> None:
    for found in IMPORTED.finditer(content(name)):
        module = found[1] or found[2]
        assert module.startswith("./")
        assert module.removeprefix("./") in SCRIPTS


@pytest.mark.parametrize("name", [name for name in FILES if not name.endswith(".png")])
def test_no_file_names_another_host(name: str) -> None:
    assert set(ADDRESS.findall(content(name))) <= {NAMESPACE}


@pytest.mark.parametrize("name", SCRIPTS)
def test_no_script_makes_elements_from_strings(name: str) -> None:
    dangerous = r"\b(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write|\beval\b|new Function"
    assert re.findall(dangerous, content(name)) == []


def test_files_that_pages_refer_to_exist(site: Site) -> None:
    anna = Browser(site)
    anna.signs_in("Anna")
    for page in (site.client.get("/").text, anna.client.get("/").text):
        needed = addresses(page)
        assert {address.rpartition("/")[2] for address in needed} >= {
            "laguna.css",
            "laguna.js",
            "manifest.webmanifest",
        }
        for address in needed:
            assert site.client.get(address).status_code == 200


def test_the_page_can_be_installed(site: Site) -> None:
    answer = site.client.get("/manifest.webmanifest")
    assert answer.mimetype == "application/manifest+json"
    manifest = json.loads(answer.data)
    assert (manifest["start_url"], manifest["scope"]) == ("/", "/")
    pictures = [icon for icon in manifest["icons"] if icon["type"] == "image/png"]
    shapes = {(icon["sizes"], icon.get("purpose", "any")) for icon in pictures}
    assert shapes == {(f"{n}x{n}", kind) for n in (192, 512) for kind in ("any", "maskable")}
    for icon in manifest["icons"]:
        assert site.client.get(icon["src"]).mimetype == icon["type"]
    for icon in pictures:
        assert icon["sizes"] == _size(site.client.get(icon["src"]).data)


def _size(png: bytes) -> str:
    width, height = struct.unpack(">II", png[16:24])
    return f"{width}x{height}"


def test_the_service_worker_has_site_scope_and_is_revalidated(site: Site) -> None:
    answer = site.client.get("/sw.js")
    assert answer.mimetype == "text/javascript"
    assert answer.headers["Cache-Control"] == "public, no-cache"
    assert answer.text == content("sw.js")


def test_the_offline_cache_has_no_personal_data(site: Site) -> None:
    anna = Browser(site)
    anna.signs_in("Anna")
    page = anna.client.get("/offline")
    assert page.status_code == 200
    assert "Anna" not in page.text
    assert "csrf" not in page.text
    assert "form-token" not in page.text
    assert "Set-Cookie" not in page.headers


def test_the_offline_page_needs_no_script(site: Site) -> None:
    page = site.client.get("/offline").text
    assert "<script" not in page
    assert {address.rpartition("/")[2] for address in addresses(page)} == {
        "laguna.css",
        "laguna.svg",
    }
