"""Choice of the connection that is closed for a new one."""

from dataclasses import dataclass

import pytest

from landbridge.platform.http.connection_admission import TrustedNetworks, address_share, choose

NOW_S = 100.0


@dataclass(frozen=True)
class Each:
    name: str
    waits: bool = False
    is_authenticated: bool = False
    has_unauthenticated_body: bool = False
    since_s: float = NOW_S
    body_bytes: int = 0


STRANGER = Each("stranger", waits=True, since_s=90)
OLDER_STRANGER = Each("older stranger", waits=True, since_s=80)
SLOW = Each("slow", has_unauthenticated_body=True, since_s=90, body_bytes=10)
FAST = Each("fast", has_unauthenticated_body=True, since_s=90, body_bytes=10_000)
SILENT = Each("silent", has_unauthenticated_body=True, since_s=NOW_S - 2)
YOUNG = Each("young", has_unauthenticated_body=True, since_s=NOW_S - 0.5)
CUSTOMER = Each("customer", waits=True, is_authenticated=True, since_s=10)
AT_WORK = Each("at work", is_authenticated=True)


def test_least_valuable_connection_is_closed_first() -> None:
    left = [AT_WORK, YOUNG, CUSTOMER, FAST, SLOW, SILENT, STRANGER, OLDER_STRANGER]
    order: list[str] = []
    while (closed := choose(left, NOW_S)) is not None:
        order.append(closed.name)
        left.remove(closed)
    expected = ["older stranger", "stranger", "silent", "slow", "fast", "customer", "young"]
    assert order == expected
    assert left == [AT_WORK]


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("198.51.100.7", "198.51.100.7"),
        ("::ffff:198.51.100.7", "198.51.100.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::9", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
    ],
)
def test_client_is_identified_by_its_network(host: str, expected: str) -> None:
    assert address_share(host) == expected


def test_proxies_are_not_counted() -> None:
    exempt = TrustedNetworks(["10.0.0.7", "10.1.0.0/16", "2001:db8::/32"])
    assert exempt.has("10.0.0.7")
    assert exempt.has("10.1.2.3")
    assert exempt.has("2001:db8::1")
    assert not exempt.has("10.0.0.8")
    assert not exempt.has("somebody")
    assert not TrustedNetworks([]).has("10.0.0.7")
