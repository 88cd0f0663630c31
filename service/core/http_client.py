"""HTTP client for URLs of strangers: only to the public internet, with a time limit.

The host name is resolved once, all its addresses are checked, and the connection goes to a checked
address, which prevents DNS rebinding. It follows no redirects and uses no proxies.
"""

import io
import re
import socket
import ssl
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from http.client import HTTPConnection, HTTPException
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any, NamedTuple
from urllib.parse import urlsplit

TOTAL = 15.0  # seconds for a request
STEP = 5.0  # seconds for a connection, and for the TLS handshake
MOST_ADDRESSES = 4  # of one name that are tried
MOST_HEADERS = 64 * 1024
MOST_BODY = 4 * 1024
FIRST_FREE_PORT = 1024  # below are ports of system services
# One sentence for both cases: it does not reveal the names of an internal network.
NOWHERE = (
    "The host name cannot be resolved, or leads to an address that is not on the public internet."
)

_VISIBLE = re.compile(r"[!-~]+")
_NAME = re.compile(r"[A-Za-z0-9._-]{1,253}|[0-9A-Fa-f:.]{2,45}")

GLOBAL_UNICAST = ip_network("2000::/3")
# Listed, because `is_global` of `ipaddress` differs between versions of Python.
NOT_PUBLIC = tuple(
    map(
        ip_network,
        (
            "0.0.0.0/8",
            "10.0.0.0/8",
            "100.64.0.0/10",  # carrier grade NAT
            "127.0.0.0/8",
            "168.63.129.16/32",  # a public address inside every Azure machine
            "169.254.0.0/16",
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",  # 6to4 relays
            "192.168.0.0/16",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/4",
            "240.0.0.0/4",
            "2001::/23",  # Teredo, benchmarks and other assignments of the IETF
            "2001:db8::/32",
            "2002::/16",  # 6to4: an IPv4 address inside
            "3fff::/20",
        ),
    )
)


class Unreachable(Exception):
    """No request could be sent, or no response came; the text is for the owner of the URL."""


class Forbidden(Unreachable):
    """A URL to which no request is ever sent."""


class Destination(NamedTuple):
    """Parts of a checked URL, and the checked addresses of its host."""

    tls: bool
    host: str
    port: int
    target: str
    addresses: tuple[str, ...] = ()


class Reply(NamedTuple):
    """The used parts of a response."""

    status: int
    retry_after: str | None


def checked_url(url: str, open_to_all: bool) -> Destination:
    """Parse a URL; raises Forbidden if no request may be sent to it.

    The host is not resolved: `destination` does that before every request. `open_to_all` also
    allows http, any port and addresses that are not public, for tests.
    """
    if not _VISIBLE.fullmatch(url) or "\\" in url:
        raise Forbidden("Write the URL in visible ASCII characters, others percent-encoded.")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise Forbidden("This is not a URL.") from error
    if parts.scheme != "https" and not (open_to_all and parts.scheme == "http"):
        raise Forbidden("The URL must begin with https://.")
    if "@" in parts.netloc:
        raise Forbidden("The URL must not contain a user name or password.")
    if "#" in url:
        raise Forbidden("The URL must not have a fragment (#).")
    if not _NAME.fullmatch(host) or port == 0 or ("[" in parts.netloc and ":" not in host):
        raise Forbidden("The URL has no host name or port that could be called.")
    tls = parts.scheme == "https"
    port = port or (443 if tls else 80)
    if not open_to_all:
        if port != 443 and port < FIRST_FREE_PORT:
            raise Forbidden("The port must be 443, or 1024 and above.")
        if not _may_be_public(host):
            raise Forbidden(NOWHERE)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Destination(tls, host, port, target)


def destination(url: str, open_to_all: bool) -> Destination:
    """Parse a URL and resolve its host; raises Forbidden or Unreachable."""
    found = checked_url(url, open_to_all)
    try:
        addresses = resolve(found.host, found.port)
    except (OSError, UnicodeError) as error:
        raise Unreachable(NOWHERE) from error
    if not addresses:
        raise Unreachable(NOWHERE)
    if not open_to_all and not all(is_public(address) for address in addresses):
        raise Forbidden(NOWHERE)
    return found._replace(addresses=tuple(addresses[:MOST_ADDRESSES]))


