"""Forms as browsers send them, with a bound on how many fields they have.

The framework's own parser is not used: it has no such bound, and keeps the last thousand bodies in
memory for as long as the process runs, passwords among them.
"""

from collections.abc import Sequence
from urllib.parse import parse_qs

from landbridge.core.errors import FieldInvalid

# The largest form of ours, of fifty rows with a tick each, has far fewer.
FIELDS_MAX = 1_000
# A form of somebody who has not signed in: an address, a password, a code.
SIGNED_OUT_BYTES_MAX = 16 * 1024
SIGNED_OUT_FIELDS_MAX = 50


def parse_form(body: bytes, *, fields_max: int = FIELDS_MAX) -> dict[str, Sequence[str]]:
    """All values by name, in the order in which they were sent; empty ones as well.

    Raises `FieldInvalid` for more than `fields_max` fields, before any is looked at.
    """
    text = body.decode("utf-8", errors="replace")
    try:
        return {**parse_qs(text, keep_blank_values=True, max_num_fields=fields_max)}
    except ValueError:
        raise FieldInvalid(f"a form has at most {fields_max} fields") from None
