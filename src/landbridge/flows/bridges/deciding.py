"""What the decision on its approval does to a bridge."""

from datetime import datetime

from landbridge.core.errors import Broken
from landbridge.core.states import Moves
from landbridge.flows.bridges.model import MOVES, Status, as_bridge
from landbridge.flows.bridges.moves import approved, ended
from landbridge.ledger.model import Move, Transfer


class Deciding:
    """A bridge's quote is made when it is approved, and takes exactly what was held until then."""

    @property
    def moves(self) -> Moves[Status]:
        """The table of moves."""
        return MOVES

    async def approved(self, record: Transfer, *, actor: str, at: datetime) -> Move:
        """Its quote is made now, and waits to be accepted."""
        return approved(as_bridge(record), actor, at)

    def refused(self, record: Transfer, *, actor: str, at: datetime, reason: str | None) -> Move:
        """It ends, and its coins are free again."""
        del reason  # a person's words; they stay with the vote
        return ended(as_bridge(record), Status.REJECTED, actor, at)

    def short(self, record: Transfer, *, actor: str, at: datetime) -> Move:
        """Raise `Broken`: an approval takes nothing."""
        raise Broken(f"bridge {record.id} takes more than it holds: {actor}, {at}")
