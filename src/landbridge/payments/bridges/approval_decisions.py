"""Applies approval decisions to bridges."""

from datetime import datetime

from landbridge.ledger.model import AdvanceTransfer, Transfer
from landbridge.payments.bridges.model import TRANSITIONS, BridgeStatus, as_bridge
from landbridge.payments.bridges.transitions import approved, ended
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.transitions import Transitions


class BridgeApprovalDecisions:
    """Approval decisions of bridges: an approval quotes the bridge, for exactly the held amount."""

    @property
    def transitions(self) -> Transitions[BridgeStatus]:
        """Return the transitions of bridges."""
        return TRANSITIONS

    async def approved(self, record: Transfer, *, actor: str, at: datetime) -> AdvanceTransfer:
        """Build the advance of an approved bridge: it is quoted now, and waits for its accept."""
        return approved(as_bridge(record), actor, at)

    def refused(
        self, record: Transfer, *, actor: str, at: datetime, reason: str | None
    ) -> AdvanceTransfer:
        """Build the advance of a rejected bridge: it ends and its coins are released."""
        del reason  # kept with the vote
        return ended(as_bridge(record), BridgeStatus.REJECTED, actor, at)

    def insufficient(self, record: Transfer, *, actor: str, at: datetime) -> AdvanceTransfer:
        """Raise `InvariantBroken`: an approval posts nothing."""
        raise InvariantBroken(f"bridge {record.id} needs more than it holds: {actor}, {at}")
