"""Admission of connections: which ones are closed when there are too many, in all or per client.

Guarantees:
- Unauthenticated clients, without a valid key, session or link, use at most `CONNECTIONS_MAX` less
  `RESERVE` slots. The rest is for requests that show a credential and for health checks.
- One client address (for IPv6, the /64 of a customer) has a bounded number of connections.
  Addresses of trusted proxies are not counted, since all clients come from them.
- Slow connections are closed before new ones are refused, in this order: an unauthenticated client
  that sends nothing, the unauthenticated client with the slowest body, an authenticated one that
  sends nothing, then an unauthenticated client whose body has just begun.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Protocol, TypeVar

# Most systems let a process open 1,024 files; some of them serve other purposes.
CONNECTIONS_MAX = 800
RESERVE = 80
# Slots for health checks only, when all others are in use.
HEALTH_SLOTS = 16
HEALTH_PATHS = frozenset({b"/healthz", b"/readyz"})
# IPv6 prefix of one customer of a provider (RFC 6177): single addresses within it cost nothing.
_PREFIX = 64
# Seconds after which a body counts: its key may still be checked, or its next packet may be on the
# way.
_BODY_AGE_MIN_S = 1.0

Network = IPv4Network | IPv6Network


class EvictionCandidate(Protocol):
    """Connection that may be closed to free a slot."""

    @property
    def waits(self) -> bool:
        """Return whether the client has to act next, by sending a request or its headers."""
        ...

    @property
    def is_authenticated(self) -> bool:
        """Return whether a request on the connection was authenticated."""
        ...

    @property
    def has_unauthenticated_body(self) -> bool:
        """Return whether an unauthenticated client is sending a body."""
        ...

    @property
    def since_s(self) -> float:
        """Return the time of the client's last progress, in the event loop's seconds."""
        ...

    @property
    def body_bytes(self) -> int:
        """Return the received bytes of the request body."""
        ...


C = TypeVar("C", bound=EvictionCandidate)


def choose(candidates: Iterable[C], now_s: float) -> C | None:
    """Return the connection to close; None if all are being answered."""
    return min(
        (each for each in candidates if each.waits or each.has_unauthenticated_body),
        key=lambda each: _rank(each, now_s),
        default=None,
    )


def _rank(each: EvictionCandidate, now_s: float) -> tuple[int, float]:
    if not each.has_unauthenticated_body:
        return (2 if each.is_authenticated else 0), each.since_s
    age_s = now_s - each.since_s
    return (3, each.since_s) if age_s < _BODY_AGE_MIN_S else (1, each.body_bytes / age_s)


@lru_cache(maxsize=4096)
def address_share(host: str) -> str:
    """Return the unit by which a client is counted: its IPv4 address, or its /64 of IPv6."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ip_network((address, _PREFIX), strict=False))
    return str(address)


class TrustedNetworks:
    """Addresses and networks of trusted proxies, from which all clients connect."""

    def __init__(self, networks: Sequence[str]) -> None:
        self._networks: list[Network] = [ip_network(each) for each in networks]

    def has(self, host: str) -> bool:
        """Return whether connections from this address are not counted."""
        if not self._networks:
            return False
        try:
            address = ip_address(host)
        except ValueError:
            return False
        return any(address in each for each in self._networks)
