"""Which URLs are taken, how they are kept, and what is said about the others."""

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.core.errors import FieldInvalid
from landbridge.web.addresses import AddressRefused, is_forbidden, read_destination
from landbridge.web.outbound import Outbound
from tests.web import hostile


@pytest.mark.parametrize("allows_loopback", [False, True])
def test_no_hostile_url_is_taken(*, allows_loopback: bool) -> None:
    taken: list[str] = []
    urls = hostile.urls(9)
    assert len(urls) > 600
    for url in urls:
        try:
            place = read_destination(url, allows_loopback=allows_loopback)
        except AddressRefused:
            continue
        if not (allows_loopback and place.is_local and place.host in hostile.OWN_HOSTS):
            taken.append(url)
    assert not taken


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://example.com", "https://example.com"),
        ("https://example.com/", "https://example.com/"),
        ("HTTPS://Hooks.Example.COM/Landbridge?X=1", "https://hooks.example.com/Landbridge?X=1"),
        ("https://example.com:443/a", "https://example.com/a"),
        ("https://example.com:0443/a", "https://example.com/a"),
        ("https://example.com:8443/a", "https://example.com:8443/a"),
        ("https://example.com?x=@y", "https://example.com?x=@y"),
        ("https://example.com/a%20b/../c//d;e=f", "https://example.com/a%20b/../c//d;e=f"),
        ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"),
        ("https://8.8.8.8/", "https://8.8.8.8/"),
        ("https://[2606:4700:0:0::1111]:8443/", "https://[2606:4700::1111]:8443/"),
        ("https://1.example.com/", "https://1.example.com/"),
        ("https://127.0.0.1.example.com/", "https://127.0.0.1.example.com/"),
        ("https://localhost.example.com/", "https://localhost.example.com/"),
        ("https://a-b--c.example.com/", "https://a-b--c.example.com/"),
    ],
)
def test_a_public_url_is_kept_in_one_spelling(url: str, kept: str) -> None:
    for allows_loopback in (False, True):
        outbound = Outbound(allows_loopback=allows_loopback)
        assert outbound.check("url", url) == kept
        assert outbound.check("url", kept) == kept


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:3000/hooks",
        "http://127.0.0.1/hooks",
        "http://127.9.9.9:1/",
        "http://localhost:65535",
        "https://localhost:9443/",
        "http://[::1]:3000/",
    ],
)
def test_a_sandbox_sends_to_its_own_machine(url: str) -> None:
    assert Outbound(allows_loopback=True).check("url", url) == url
    with pytest.raises(FieldInvalid) as refused:
        Outbound(allows_loopback=False).check("url", url)
    assert refused.value.field == "url"


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://example.com/", "url must begin with https://"),
        ("example.com", "url must be a URL, as in https://example.com/webhooks"),
        ("https://a@example.com/", "url must not have a user or a password"),
        ("https://example.com:80/", "url must have port 443 or 8443"),
        ("https://example.com:x/", "url must have a host, and a port only as a number"),
        ("https://example.com/#a", "url must not have a fragment (#)"),
        ("https://example.com:0/", "url must have port 443 or 8443"),
        ("", "url must be a URL, as in https://example.com/webhooks"),
        ("https://example.com/a b", "url must be ASCII without spaces: anything else is "),
        ("https://b\u00fccher.example/", "and in a name written as xn--"),
        ("https://10.0.0.1/", "url must lead to a public address"),
        ("https://localhost/", "url must lead to a public address"),
        ("https://metadata.google.internal/", "url must lead to a public address"),
        ("https://0x7f.1/", "url must have its address in the usual notation, as in 198.51.100.7"),
        ("https://[127.0.0.1]/", "url must have its address in the usual notation"),
        ("https://[::1/", "url must have a host, and a port only as a number"),
        ("https://example.com./", "url must not have a full stop behind its name"),
        ("https://a_b.example.com/", "url must have a name of letters, digits and hyphens"),
        ("https://example.com/" + "a" * 2_000, "url must have at most 2000 characters"),
    ],
)
def test_what_is_wrong_is_said(url: str, said: str) -> None:
    with pytest.raises(FieldInvalid) as refused:
        Outbound(allows_loopback=False).check("url", url)
    assert said in refused.value.message
    assert refused.value.field == "url"


def test_a_sandbox_says_what_plain_http_is_for() -> None:
    with pytest.raises(FieldInvalid) as refused:
        Outbound(allows_loopback=True).check("url", "http://example.com/")
    assert refused.value.message == (
        "url must begin with https://; http:// is for this machine, as in http://127.0.0.1:3000"
    )


@pytest.mark.parametrize("port", [0, 65_536, 70_000])
def test_a_sandbox_says_what_a_port_is(port: int) -> None:
    with pytest.raises(FieldInvalid) as refused:
        Outbound(allows_loopback=True).check("url", f"http://127.0.0.1:{port}/")
    assert refused.value.message == "url must have a port from 1 to 65535"


@given(st.text(max_size=60))
def test_whatever_is_told_is_read_or_refused(told: str) -> None:
    for url in (told, f"https://{told}", f"https://{told}.example.com/"):
        try:
            place = read_destination(url, allows_loopback=True)
        except AddressRefused:
            continue
        assert place.url.isascii()
        assert read_destination(place.url, allows_loopback=True) == place


@given(st.ip_addresses(v=4))
def test_an_ipv4_address_is_public_only_if_python_agrees(address: IPv4Address) -> None:
    if not is_forbidden(address):
        assert address.is_global
        assert not address.is_multicast


@given(st.ip_addresses(v=6))
def test_an_ipv6_address_is_public_only_if_python_agrees(address: IPv6Address) -> None:
    if not is_forbidden(address):
        assert address.is_global
        assert address.sixtofour is None
        assert address.teredo is None
        assert address.ipv4_mapped is None


@given(st.ip_addresses(v=4))
def test_no_ipv4_address_hides_in_another(address: IPv4Address) -> None:
    number = int(address)
    for inside in (
        number,  # compatible
        0xFFFF << 32 | number,  # mapped
        0xFFFF << 48 | number,  # translated
        0x64FF9B << 96 | number,  # NAT64
        0x64FF9B0001 << 80 | number,  # NAT64, of a network's own
        0x2002 << 112 | number << 80,  # 6to4
        0x20010000 << 96 | (number ^ 0xFFFFFFFF),  # Teredo
        0xFE80 << 112 | 0x5EFE << 32 | number,  # ISATAP
    ):
        assert is_forbidden(IPv6Address(inside))


def test_addresses_of_the_public_are_public() -> None:
    for each in ("1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0"):
        assert not is_forbidden(ip_address(each))
    for each in ("172.15.255.255", "172.32.0.0", "192.167.255.255", "223.255.255.255"):
        assert not is_forbidden(ip_address(each))
    for each in ("2001:200::1", "2001:4860:4860::8888", "2606:4700::1111", "2a00:1450::1"):
        assert not is_forbidden(ip_address(each))
