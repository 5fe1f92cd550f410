"""Verbs of the sandbox."""

from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from uuid import UUID

from landbridge.chains.tokens import TOKENS, Chain
from landbridge.core.clock import Clock
from landbridge.core.errors import Broken, FieldInvalid
from landbridge.core.ids import new_id
from landbridge.core.money import AmountError, Money
from landbridge.flows.due import Due
from landbridge.ledger.model import Opening, Outcome, Posting, Role, Transfer
from landbridge.ledger.service import Ledger
from landbridge.orgs.model import Mode
from landbridge.orgs.service import Orgs
from landbridge.sandbox.errors import SandboxOnly
from landbridge.users.service import Users
from landbridge.verification.service import Verification
from landbridge.wallets.model import DEPOSIT_KIND, DEPOSIT_MOVES, DepositStatus
from landbridge.wallets.service import Holding, Wallets
from landbridge.web.caller import Caller

# Enough for any story, little enough that sums of many stay far from 38 digits.
_COINS_MAX = 10**12


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Refuses everything in production."""

    mode: Mode
    ledger: Ledger
    orgs: Orgs
    users: Users
    wallets: Wallets
    due: Due
    verification: Verification
    clock: Clock

    async def fund(
        self, caller: Caller, user_id: UUID, *, chain: Chain, currency: str, amount: str
    ) -> tuple[Transfer, Holding]:
        """Let coins arrive in a user's wallet, as if they had come over the chain."""
        self._check_mode()
        await self.users.check_exists(caller.org_id, user_id)
        holding = await self.wallets.holding(caller.org_id, user_id, chain, currency)
        asset = TOKENS[chain, currency].asset
        try:
            money = Money.parse(amount, asset)
        except AmountError as error:
            raise FieldInvalid(f"amount {error}", field="amount") from error
        if not 0 < money.units <= _COINS_MAX * 10**asset.decimals:
            raise FieldInvalid(
                f"amount must be above zero and at most {_COINS_MAX}", field="amount"
            )
        account = await self.ledger.account(caller.org_id, holding.wallet.id, asset)
        deposit_id = new_id()
        opened = await self.ledger.open(
            Opening(
                org_id=caller.org_id,
                id=deposit_id,
                kind=DEPOSIT_KIND,
                user_id=user_id,
                request_id=deposit_id,
                request={"chain": chain, "currency": currency, "amount": amount},
                path=(DepositStatus.COMPLETED,),
                source=money,
                destination=money,
                details={"transaction_hash": _hash(deposit_id, chain)},
                due_at=None,
                at=self.clock.stamp(caller.clock_offset),
                actor=caller.actor,
                journals={0: [Posting(Role.OUTSIDE, -money), Posting(account.id, money)]},
            ),
            DEPOSIT_MOVES,
        )
        if isinstance(opened, Outcome):
            raise Broken("a deposit came out short")
        held = await self.wallets.holding(caller.org_id, user_id, chain, currency)
        return opened.transfer, held

    async def advance_clock(self, caller: Caller, by: timedelta) -> timedelta:
        """Move the organisation's time on, and do everything that falls due, in order."""
        self._check_mode()
        offset = await self.orgs.advance_clock(caller.org_id, by, actor=caller.actor)
        await self.verification.run_all({caller.org_id: offset})
        await self.due.run_all({caller.org_id: offset})
        return offset

    def _check_mode(self) -> None:
        if self.mode is not Mode.SANDBOX:
            raise SandboxOnly


def _hash(deposit_id: UUID, chain: Chain) -> str:
    """A transaction hash as the sandbox chain gives it: the same for the same deposit."""
    digest = sha256(f"{chain}/{deposit_id}".encode()).hexdigest()
    return f"0x{digest}" if chain.is_evm else digest
