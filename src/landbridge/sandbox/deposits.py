"""Money that arrives for a payment that waits for it: fiat for onramps, coins for offramps."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from landbridge.core.clock import Clock
from landbridge.core.errors import FieldInvalid, ResourceConflict
from landbridge.core.ids import new_id
from landbridge.core.money import Asset, Money
from landbridge.flows.offramps.model import Offramp
from landbridge.flows.offramps.service import Offramps
from landbridge.flows.onramps.service import Onramps
from landbridge.formats.texts import check_text
from landbridge.orgs.model import Mode
from landbridge.payments.amounts import parse_amount
from landbridge.payments.forced import deposit_delay, is_told_twice
from landbridge.rails.calendar import settles_at
from landbridge.receipts.model import Receipt, Sender, Told
from landbridge.receipts.service import Receipts
from landbridge.simulation.errors import SandboxOnly
from landbridge.simulation.hashes import transaction_hash
from landbridge.simulation.model import Pace
from landbridge.simulation.service import Memory
from landbridge.web.caller import Caller, check_editor

# How each currency comes; the first is how it comes if nothing is told.
RAILS = {
    "usd": ("wire", "ach", "rtp"),
    "eur": ("sepa", "sepaInstant"),
    "brl": ("pix",),
    "mxn": ("spei",),
}
_OTHER_RAILS = ("bank", "momo")

# Whom a deposit is from if nothing is told. Nobody has this number.
_SENDER = Sender(
    name="Example Sender",
    bank_name="Example Bank",
    routing_number="123456780",
    account_number="000111222333",
)


@dataclass(frozen=True, slots=True)
class Credited:
    """Coins that arrived for an offramp, and what has become of it."""

    offramp: Offramp
    money: Money
    transaction_hash: str


@dataclass(frozen=True, slots=True)
class SandboxDeposits:
    """Refuses everything in production. Each call is a deposit of its own."""

    mode: Mode
    onramps: Onramps
    offramps: Offramps
    receipts: Receipts
    memory: Memory
    clock: Clock

    async def send_fiat(
        self,
        caller: Caller,
        transfer_id: UUID,
        *,
        amount: Decimal | None,
        reference: str | None,
        payment_rail: str | None,
        sender: Sender | None,
    ) -> Receipt:
        """Let a deposit for an onramp arrive at the bank; what is not told is as expected.

        The worker matches it or gives it back, as it would a real one. Raises
        `TransactionNotFound`, `FieldInvalid`, and `ResourceConflict` for an onramp that was never
        accepted or is a deposit on a virtual account itself.
        """
        check_editor(caller)
        self._check_mode()
        onramp = await self.onramps.get(caller.org_id, transfer_id)
        number = onramp.details.account_number
        if number is None:
            raise ResourceConflict(
                "this onramp has no deposit instructions: accept it first, or simulate a deposit "
                "on its virtual account"
            )
        asset = onramp.source.asset
        rail = _rail(asset, payment_rail)
        at = self.clock.stamp(caller.clock_offset)
        told_reference = onramp.details.reference if reference is None else reference
        clears_at = await self.clears_at(caller.org_id, rail, at)
        told = Told(
            org_id=caller.org_id,
            bank_reference=f"sandbox/{new_id()}",
            account_number=number,
            # An empty one is a payer who forgot it.
            reference=check_text("reference", told_reference) if told_reference else None,
            money=_amount(amount, onramp.source),
            rail=rail,
            sender=sender or _SENDER,
            description=None,
            at=at,
            clears_at=clears_at + deposit_delay(onramp.record),
        )
        if is_told_twice(onramp.record):
            await self.receipts.receive(told)
        return await self.receipts.receive(told)

    async def send_coins(
        self, caller: Caller, transfer_id: UUID, *, amount: Decimal | None
    ) -> Credited:
        """Let coins arrive from the external wallet that pays an offramp, confirmed.

        Raises `TransactionNotFound`, `FieldInvalid`, and `ResourceConflict` for an offramp that a
        wallet of the platform pays.
        """
        check_editor(caller)
        self._check_mode()
        offramp = await self.offramps.get(caller.org_id, transfer_id)
        money = _amount(amount, offramp.gross)
        chain_hash = transaction_hash(money.asset.chain, new_id())
        arrived = await self.offramps.coins_arrived(caller, transfer_id, money, chain_hash)
        return Credited(arrived, money, chain_hash)

    async def clears_at(self, org_id: UUID, rail: str, at: datetime) -> datetime:
        """When a deposit that arrives at `at` can be used, at the organisation's pace."""
        is_real = (await self.memory.paces(org_id)).rails is Pace.REAL
        return settles_at(rail, at) if is_real else at

    def _check_mode(self) -> None:
        if self.mode is not Mode.SANDBOX:
            raise SandboxOnly


def _amount(told: Decimal | None, expected: Money) -> Money:
    return expected if told is None else parse_amount("amount", told, expected.asset)


def _rail(asset: Asset, told: str | None) -> str:
    """How it comes, as it is spelled here whatever the case; raises `FieldInvalid`."""
    known = RAILS.get(asset.currency, _OTHER_RAILS)
    if told is None:
        return known[0]
    for each in known:
        if each.lower() == told.lower():
            return each
    raise FieldInvalid(
        f"paymentRail must be one of {', '.join(known)} for {asset.currency}", field="paymentRail"
    )
