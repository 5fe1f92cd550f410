"""Alternative refund destinations: another address of the same user."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from landbridge.customers.wallets.service import Wallets, checked_address
from landbridge.ledger.model import Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.engine.parties import PaymentParties
from landbridge.payments.engine.resolution_actions import ResolutionInstruction
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.money import Asset
from landbridge.providers.chains.tokens import ASSETS, Network

_FIELD = "address"
# Registrations of one address that are read at most.
_EXTERNAL_MAX = 100


@dataclass(frozen=True, slots=True)
class RefundDestination:
    """Destination of a refund; without a ledger account the coins leave the platform."""

    address: str
    account_id: UUID | None
    user_id: UUID


@dataclass(frozen=True, slots=True)
class RefundDestinations:
    """Validates destinations of refunds in coins."""

    wallets: Wallets
    ledger: Ledger
    parties: PaymentParties

    async def source_facts(
        self, record: Transfer, instruction: ResolutionInstruction, clock_offset: timedelta
    ) -> Mapping[str, Any]:
        """Return the facts that redirect a refund of a record's source coins; raises as `find`."""
        del clock_offset
        found = await self.find(record, ASSETS[record.source_asset], instruction)
        return {
            "return_address": found.address,
            "return_account_id": None if found.account_id is None else str(found.account_id),
        }

    async def find(
        self, record: Transfer, asset: Asset, instruction: ResolutionInstruction
    ) -> RefundDestination:
        """Return the destination at the instruction's address.

        Raises `FieldInvalid` unless it is a wallet of the payment's user, or an external address
        that this user has registered and not closed, on the chain of the asset; `RouteInvalid` and
        `LimitExceeded` for an external address that may not be paid.
        """
        if instruction.address is None:
            raise FieldInvalid(
                "accountId is for refunds in fiat; this one goes to an address", field="accountId"
            )
        chain = Network(asset.chain).address_chain
        address = checked_address(chain, instruction.address, field=_FIELD)
        org_id, user_id = record.org_id, record.user_id
        wallet = await self.wallets.find_address(org_id, chain, address)
        if wallet is not None and wallet.user_id == user_id:
            account = await self.ledger.account(org_id, wallet.id, asset)
            return RefundDestination(address, account.id, user_id)
        if wallet is None:
            _, outside = await self.wallets.at_address(org_id, address, limit=_EXTERNAL_MAX)
            for each in outside:
                if each.user_id == user_id and each.chain is chain and each.is_active:
                    await self.parties.check_redirect(org_id, address, _FIELD)
                    return RefundDestination(address, None, user_id)
        raise FieldInvalid(
            f"{_FIELD} is neither a wallet of user {user_id} on {chain} nor an address that this "
            "user has registered",
            field=_FIELD,
        )
