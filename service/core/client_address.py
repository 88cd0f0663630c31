"""Network address of the client, for rate limits."""

from ipaddress import IPv6Address, IPv6Network, ip_address

from flask import request

IPV6_PREFIX = 64  # the network of one client


def client_address() -> str:
    """The address of the client; of IPv6 only the network, since a client has many addresses."""
    text = request.remote_addr or ""
    try:
        address = ip_address(text)
    except ValueError:
        return text
    if not isinstance(address, IPv6Address):
        return text
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(IPv6Network((int(address), IPV6_PREFIX), strict=False))
