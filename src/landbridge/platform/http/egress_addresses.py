"""Addresses that customers may configure: public ones, in plain notation.

A URL is checked before its name is resolved, and each resolved address before a connection is made.
Notations that programs interpret differently are refused.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

Address = IPv4Address | IPv6Address

# Name of this machine, which is never resolved.
LOCALHOST = "localhost"
LOCAL_ADDRESSES = (IPv4Address("127.0.0.1"), IPv6Address("::1"))

URL_LENGTH_MAX = 2_000
_PORTS = frozenset({443, 8443})
_PORT_MAX = 65_535
_DEFAULT_PORTS = {"https": 443, "http": 80}

# Networks that are not public. They are listed, because Python's `ipaddress.is_global` differs
# between versions, and has accepted NAT64, 6to4 and site-local addresses. Source: IANA's registries
# of special-purpose addresses, and the metadata address of one cloud that looks public.
_FORBIDDEN_V4 = tuple(
    IPv4Network(each)
    for each in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # carrier-grade NAT; 100.100.100.200 is a cloud's metadata
        "127.0.0.0/8",  # this machine
        "168.63.129.16/32",  # Azure's agent
        "169.254.0.0/16",  # link-local, and the metadata of most clouds, 169.254.169.254
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments; 192.0.0.192 is a cloud's metadata
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # AMT
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
)
_FORBIDDEN_V6 = tuple(
    IPv6Network(each)
    for each in (
        # Only 2000::/3 is allocated. The others contain loopback, all forms that embed an IPv4
        # address (mapped, compatible, NAT64), unique local, link-local, site-local and multicast
        # addresses.
        "::/3",
        "4000::/2",
        "8000::/1",
        "2001::/23",  # protocols: Teredo, ORCHID, benchmarks
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4: embeds an IPv4 address
        "2620:4f:8000::/48",  # AS112
        "3ffe::/16",  # returned allocation
        "3fff::/20",  # documentation
    )
)
_LOOPBACK = (ip_network("127.0.0.0/8"), ip_network("::1/128"))

# Networks where an operator's own programs may run, and link-local ones, where clouds provide
# credentials.
_PRIVATE = (
    *_LOOPBACK,
    *(ip_network(each) for each in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")),
)
_LINK_LOCAL = (ip_network("169.254.0.0/16"), ip_network("fe80::/10"))

# Suffixes of names that never belong to a public host.
_OWN_SUFFIXES = frozenset(
    {"localhost", "localdomain", "local", "internal", "intranet", "lan", "home", "corp", "arpa"}
)

# Printable ASCII, except characters that must be percent-encoded or are interpreted differently.
_CHARACTERS = re.compile(r"[!$%&'()*+,\-./0-9:;=?@A-Z\[\]_a-z~#]+")
_URL = re.compile(r"(https?)://([^/?#]*)([/?][^#]*)?", re.IGNORECASE)
_HOST_AND_PORT = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]]+)(?::([0-9]{1,5}))?")
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_NAME_LENGTH_MAX = 253


class AddressRefused(ValueError):
    """The address is not allowed; the message continues the field's name: "must begin with"."""


@dataclass(frozen=True, slots=True)
class EgressDestination:
    """Target of a URL; `url` is normalised. `is_local` is True for this machine in a sandbox."""

    url: str
    host: str
    port: int
    is_local: bool


def is_loopback(address: Address) -> bool:
    """Return whether an address is loopback; 127.0.0.1 embedded in an IPv6 address is not."""
    return any(address in each for each in _LOOPBACK)


def is_forbidden(address: Address) -> bool:
    """Return whether an address is not public."""
    if isinstance(address, IPv4Address):
        return any(address in each for each in _FORBIDDEN_V4)
    # An address with a zone index belongs to a link of this machine.
    return address.scope_id is not None or any(address in each for each in _FORBIDDEN_V6)


def is_outside(address: Address) -> bool:
    """Return whether an address is neither loopback nor private."""
    return all(address not in each for each in _PRIVATE)


def is_link_local(address: Address) -> bool:
    """Return whether an address is link-local, where clouds provide credentials."""
    # The kernel treats an IPv4 address mapped into IPv6 like the IPv4 address.
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return any((mapped or address) in each for each in _LINK_LOCAL)


