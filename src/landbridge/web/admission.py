"""Which connections stay when there are too many: in all, or of one client address.

Guarantees:
- strangers, who showed no valid key, session or link, have no more than `CONNECTIONS_MAX` less
  `RESERVE` places to be answered in; the rest is for requests that show a credential and for health
  checks;
- one client address (of IPv6: the /64 that one customer has) has a bounded number of connections;
  addresses of trusted proxies are not counted, since everybody comes from them;
- whoever waits or sends slowly makes room before anybody is refused: a stranger who sends nothing,
  the stranger whose body is slowest, somebody known who sends nothing, then a stranger whose body
  has only just begun.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Protocol, TypeVar

# A process may have 1,024 files open on most systems, and needs a few for other things.
CONNECTIONS_MAX = 800
RESERVE = 80
# Beside the places of all: for health checks, when all others are at work.
HEALTH_PLACES = 16
HEALTH_PATHS = frozenset({b"/healthz", b"/readyz"})
# What one customer of a provider has (RFC 6177): single addresses in it cost nothing.
_PREFIX = 64
# Until then a key may be on its way to be found valid, and a body in its next packet.
_BODY_AGE_MIN_S = 1.0

Network = IPv4Network | IPv6Network


class Candidate(Protocol):
    """A connection that may have to end."""

    @property
    def waits(self) -> bool:
        """Whether nothing is owed to the client: it has to send a request, or its headers."""
        ...

    @property
    def is_known(self) -> bool:
        """Whether a request on it showed a valid credential."""
        ...

    @property
    def has_unknown_body(self) -> bool:
        """Whether a stranger is sending a body."""
        ...

    @property
    def since_s(self) -> float:
        """When its client last got further."""
        ...

    @property
    def body_bytes(self) -> int:
        """How much of the body has come."""
        ...


C = TypeVar("C", bound=Candidate)


def choose(candidates: Iterable[C], now_s: float) -> C | None:
    """The connection that makes room; None if all are being answered."""
    return min(
        (each for each in candidates if each.waits or each.has_unknown_body),
        key=lambda each: _rank(each, now_s),
        default=None,
    )


def _rank(each: Candidate, now_s: float) -> tuple[int, float]:
    if not each.has_unknown_body:
        return (2 if each.is_known else 0), each.since_s
    age_s = now_s - each.since_s
    return (3, each.since_s) if age_s < _BODY_AGE_MIN_S else (1, each.body_bytes / age_s)


@lru_cache(maxsize=4096)
def address_share(host: str) -> str:
    """What connections of one client are counted by: an IPv4 address, a /64 of IPv6."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ip_network((address, _PREFIX), strict=False))
    return str(address)


class Exempt:
    """Addresses and networks that everybody comes from: trusted proxies."""

    def __init__(self, networks: Sequence[str]) -> None:
        self._networks: list[Network] = [ip_network(each) for each in networks]

    def has(self, host: str) -> bool:
        """Whether connections from there are not counted."""
        if not self._networks:
            return False
        try:
            address = ip_address(host)
        except ValueError:
            return False
        return any(address in each for each in self._networks)
