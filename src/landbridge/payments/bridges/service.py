"""Bridge service: quotes, accepts, expires and reads bridges; decisions on approvals.

A bridge's quote holds no money, unless the bridge needs an approval: then its coins are held from
the start. The balance is checked when the quote is made, so that a bridge that would fail is not
started, and again by the statement that holds the money on accept.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from landbridge.customers.wallets.errors import WalletNotFound
from landbridge.customers.wallets.service import checked_address
from landbridge.ledger.errors import InsufficientBalance
from landbridge.ledger.model import AdvanceTransfer, CommitOutcome, CreateTransfer, Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.approvals.model import ON_CHAIN_LIFETIME
from landbridge.payments.bridges.model import (
    KIND,
    QUOTE_LIFETIME,
    TRANSITIONS,
    Bridge,
    BridgeDetails,
    BridgeStatus,
    accept_refusal,
    as_bridge,
    check_route,
)
from landbridge.payments.bridges.transitions import accepted, approved, ended, planned_steps
from landbridge.payments.engine.amounts import insufficient_balance_text, parse_amount
from landbridge.payments.engine.create_transfer import (
    CreationOptions,
    TransferCreation,
    TransferDraft,
)
from landbridge.payments.engine.order_keys import requested_details
from landbridge.payments.engine.parties import PartyRequest, Payee, PaymentParties
from landbridge.payments.engine.postings import hold
from landbridge.payments.engine.quote_acceptance import QuoteAcceptance
from landbridge.payments.engine.request_options import (
    DEFAULT_OPTIONS,
    MetadataRequest,
    RequestOptions,
    payment_values,
)
from landbridge.payments.engine.scripted_outcomes import check_scripted_screening
from landbridge.payments.quotes.errors import QuoteInvalid
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken, RoleNotAllowed
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Asset, Money, Rate, Rounding
from landbridge.platform.core.optimistic_retry import optimistic_retry
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.core.transitions import Transitions
from landbridge.platform.formats.schemas import AddressText
from landbridge.platform.http.caller import Caller
from landbridge.platform.http.responses import PositiveNumber, WireStruct
from landbridge.providers.chains.port import ChainAction
from landbridge.providers.chains.tokens import Chain, Network

# Rate of every bridge, which does not change the coin. Source: contract, lifecycles 1.4.
RATE = Rate(Decimal(1))


class BridgeSource(WireStruct, frozen=True):
    """Source of a bridge, where coins are burned."""

    user_id: UUID
    chain: Chain
    currency: str


class BridgeDestination(WireStruct, frozen=True):
    """Destination, where coins are minted: for a user or for an address, at most one of the two."""

    chain: Network
    currency: str
    user_id: UUID | None = None
    wallet_address: AddressText | None = None


class NewBridge(MetadataRequest, frozen=True, kw_only=True):
    """Request of a bridge; `amount` leaves one chain and arrives on the other."""

    request_id: UUID
    amount: PositiveNumber
    source: BridgeSource
    destination: BridgeDestination
    require_approval: bool | None = False


@dataclass(frozen=True, slots=True)
class Bridges:
    """Manages bridges of all organisations."""

    ledger: Ledger
    parties: PaymentParties
    transfer_creation: TransferCreation
    quote_acceptance: QuoteAcceptance
    clock: Clock

    async def create(
        self, caller: Caller, data: NewBridge, options: RequestOptions = DEFAULT_OPTIONS
    ) -> Bridge:
        """Quote a bridge, or request its approval, once per request id.

        Raises `FieldInvalid`, `RouteInvalid`, `ProfileFrozen`, `RoleNotAllowed`, `UserNotFound`,
        `UserFrozen`, `WalletNotFound`, `InsufficientBalance`, and `RequestIdTaken` for a request id
        used with another body.
        """
        to = data.destination
        recipient = PartyRequest(
            side="destination", user_id=to.user_id, wallet_address=to.wallet_address
        )
        request, options = payment_values(data), options.of(data.metadata)
        source, destination = check_route(
            source_chain=data.source.chain,
            source_currency=data.source.currency,
            destination_chain=to.chain,
            currency=to.currency,
        )
        money = parse_amount("amount", data.amount, source)

        async def draft(needs_approval: bool) -> TransferDraft:  # noqa: FBT001  the one argument there is
            draft = await self._draft(caller, data, recipient, money, destination, request=request)
            return _with_approval(draft) if needs_approval else draft

        record = await self.transfer_creation.create(
            caller,
            draft,
            TRANSITIONS,
            CreationOptions(
                kind=KIND,
                request_id=data.request_id,
                request=request,
                planned_steps=planned_steps,
                needs_approval=bool(data.require_approval) or caller.payments_need_approval,
                approval_lifetime=ON_CHAIN_LIFETIME,
                request_options=options,
            ),
        )
        return as_bridge(record)

    @optimistic_retry("another request is changing this bridge; try again")
    async def accept(self, caller: Caller, bridge_id: UUID) -> Bridge | None:
        """Hold the coins and start the bridge; a repeated accept returns the same result.

        Raises `TransactionNotFound`, `QuoteNotFound` while its approval is pending, `QuoteInvalid`
        for a late accept (the bridge is QUOTE_FAILED then), `InsufficientBalance` and
        `LimitExceeded` (the quote stays open until it expires), and as `create` for a caller or a
        user who may not move money.
        """
        bridge = await self.get(caller.org_id, bridge_id)
        if refusal := accept_refusal(bridge.status):
            raise refusal
        if bridge.status is not BridgeStatus.OPEN_QUOTE:
            return bridge
        check_scripted_screening(bridge.record)
        await self.parties.check_may_move(caller, *affected_users(bridge))
        if caller.payments_need_approval and not bridge.held.units:
            # A bridge that needed no approval holds no money before its accept.
            raise RoleNotAllowed("a member's bridge needs an admin's approval before it starts")
        at = self.clock.stamp(caller.clock_offset)
        moved = await self.quote_acceptance.advance(
            accepted(bridge, caller.actor, at), TRANSITIONS, is_approved=bool(bridge.held.units)
        )
        match moved:
            case Transfer():
                return as_bridge(moved)
            case CommitOutcome.LATE:
                if await self.expire(bridge, caller.actor, at):
                    raise QuoteInvalid("the quote of this bridge has expired; create a new one")
            case CommitOutcome.INSUFFICIENT:
                raise InsufficientBalance(insufficient_balance_text(bridge.source))
            case _:
                pass  # changed concurrently: read the record again
        return None

    async def expire(self, bridge: Bridge, actor: str, at: datetime) -> bool:
        """Expire an open quote that is due; return False if another process advanced the bridge."""
        move = ended(bridge, BridgeStatus.QUOTE_FAILED, actor, at)
        return isinstance(await self.ledger.advance(move, TRANSITIONS), Transfer)

    async def get(self, org_id: UUID, bridge_id: UUID) -> Bridge:
        """Return a bridge; raises `TransactionNotFound`."""
        return as_bridge(await self.ledger.get(org_id, KIND, bridge_id))

    async def page(
        self, org_id: UUID, user_id: UUID | None, window: PageWindow
    ) -> Sequence[Bridge]:
        """Return a page of bridges, newest first."""
        return [as_bridge(each) for each in await self.ledger.page(org_id, KIND, user_id, window)]

    async def _draft(
        self,
        caller: Caller,
        data: NewBridge,
        recipient: PartyRequest,
        money: Money,
        destination: Asset,
        *,
        request: dict[str, Any],
    ) -> TransferDraft:
        """Draft a bridge with an open quote."""
        self.parties.check_chain_connected(
            data.source.chain, field="source.chain", action=ChainAction.BURN
        )
        self.parties.check_bridge(money.asset, destination)
        payer = await self.parties.payer(
            caller, data.source.user_id, data.source.chain, data.source.currency
        )
        payee = await self._payee(caller, data, recipient, destination)
        await self.parties.check_new_address(caller, payee, money, "amount")
        if payer.account.available_units < money.units:
            raise InsufficientBalance(insufficient_balance_text(money), field="amount")
        at = self.clock.stamp(caller.clock_offset)
        expires_at = at + QUOTE_LIFETIME
        details = BridgeDetails(
            source_account_id=payer.account.id,
            source_wallet_id=payer.wallet.id,
            source_address=payer.wallet.address,
            destination_account_id=payee.account_id,
            destination_user_id=payee.user_id,
            destination_address=payee.address,
            quote_expires_at=expires_at,
        )
        return TransferDraft(
            creation=CreateTransfer(
                org_id=caller.org_id,
                id=new_id(),
                kind=KIND,
                user_id=data.source.user_id,
                request_id=data.request_id,
                request=request,
                path=(BridgeStatus.OPEN_QUOTE,),
                source=money,
                destination=RATE.convert(money, destination, Rounding.DOWN),
                details=requested_details(details),
                due_at=expires_at,
                at=at,
                actor=caller.actor,
            ),
            payees=(payee,),
        )

    async def _payee(
        self, caller: Caller, data: NewBridge, requested: PartyRequest, asset: Asset
    ) -> Payee:
        """Return the recipient, which on some networks can only be an external address."""
        network, payer_id = data.destination.chain, data.source.user_id
        if network.chain is not None:
            return await self.parties.payee(
                caller, requested, payer_id=payer_id, chain=network.chain, asset=asset
            )
        field = f"{requested.side}.walletAddress"
        if requested.wallet_address is None:
            raise WalletNotFound(
                f"{requested.side}.chain: there are no wallets on {network}; give {field}",
                field=f"{requested.side}.chain",
            )
        address = checked_address(network.address_chain, requested.wallet_address, field=field)
        # The same key has the same address on every EVM chain, including unsupported ones.
        if await self.parties.wallets.find_address(caller.org_id, network.address_chain, address):
            raise WalletNotFound(
                f"{field}: {address} belongs to a user, and there are no wallets on {network}",
                field=field,
            )
        return await self.parties.outside(
            caller.org_id,
            payer_id=payer_id,
            address=address,
            registered_on=[chain for chain in Chain if chain.is_evm],
            side=requested.side,
        )


class BridgeApprovalDecisions:
    """Approval decisions of bridges: an approval quotes the bridge, for exactly the held amount."""

    @property
    def transitions(self) -> Transitions[BridgeStatus]:
        """Return the transitions of bridges."""
        return TRANSITIONS

    async def approved(self, record: Transfer, *, actor: str, at: datetime) -> AdvanceTransfer:
        """Build the advance of an approved bridge: it is quoted now, and waits for its accept."""
        return approved(as_bridge(record), actor, at)

    def refused(self, record: Transfer, *, actor: str, at: datetime) -> AdvanceTransfer:
        """Build the advance of a rejected bridge: it ends and its coins are released."""
        return ended(as_bridge(record), BridgeStatus.REJECTED, actor, at)

    def insufficient(self, record: Transfer, *, actor: str, at: datetime) -> AdvanceTransfer:
        """Raise `InvariantBroken`: an approval moves no money, so the balance can't be too low."""
        raise InvariantBroken(f"bridge {record.id} needs more than it holds: {actor}, {at}")


def affected_users(bridge: Bridge) -> list[UUID]:
    """Return the ids of the paying user and, if known, of the recipient."""
    payee = bridge.details.destination_user_id
    return [bridge.record.user_id, *([] if payee is None else [payee])]


def _with_approval(draft: TransferDraft) -> TransferDraft:
    """Convert a draft into one that waits for an approval, without a quote and with held coins."""
    creation = draft.creation
    account_id = UUID(creation.details["source_account_id"])
    pending = {"quote_expires_at": None, "held_units": creation.source.units}
    waiting = replace(
        creation,
        path=(BridgeStatus.PENDING_APPROVAL,),
        details={**creation.details, **pending},
        due_at=creation.at + ON_CHAIN_LIFETIME,
        journals={0: hold(account_id, creation.source)},
    )
    return replace(draft, creation=waiting)
