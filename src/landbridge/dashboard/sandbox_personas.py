"""Test names that decide a verification in the sandbox, and their outcomes. See the reference."""

from collections.abc import Sequence

from landbridge.platform.formats.translations import later as _

# Last names; if a name has several, the first in this list wins. Source:
# docs/reference/verification.md.
KEYWORDS: Sequence[tuple[str, str, str]] = (
    ("REJECTION", "REJECTED", _("Declined immediately and permanently.")),
    ("RETRY", "INCOMPLETE", _("Returned immediately; the name must be corrected.")),
    ("INFORMATION", "RFI_PENDING", _("More information requested immediately.")),
    ("REVIEW", "MANUAL_REVIEW", _("Sent to the review queue immediately.")),
    ("PENDING", "PENDING", _("Stays pending.")),
    ("APPROVAL", "ACTIVE", _("Approved immediately.")),
)
