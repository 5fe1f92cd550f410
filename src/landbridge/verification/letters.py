"""The mail that asks a user for information."""

from dataclasses import dataclass
from typing import Any

from landbridge.db.pool import Tx
from landbridge.mail.outbox import Letter, Outbox
from landbridge.privacy.service import DataKey
from landbridge.verification.model import Case

_SUBJECT = "More information is needed for your verification"
_TEXT = """Hello,

to finish checking your details, we need something more from you:

{comment}

Please send it through the company that you are in touch with, not as an answer to this mail.
"""


@dataclass(frozen=True, slots=True)
class Letters:
    """Puts letters into the outbox."""

    outbox: Outbox

    async def ask(self, tx: Tx, case: Case, key: DataKey) -> None:
        """Write to the address in the KYC data, else to that of the account."""
        comment, snapshot = case.findings.asked_for, case.snapshot
        if comment is None or snapshot is None:
            return
        told: Any = snapshot.data.get("email")
        to = told if isinstance(told, str) else snapshot.email
        letter = Letter(to=to, subject=_SUBJECT, text=_TEXT.format(comment=comment))
        await self.outbox.put(tx, org_id=case.org_id, owner_id=case.user_id, key=key, letter=letter)
