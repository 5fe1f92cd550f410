"""Verbs on bridges: create, accept, expire, get, list.

A bridge's quote holds no money, unless it was approved: the balance is checked when it is made, so
that a bridge that would fail is not started, and again when it is accepted, in the statement that
holds the money. One that waits for an approval holds what it takes from the start.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec

from landbridge.approvals.model import ON_CHAIN_LIFETIME
from landbridge.chains.tokens import Chain, Network
from landbridge.core.clock import Clock
from landbridge.core.errors import Busy, RoleNotAllowed
from landbridge.core.ids import new_id
from landbridge.core.money import Asset, Money, Rate, Rounding
from landbridge.core.pages import Window
from landbridge.flows.bridges.model import (
    KIND,
    MOVES,
    QUOTE_LIFETIME,
    Bridge,
    Details,
    Status,
    as_bridge,
    check_route,
    why_not_accept,
)
from landbridge.flows.bridges.moves import accepted, course, ended
from landbridge.ledger.errors import InsufficientBalance
from landbridge.ledger.model import Opening, Outcome, Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.amounts import parse_amount, too_little
from landbridge.payments.committing import Committing
from landbridge.payments.ends import Asked, Ends, Payee
from landbridge.payments.forced import check_screened
from landbridge.payments.manner import PLAIN, Manner
from landbridge.payments.openings import Drafted, Openings, Terms
from landbridge.payments.postings import hold
from landbridge.quotes.errors import QuoteInvalid
from landbridge.wallets.errors import WalletNotFound
from landbridge.wallets.service import checked_address
from landbridge.web.caller import Caller

# How often a verb looks again after it has lost a race before it says so.
_ATTEMPTS = 4

# A bridge of one coin. Source: contract, lifecycles 1.4 (rate always "1").
RATE = Rate(Decimal(1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A bridge that is asked for."""

    amount: Decimal
    source_user_id: UUID
    source_chain: Chain
    source_currency: str
    destination_chain: Network
    destination_currency: str
    destination: Asked
    requires_approval: bool


