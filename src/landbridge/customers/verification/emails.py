"""E-mail that requests information from a user."""

from dataclasses import dataclass
from typing import Any

from landbridge.customers.verification.model import VerificationCase
from landbridge.platform.db.pool import Tx
from landbridge.platform.encryption.service import DataKey
from landbridge.platform.mail.outbox import Outbox, SealedEmailContent

_SUBJECT = "Information requested for your verification"
_TEXT = """Hello,

to complete your verification, we need more information from you:

{comment}

Send it through the company you are in contact with. Do not reply to this e-mail.
"""


@dataclass(frozen=True, slots=True)
class VerificationEmails:
    """Puts letters into the outbox."""

    outbox: Outbox

    async def ask(self, tx: Tx, case: VerificationCase, key: DataKey) -> None:
        """Write to the address in the KYC data, else to that of the account."""
        comment, snapshot = case.findings.asked_for, case.snapshot
        if comment is None or snapshot is None:
            return
        recipient: Any = snapshot.data.get("email")
        to = recipient if isinstance(recipient, str) else snapshot.email
        email = SealedEmailContent(to=to, subject=_SUBJECT, text=_TEXT.format(comment=comment))
        await self.outbox.put(tx, org_id=case.org_id, owner_id=case.user_id, key=key, email=email)
