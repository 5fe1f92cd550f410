"""Stored parameters: JSON in the order given.

They are decoded like request bodies, so no number becomes a float.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import msgspec

_encoder = msgspec.json.Encoder(decimal_format="number")
_decoder = msgspec.json.Decoder(dict[str, Any], float_hook=Decimal)


def as_json(params: Mapping[str, Any]) -> str:
    """Parameters as a column has them."""
    return _encoder.encode(params).decode()


def from_json(text: str) -> Mapping[str, Any]:
    """Decode stored parameters."""
    return _decoder.decode(text)


def as_stored(params: Mapping[str, Any]) -> Mapping[str, Any]:
    """Parameters as they will be when they are read back: with lists for tuples."""
    return from_json(as_json(params))
