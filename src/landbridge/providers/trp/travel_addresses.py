"""Travel addresses: the URL for inquiries at a wallet's provider, as one word that people can copy.

The word is `ta` and the base58check encoding of a URL without `https://`, which has the query
`t=i`. Source: Travel Rule Protocol 3.1, "Travel Address", as read in the stored implementation of
TRISA (pkg/openvasp/traddr).
"""

from typing import Final
from urllib.parse import parse_qsl

import base58

from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.http.egress_addresses import AddressRefused, read_destination

_PREFIX: Final = "ta"
# A URL has at most 2,000 characters; base58 takes 1.37 characters for each byte.
TRAVEL_ADDRESS_LENGTH_MAX: Final = 1_000
_TAG: Final = ("t", "i")


def encode_travel_address(url: str) -> str:
    """Return the travel address of a URL for inquiries."""
    _, _, rest = url.partition("://")
    return _PREFIX + base58.b58encode_check(rest.encode("ascii")).decode("ascii")


def decode_travel_address(field: str, text: str, *, allows_loopback: bool) -> str:
    """Return the URL of a travel address: https, or http for this machine in a sandbox.

    Raises `FieldInvalid`, also for an address to which nothing may be sent.
    """
    if not text.startswith(_PREFIX) or len(text) > TRAVEL_ADDRESS_LENGTH_MAX:
        raise FieldInvalid(f"{field} must be a travel address, which begins with ta", field=field)
    try:
        rest = base58.b58decode_check(text.removeprefix(_PREFIX)).decode("ascii")
    except ValueError:
        raise FieldInvalid(f"{field} has a wrong checksum: copy it again", field=field) from None
    try:
        destination = read_destination(f"https://{rest}", allows_loopback=allows_loopback)
        if destination.is_local:
            destination = read_destination(f"http://{rest}", allows_loopback=True)
    except AddressRefused as refused:
        raise FieldInvalid(f"{field} leads to a URL that {refused}", field=field) from None
    if _TAG not in parse_qsl(destination.url.partition("?")[2]):
        raise FieldInvalid(f"{field} is of no inquiry: its URL lacks t=i", field=field)
    return destination.url