@dataclass(frozen=True, slots=True)
class Bridges:
    """Bridges of all organisations."""

    ledger: Ledger
    ends: Ends
    openings: Openings
    committing: Committing
    clock: Clock

    async def create(
        self,
        caller: Caller,
        request_id: UUID,
        wanted: Wanted,
        request: dict[str, Any],
        *,
        manner: Manner = PLAIN,
    ) -> Bridge:
        """Quote a bridge, or ask for its approval, once per request id.

        Raises `FieldInvalid`, `RouteInvalid`, `ProfileFrozen`, `RoleNotAllowed`, `UserNotFound`,
        `UserFrozen`, `WalletNotFound`, `InsufficientBalance`, and `RequestIdTaken` for a request
        id used with another body.
        """
        source, destination = check_route(
            source_chain=wanted.source_chain,
            source_currency=wanted.source_currency,
            destination_chain=wanted.destination_chain,
            currency=wanted.destination_currency,
        )
        money = parse_amount("amount", wanted.amount, source)

        async def draft(asks: bool) -> Drafted:  # noqa: FBT001  the one argument there is
            drafted = await self._drafted(
                caller, wanted, money, destination, request_id=request_id, request=request
            )
            return _asking(drafted) if asks else drafted

        record = await self.openings.once(
            caller,
            draft,
            MOVES,
            Terms(
                kind=KIND,
                request_id=request_id,
                request=request,
                course=course,
                asks=wanted.requires_approval or caller.must_ask,
                lifetime=ON_CHAIN_LIFETIME,
                manner=manner,
            ),
        )
        return as_bridge(record)

    async def accept(self, caller: Caller, bridge_id: UUID) -> Bridge:
        """Hold the coins and let the worker carry the bridge out; twice answers as the first time.

        Raises `TransactionNotFound`, `QuoteNotFound` while it waits for an approval,
        `QuoteInvalid` for a late accept (the bridge is QUOTE_FAILED then), `InsufficientBalance`
        and `LimitExceeded` (the quote stays open until it expires), and as `create` for a caller
        or a user who may not move money.
        """
        for _ in range(_ATTEMPTS):
            bridge = await self.get(caller.org_id, bridge_id)
            if refusal := why_not_accept(bridge.status):
                raise refusal
            if bridge.status is not Status.OPEN_QUOTE:
                return bridge
            check_screened(bridge.record)
            await self.ends.check_may_move(caller, *moving(bridge))
            if caller.must_ask and not bridge.held.units:
                # Only an approval holds money before the accept.
                raise RoleNotAllowed("a member's bridge needs an admin's approval before it starts")
            at = self.clock.stamp(caller.clock_offset)
            moved = await self.committing.advance(
                accepted(bridge, caller.actor, at), MOVES, is_approved=bool(bridge.held.units)
            )
            match moved:
                case Transfer():
                    return as_bridge(moved)
                case Outcome.LATE:
                    if await self.expire(bridge, caller.actor, at):
                        raise QuoteInvalid("the quote of this bridge has expired; create a new one")
                case Outcome.SHORT:
                    raise InsufficientBalance(too_little(bridge.source))
                case _:
                    pass  # somebody else moved it: look again
        raise Busy("the bridge is being changed by somebody else")

    async def expire(self, bridge: Bridge, actor: str, at: datetime) -> bool:
        """End an open quote that is due; False if somebody else has moved the bridge."""
        move = ended(bridge, Status.QUOTE_FAILED, actor, at)
        return isinstance(await self.ledger.advance(move, MOVES), Transfer)

    async def get(self, org_id: UUID, bridge_id: UUID) -> Bridge:
        """A bridge; raises `TransactionNotFound`."""
        return as_bridge(await self.ledger.get(org_id, KIND, bridge_id))

    async def page(self, org_id: UUID, user_id: UUID | None, window: Window) -> Sequence[Bridge]:
        """A page of bridges, newest first."""
        return [as_bridge(each) for each in await self.ledger.page(org_id, KIND, user_id, window)]

    async def _drafted(
        self,
        caller: Caller,
        wanted: Wanted,
        money: Money,
        destination: Asset,
        *,
        request_id: UUID,
        request: dict[str, Any],
    ) -> Drafted:
        """The record of a bridge with its quote."""
        self.ends.check_carried(field="source.chain")
        payer = await self.ends.payer(
            caller, wanted.source_user_id, wanted.source_chain, wanted.source_currency
        )
        payee = await self._payee(caller, wanted, destination)
        if payer.account.available_units < money.units:
            raise InsufficientBalance(too_little(money), field="amount")
        at = self.clock.stamp(caller.clock_offset)
        expires_at = at + QUOTE_LIFETIME
        details = Details(
            source_account_id=payer.account.id,
            source_wallet_id=payer.wallet.id,
            source_address=payer.wallet.address,
            destination_account_id=payee.account_id,
            destination_user_id=payee.user_id,
            destination_address=payee.address,
            quote_expires_at=expires_at,
        )
        return Drafted(
            opening=Opening(
                org_id=caller.org_id,
                id=new_id(),
                kind=KIND,
                user_id=wanted.source_user_id,
                request_id=request_id,
                request=request,
                path=(Status.OPEN_QUOTE,),
                source=money,
                destination=RATE.convert(money, destination, Rounding.DOWN),
                details=msgspec.to_builtins(details),
                due_at=expires_at,
                at=at,
                actor=caller.actor,
            )
        )

    async def _payee(self, caller: Caller, wanted: Wanted, asset: Asset) -> Payee:
        """Where the coins arrive, which for some networks can only be outside."""
        network, asked = wanted.destination_chain, wanted.destination
        if network.chain is not None:
            return await self.ends.payee(
                caller, asked, payer_id=wanted.source_user_id, chain=network.chain, asset=asset
            )
        field = f"{asked.side}.walletAddress"
        if asked.wallet_address is None:
            raise WalletNotFound(
                f"{asked.side}.chain: nobody has a wallet on {network} here; give {field}",
                field=f"{asked.side}.chain",
            )
        address = checked_address(network.address_chain, asked.wallet_address, field=field)
        # The same key holds the same address on every EVM chain, also where we do not look.
        if await self.ends.wallets.find_address(caller.org_id, network.address_chain, address):
            raise WalletNotFound(
                f"{field}: {address} belongs to a user, and nobody has a wallet on {network} here",
                field=field,
            )
        return await self.ends.outside(
            caller.org_id,
            payer_id=wanted.source_user_id,
            address=address,
            registered_on=[chain for chain in Chain if chain.is_evm],
            side=asked.side,
        )


def moving(bridge: Bridge) -> list[UUID]:
    """The users whose money moves."""
    payee = bridge.details.destination_user_id
    return [bridge.record.user_id, *([] if payee is None else [payee])]


def _asking(drafted: Drafted) -> Drafted:
    """The same record as one that waits for an approval: unquoted, its coins held."""
    opening = drafted.opening
    account_id = UUID(opening.details["source_account_id"])
    asked = {"quote_expires_at": None, "held_units": opening.source.units}
    waiting = replace(
        opening,
        path=(Status.PENDING_APPROVAL,),
        details={**opening.details, **asked},
        due_at=opening.at + ON_CHAIN_LIFETIME,
        journals={0: hold(account_id, opening.source)},
    )
    return replace(drafted, opening=waiting)