def is_public(address: str) -> bool:
    """Whether this is the address of one machine on the public internet."""
    try:
        found = ip_address(address)
    except ValueError:
        return False
    if isinstance(found, IPv6Address) and (found.scope_id or found not in GLOBAL_UNICAST):
        return False  # also IPv4 addresses in IPv6: mapped, compatible, NAT64
    return (
        found.is_global
        and not found.is_multicast
        and not any(found in network for network in NOT_PUBLIC)
    )


def _may_be_public(host: str) -> bool:
    """Whether this is a public address in any notation of the system, or a possible public name."""
    try:
        addresses = _addresses(host, 443, socket.AI_NUMERICHOST)
    except (OSError, UnicodeError):
        name = host.lower().rstrip(".")
        return "." in name and not name.endswith(".localhost")
    return all(is_public(address) for address in addresses)


def resolve(host: str, port: int) -> list[str]:
    """All addresses of a host, in the order in which the system would try them."""
    return _addresses(host, port, 0)


def _addresses(host: str, port: int, flags: int) -> list[str]:
    found = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP, flags=flags
    )
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))


def post(url: str, body: bytes, headers: Mapping[str, str], open_to_all: bool) -> Reply:
    """POST the body; raises Unreachable without a response in time."""
    until = time.monotonic() + TOTAL
    to = destination(url, open_to_all)
    try:
        with _connected(to, until) as sock:
            connection = _Connection(to, sock, until)
            connection.request("POST", to.target, body, {**headers, "Connection": "close"})
            answer = connection.getresponse()
            reply = Reply(answer.status, answer.headers.get("Retry-After"))
            with suppress(OSError, HTTPException, ValueError), answer:
                answer.read(MOST_BODY)  # so that a short response is not reset; it is not used
            return reply
    except TimeoutError as error:
        raise Unreachable(f"There was no answer within {TOTAL:g} seconds.") from error
    except ssl.SSLCertVerificationError as error:
        raise Unreachable(f"The certificate is not valid: {error.verify_message}.") from error
    except ssl.SSLError as error:
        raise Unreachable(f"There was no secure connection: {error.reason}.") from error
    except (HTTPException, ValueError) as error:
        raise Unreachable("The answer is not HTTP, or has too many headers.") from error
    except OSError as error:
        raise Unreachable(f"The connection failed: {error.strerror or 'it was closed'}.") from error


@cache
def trusted() -> ssl.SSLContext:
    """Trust in the certificate authorities of the system."""
    return ssl.create_default_context()


def _connected(to: Destination, until: float) -> socket.socket:
    """A connection to one of the checked addresses, with a valid certificate of the host."""
    failure: OSError = TimeoutError()
    for address in to.addresses:
        # Half for the connection and half for the TLS handshake.
        seconds = min(STEP, (until - time.monotonic()) / 2)
        if seconds <= 0:
            break
        try:
            sock = socket.create_connection((address, to.port), seconds)
        except OSError as error:
            failure = error
            continue
        if not to.tls:
            return sock
        try:
            return trusted().wrap_socket(sock, server_hostname=to.host.rstrip("."))
        except BaseException:
            sock.close()
            raise
    raise failure


class _Connection(HTTPConnection):
    """HTTP over an open socket with a time limit; the caller closes the socket."""

    def __init__(self, to: Destination, sock: socket.socket, until: float) -> None:
        self.default_port = 443 if to.tls else 80  # the Host header names any other
        super().__init__(to.host, to.port)
        self.auto_open = 0
        self.sock: Any = _Bounded(sock, until)


class _Bounded:
    """The methods of a socket that HTTPConnection uses, with limits of time and size."""

    def __init__(self, sock: socket.socket, until: float) -> None:
        self._sock, self._until = sock, until

    def sendall(self, data: bytes) -> None:
        self._sock.settimeout(_left(self._until))
        self._sock.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_BoundedReader(self._sock, self._until))

    def close(self) -> None:
        """Keep the socket open: the response is still to be read."""


class _BoundedReader(io.RawIOBase):
    """Bytes of a socket, up to a total time and size.

    A timeout of each `recv` is not enough: a server could send single bytes for ever.
    """

    def __init__(self, sock: socket.socket, until: float) -> None:
        self._sock, self._until = sock, until
        self._room = MOST_HEADERS + MOST_BODY

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._room <= 0:
            raise HTTPException("too much")
        self._sock.settimeout(_left(self._until))
        count = self._sock.recv_into(memoryview(buffer)[: self._room])
        self._room -= count
        return count


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
