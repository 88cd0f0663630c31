"""Nothing is sent anywhere but to the public internet, and no address keeps us for long."""

import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from service.core import http_client
from service.core.http_client import (
    Forbidden,
    Reply,
    Unreachable,
    checked_url,
    destination,
    is_public,
    post,
)
from tests.support.receiver import Receiver

NAME = "hooks.example"
PUBLIC = "93.184.215.14"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as running:
        yield running


def names(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> list[str]:
    """A resolver that gives these answers in turn, then the last; what it was asked."""
    asked: list[str] = []

    def resolve(host: str, port: int) -> list[str]:
        asked.append(host)
        return answers[min(len(asked), len(answers)) - 1]

    monkeypatch.setattr(http_client, "resolve", resolve)
    return asked


def send(receiver: Receiver, host: str = "127.0.0.1", path: str = "/hook") -> Reply:
    return post(receiver.url(host, path), b"{}", {"X-Kind": "test"}, open_to_all=True)


NOT_PUBLIC = [
    "0.0.0.0",  # noqa: S104
    "10.0.0.1",
    "100.64.0.1",
    "100.127.255.254",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.254",
    "192.0.0.8",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::8.8.8.8",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
    "64:ff9b:1::8.8.8.8",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "2002:808:808::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%1",
    "2a00:1450:4001::1%1",
    "fec0::1",
    "ff02::1",
    "ff0e::1",
    "not an address",
]


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_an_address_that_is_not_public_is_known_as_such(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", ["8.8.8.8", PUBLIC, "100.63.255.255", "100.128.0.1", "172.32.0.1", "2a00:1450::1"]
)
def test_a_public_address_is_known_as_such(address: str) -> None:
    assert is_public(address)


NASTY = [
    "http://example.org/",
    "ftp://example.org/",
    "file:///etc/passwd",
    "gopher://example.org/",
    "//example.org/",
    "example.org",
    "https://",
    "https:///path",
    "https://:443/",
    "https://example.org:0/",
    "https://example.org:99999/",
    "https://example.org:port/",
    "https://anna@example.org/",
    "https://anna:secret@example.org/",
    "https://@example.org/",
    "https://example.org/#here",
    "https://example.org/#",
    "https://example.org\\@127.0.0.1/",
    "https://127.0.0.1\\.example.org/",
    "https://exam\tple.org/",
    "https://example.org/\r\nHost: other",
    "https://example.org/a b",
    "https://b\u00fccher.example/",
    "https://\uff11\uff12\uff17.0.0.1/",
    "https://example.org%00.example.net/",
    "https://[::1",
    "https://[fe80::1%25eth0]/",
    "https://[v1.fe80]/",
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0177.0.0.1/",
    "https://0/",
    "https://localhost/",
    "https://localhost./",
    "https://10.1.2.3:8443/",
    "https://169.254.169.254/latest/meta-data/",
    "https://[::1]/",
    "https://[::]/",
    "https://[::ffff:8.8.8.8]/",
    "https://[::ffff:7f00:1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[2002:7f00:1::]/",
    "https://[fd00::1]/",
    "https://[fe80::1]/",
]


@pytest.mark.parametrize("url", NASTY)
def test_a_malicious_url_is_refused_without_a_lookup(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = names(monkeypatch, [PUBLIC])
    with pytest.raises(Forbidden):
        destination(url, open_to_all=False)
    assert asked == []


@pytest.mark.parametrize(
    ("port", "allowed"),
    [(1, False), (22, False), (80, False), (443, True), (1023, False), (1024, True), (8443, True)],
)
def test_ports_of_other_services_are_not_called(port: int, allowed: bool) -> None:
    url = f"https://{NAME}:{port}/"
    if allowed:
        assert checked_url(url, open_to_all=False).port == port
    else:
        with pytest.raises(Forbidden, match="443, or 1024"):
            checked_url(url, open_to_all=False)
    assert checked_url(url, open_to_all=True).port == port


@pytest.mark.parametrize(
    "url", [url for url in NASTY if "@" in url or "#" in url or "\\" in url or "ftp" in url]
)
def test_some_urls_are_refused_even_where_everything_is_open(url: str) -> None:
    with pytest.raises(Forbidden):
        destination(url, open_to_all=True)


def test_one_address_that_is_not_public_spoils_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    names(monkeypatch, [PUBLIC, "10.0.0.1"])
    with pytest.raises(Forbidden, match="public internet"):
        destination(f"https://{NAME}/", open_to_all=False)


def test_a_refusal_does_not_tell_where_a_name_leads(monkeypatch: pytest.MonkeyPatch) -> None:
    names(monkeypatch, ["10.20.30.40"])
    with pytest.raises(Forbidden) as refused:
        destination(f"https://{NAME}/", open_to_all=False)
    assert "10.20" not in str(refused.value)


def test_a_public_name_is_taken_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    names(monkeypatch, [PUBLIC])
    to = destination(f"https://{NAME.upper()}/a/b?c=d", open_to_all=False)
    assert to == (True, NAME, 443, "/a/b?c=d", (PUBLIC,))


def test_dns_rebinding_reaches_no_private_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The name is public when it is checked and would be ours when it is called."""
    asked = names(monkeypatch, [PUBLIC], ["127.0.0.1"])
    called: list[str] = []

    def connect(address: tuple[str, int], timeout: float) -> socket.socket:
        called.append(address[0])
        raise ConnectionRefusedError(111, "refused")

    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(Unreachable, match="refused"):
        post(f"https://{NAME}/", b"", {}, open_to_all=False)
    assert (asked, called) == ([NAME], [PUBLIC])
    with pytest.raises(Forbidden):
        post(f"https://{NAME}/", b"", {}, open_to_all=False)
    assert called == [PUBLIC]


def test_refusals_do_not_reveal_private_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = []
    for answer in ([], ["10.20.30.40"], ["127.0.0.1"]):
        names(monkeypatch, answer)
        with pytest.raises(Unreachable) as refused:
            destination(f"https://{NAME}/", open_to_all=False)
        told.append(str(refused.value))
    monkeypatch.undo()
    for host in ("localhost", "database", "10.0.0.1"):
        with pytest.raises(Unreachable) as refused:
            checked_url(f"https://{host}/", open_to_all=False)
        told.append(str(refused.value))
    assert len(set(told)) == 1


def test_looking_up_a_name_starts_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = []

    def resolve(host: str, port: int) -> list[str]:
        threads.append(threading.current_thread())
        raise socket.gaierror(socket.EAI_AGAIN, "later")

    monkeypatch.setattr(http_client, "resolve", resolve)
    with pytest.raises(Unreachable):
        destination(f"https://{NAME}/", open_to_all=False)
    assert threads == [threading.current_thread()]


def test_the_request_arrives_with_the_name_as_host(
    monkeypatch: pytest.MonkeyPatch, receiver: Receiver
) -> None:
    names(monkeypatch, ["127.0.0.1"])
    assert send(receiver, NAME, "/a%20b?c=d") == (204, None)
    [(path, headers, body)] = receiver.received
    assert (path, body) == ("/a%20b?c=d", b"{}")
    assert headers["host"] == f"{NAME}:{receiver.port}"
    assert headers["x-kind"] == "test"


def test_the_next_address_is_tried_when_one_does_not_answer(
    monkeypatch: pytest.MonkeyPatch, receiver: Receiver
) -> None:
    names(monkeypatch, ["127.0.0.2", "127.0.0.1"])
    assert send(receiver, NAME).status == 204


def test_proxies_of_the_environment_are_not_used(
    monkeypatch: pytest.MonkeyPatch, receiver: Receiver
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert send(receiver).status == 204


def test_a_redirect_is_an_answer_like_any_other(receiver: Receiver) -> None:
    receiver.answers = [(302, {"Location": receiver.url(path="/elsewhere")})]
    assert send(receiver).status == 302
    assert [received.path for received in receiver.received] == ["/hook"]


def test_a_closed_port_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(Unreachable, match="refused"):
        post(f"http://127.0.0.1:{port}/", b"", {}, open_to_all=True)


def drip(receiver: Receiver) -> Callable[[Callable[[bytes], object]], object]:
    """An answer that comes a byte at a time and never ends."""

    def write(send: Callable[[bytes], object]) -> None:
        send(b"HTTP/1.1 200 OK\r\nX-Long: ")
        while not receiver.over.wait(0.02):
            send(b"x")

    return write


@pytest.mark.parametrize("kind", ["silent", "dripping"])
def test_a_slow_server_is_left_when_the_time_is_up(
    kind: str, monkeypatch: pytest.MonkeyPatch, receiver: Receiver
) -> None:
    monkeypatch.setattr(http_client, "TOTAL", 0.3)
    receiver.raw = drip(receiver) if kind == "dripping" else lambda _: receiver.over.wait(5)
    began = time.monotonic()
    with pytest.raises(Unreachable, match=r"within 0\.3 seconds"):
        send(receiver)
    assert 0.29 < time.monotonic() - began < 5


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: %s\r\n" % (n, b"y" * 1000) for n in range(90)),
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000,
        b"HTTP/1.1 100 Continue\r\n\r\n" * 10_000,
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"",
    ],
    ids=["many headers", "a long header", "continues forever", "not HTTP", "nothing"],
)
def test_an_invalid_response_is_reported(answer: bytes, receiver: Receiver) -> None:
    receiver.raw = lambda send: send(answer)
    with pytest.raises(Unreachable, match=r"not HTTP|connection failed"):
        send(receiver)


def test_a_long_body_is_not_read(receiver: Receiver) -> None:
    endless = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n"
    written = []

    def write(send: Callable[[bytes], object]) -> None:
        send(endless)
        while not receiver.over.is_set():
            send(b"x" * 65536)
            written.append(65536)

    receiver.raw = write
    assert send(receiver).status == 200
    assert sum(written) < 100_000_000


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for the name, signed by itself, with its key."""
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("needs the program openssl")
    path = tmp_path_factory.mktemp("certificate") / "name.pem"
    key = path.with_name("key.pem")
    wanted = f"-subj /CN={NAME} -addext subjectAltName=DNS:{NAME} -keyout {key} -out {path}"
    curve = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
    subprocess.run(
        [program, "req", "-x509", *curve.split(), *wanted.split()], check=True, capture_output=True
    )
    path.write_text(path.read_text() + key.read_text())
    return path


@pytest.fixture
def asked_for() -> list[str | None]:
    """The names that callers asked the server with the certificate for."""
    return []


@pytest.fixture
def secure(certificate: Path, asked_for: list[str | None]) -> Iterator[Receiver]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    context.sni_callback = lambda sock, name, _: asked_for.append(name)
    with Receiver(context) as running:
        yield running


def trust(monkeypatch: pytest.MonkeyPatch, certificate: Path) -> None:
    context = ssl.create_default_context(cafile=certificate)
    monkeypatch.setattr(http_client, "trusted", lambda: context)


def test_the_certificate_is_checked_for_the_name_while_the_address_is_pinned(
    monkeypatch: pytest.MonkeyPatch,
    certificate: Path,
    secure: Receiver,
    asked_for: list[str | None],
) -> None:
    names(monkeypatch, ["127.0.0.1"])
    trust(monkeypatch, certificate)
    assert send(secure, NAME).status == 204
    assert asked_for == [NAME]
    assert secure.received[0].headers["host"] == f"{NAME}:{secure.port}"


def test_a_certificate_for_another_name_is_refused(
    monkeypatch: pytest.MonkeyPatch, certificate: Path, secure: Receiver
) -> None:
    names(monkeypatch, ["127.0.0.1"])
    trust(monkeypatch, certificate)
    with pytest.raises(Unreachable, match="certificate is not valid"):
        send(secure, "other.example")
    assert secure.received == []


def test_a_certificate_of_nobody_we_trust_is_refused(
    monkeypatch: pytest.MonkeyPatch, secure: Receiver
) -> None:
    names(monkeypatch, ["127.0.0.1"])
    with pytest.raises(Unreachable, match="certificate is not valid"):
        send(secure, NAME)


def test_a_server_without_tls_is_reported(
    monkeypatch: pytest.MonkeyPatch, receiver: Receiver
) -> None:
    with pytest.raises(Unreachable, match="secure connection"):
        post(f"https://127.0.0.1:{receiver.port}/", b"", {}, open_to_all=True)
