"""Accepted URLs, their stored form, and the refusals of others."""

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.http.egress import Egress
from landbridge.platform.http.egress_addresses import (
    AddressRefused,
    is_forbidden,
    read_destination,
)
from tests.platform.http import hostile


@pytest.mark.parametrize("allows_loopback", [False, True])
def test_hostile_urls_are_refused(*, allows_loopback: bool) -> None:
    resolved: list[str] = []
    urls = hostile.urls(9)
    assert len(urls) > 600
    for url in urls:
        try:
            destination = read_destination(url, allows_loopback=allows_loopback)
        except AddressRefused:
            continue
        if not (allows_loopback and destination.is_local and destination.host in hostile.OWN_HOSTS):
            resolved.append(url)
    assert not resolved


@pytest.mark.parametrize(
    ("url", "canonical"),
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
def test_public_url_has_one_canonical_form(url: str, canonical: str) -> None:
    for allows_loopback in (False, True):
        egress = Egress(allows_loopback=allows_loopback)
        assert egress.check("url", url) == canonical
        assert egress.check("url", canonical) == canonical


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
def test_sandbox_sends_to_its_own_machine(url: str) -> None:
    assert Egress(allows_loopback=True).check("url", url) == url
    with pytest.raises(FieldInvalid) as refused:
        Egress(allows_loopback=False).check("url", url)
    assert refused.value.field == "url"


@pytest.mark.parametrize(
    ("url", "message"),
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
def test_error_explains_what_is_wrong(url: str, message: str) -> None:
    with pytest.raises(FieldInvalid) as refused:
        Egress(allows_loopback=False).check("url", url)
    assert message in refused.value.message
    assert refused.value.field == "url"


def test_sandbox_explains_what_plain_http_is_for() -> None:
    with pytest.raises(FieldInvalid) as refused:
        Egress(allows_loopback=True).check("url", "http://example.com/")
    assert refused.value.message == (
        "url must begin with https://; http:// is for this machine, as in http://127.0.0.1:3000"
    )


@pytest.mark.parametrize("port", [0, 65_536, 70_000])
def test_sandbox_explains_the_port(port: int) -> None:
    with pytest.raises(FieldInvalid) as refused:
        Egress(allows_loopback=True).check("url", f"http://127.0.0.1:{port}/")
    assert refused.value.message == "url must have a port from 1 to 65535"


@given(st.text(max_size=60))
def test_any_url_is_read_or_refused(text: str) -> None:
    for url in (text, f"https://{text}", f"https://{text}.example.com/"):
        try:
            destination = read_destination(url, allows_loopback=True)
        except AddressRefused:
            continue
        assert destination.url.isascii()
        assert read_destination(destination.url, allows_loopback=True) == destination


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