def read_operator_url(text: str) -> str:
    """Return the normalised URL of an operator's program, without a trailing slash.

    Any host and port are allowed, but http only if the address can be private. Raises
    `AddressRefused`.
    """
    scheme, host, port, remainder = _split(text)
    address = _literal(host)
    if address is not None and is_link_local(address):
        raise AddressRefused("must not lead to a link-local address")
    if scheme == "http" and address is not None and is_outside(address):
        raise AddressRefused("must begin with https://; http:// is for private addresses")
    if port is not None and not 0 < int(port) <= _PORT_MAX:
        raise AddressRefused("must have a port from 1 to 65535")
    shown = f":{port}" if port is not None else ""
    return f"{scheme}://{host}{shown}{remainder}".rstrip("/")


@lru_cache(maxsize=4096)
def read_destination(url: str, *, allows_loopback: bool) -> EgressDestination:
    """Parse a URL; raises `AddressRefused` if it is not allowed, whatever its name resolves to."""
    scheme, host, explicit_port, remainder = _split(url)
    address = _literal(host)
    # The host is in one canonical form from here on.
    host = host if address is None else str(address)
    is_local = allows_loopback and (host == LOCALHOST if address is None else is_loopback(address))
    if scheme != "https" and not is_local:
        beyond = "; http:// is for this machine, as in http://127.0.0.1:3000"
        raise AddressRefused(f"must begin with https://{beyond if allows_loopback else ''}")
    if not is_local:
        _check_public(host, address)
    port = _DEFAULT_PORTS[scheme] if explicit_port is None else int(explicit_port)
    if not is_local and port not in _PORTS:
        raise AddressRefused("must have port 443 or 8443")
    if not 0 < port <= _PORT_MAX:
        raise AddressRefused("must have a port from 1 to 65535")
    url_host = f"[{host}]" if isinstance(address, IPv6Address) else host
    url_port = "" if port == _DEFAULT_PORTS[scheme] else f":{port}"
    return EgressDestination(f"{scheme}://{url_host}{url_port}{remainder}", host, port, is_local)


def _split(url: str) -> tuple[str, str, str | None, str]:
    """Split a URL into scheme, host, port (None without one) and the rest."""
    if len(url) > URL_LENGTH_MAX:
        raise AddressRefused(f"must have at most {URL_LENGTH_MAX} characters")
    if url and not _CHARACTERS.fullmatch(url):
        raise AddressRefused(
            "must be ASCII without spaces: anything else is percent-encoded, and in a name "
            "written as xn--"
        )
    if "#" in url:
        raise AddressRefused("must not have a fragment (#)")
    match = _URL.fullmatch(url)
    if match is None:
        raise AddressRefused("must be a URL, as in https://example.com/webhooks")
    if "@" in match[2]:
        raise AddressRefused("must not have a user or a password")
    authority = _HOST_AND_PORT.fullmatch(match[2])
    if authority is None:
        raise AddressRefused("must have a host, and a port only as a number")
    return match[1].lower(), authority[1].lower(), authority[2], match[3] or ""


def _literal(host: str) -> Address | None:
    """Parse an IP address; None for a name. Only IPv6 addresses have brackets."""
    try:
        if host.startswith("["):
            return IPv6Address(host[1:-1])
        if _NUMBER.fullmatch(host.rpartition(".")[2]):
            return IPv4Address(host)
    except ValueError:
        raise AddressRefused(
            "must have its address in the usual notation, as in 198.51.100.7"
        ) from None
    return None


def _check_public(host: str, address: Address | None) -> None:
    if address is not None:
        if is_forbidden(address):
            raise AddressRefused("must lead to a public address")
        return
    if host.endswith("."):
        raise AddressRefused("must not have a full stop behind its name")
    labels = host.split(".")
    if len(host) > _NAME_LENGTH_MAX or not all(map(_LABEL.fullmatch, labels)):
        raise AddressRefused("must have a name of letters, digits and hyphens")
    if len(labels) == 1 or labels[-1] in _OWN_SUFFIXES:
        raise AddressRefused("must lead to a public address")
