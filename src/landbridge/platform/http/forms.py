"""HTML form bodies, with a bound on the number of fields.

The framework's own parser has no such bound. It also caches the last thousand bodies, including
passwords, as long as the process runs.
"""

from collections.abc import Sequence
from urllib.parse import parse_qs

from landbridge.platform.core.errors import FieldInvalid

# Maximum fields of a form; our largest one, fifty rows with a checkbox each, has far fewer.
FIELDS_MAX = 1_000
# Bounds of a form on a signed-out page, which has an e-mail address, a password and a code.
SIGNED_OUT_BYTES_MAX = 16 * 1024
SIGNED_OUT_FIELDS_MAX = 50


def parse_form(body: bytes, *, fields_max: int = FIELDS_MAX) -> dict[str, Sequence[str]]:
    """Return all values by name, in the order of the body, including empty ones.

    Raises `FieldInvalid` for more than `fields_max` fields, before parsing any.
    """
    text = body.decode("utf-8", errors="replace")
    try:
        return {**parse_qs(text, keep_blank_values=True, max_num_fields=fields_max)}
    except ValueError:
        raise FieldInvalid(f"a form has at most {fields_max} fields") from None
