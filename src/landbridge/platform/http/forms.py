"""HTML form bodies, with a bound on the number of fields.

The framework's own parser is not used: it has no such bound, and caches the last thousand bodies,
including passwords, for as long as the process runs.
"""

from collections.abc import Sequence
from urllib.parse import parse_qs

from landbridge.platform.core.errors import FieldInvalid

# The largest form of ours, fifty rows with a checkbox each, has far fewer.
FIELDS_MAX = 1_000
# A form of a signed-out page: an e-mail address, a password, a code.
SIGNED_OUT_BYTES_MAX = 16 * 1024
SIGNED_OUT_FIELDS_MAX = 50


def parse_form(body: bytes, *, fields_max: int = FIELDS_MAX) -> dict[str, Sequence[str]]:
    """Return all values by name, in the order in which they were sent, including empty ones.

    Raises `FieldInvalid` for more than `fields_max` fields, before any is parsed.
    """
    text = body.decode("utf-8", errors="replace")
    try:
        return {**parse_qs(text, keep_blank_values=True, max_num_fields=fields_max)}
    except ValueError:
        raise FieldInvalid(f"a form has at most {fields_max} fields") from None
