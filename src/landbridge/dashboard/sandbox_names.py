"""Names that decide a verification in the sandbox, and what each does. See the reference."""

from collections.abc import Sequence

from landbridge.dashboard.words import later as _

# Last names; of several, the first of these wins. Source: docs/reference/verification.md.
KEYWORDS: Sequence[tuple[str, str, str]] = (
    ("REJECTION", "REJECTED", _("Declined at once, for good.")),
    ("RETRY", "INCOMPLETE", _("Sent back at once; the name has to be told anew.")),
    ("INFORMATION", "RFI_PENDING", _("Information is asked for at once.")),
    ("REVIEW", "MANUAL_REVIEW", _("Waits at once in the queue of reviews.")),
    ("PENDING", "PENDING", _("Stays pending.")),
    ("APPROVAL", "ACTIVE", _("Approved at once.")),
)
