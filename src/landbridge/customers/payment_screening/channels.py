"""Chains and rails that screen outgoing payments before they send them.

Each class wraps another adapter of its port, so every flow is covered. Coins that go to a wallet or
the treasury of the organisation stay in its books, and are not screened. Nor are returns of coins
or fiat to their sender, unless people chose another destination.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.customers.payment_screening.model import ScreenedDestination
from landbridge.customers.payment_screening.service import PaymentScreenings
from landbridge.customers.wallets.service import Wallets
from landbridge.providers.chains.forwarding import ForwardingChains
from landbridge.providers.chains.port import ChainAction, ChainOrder, ChainOrderStatus
from landbridge.providers.chains.tokens import Network
from landbridge.providers.rails.port import (
    DepositCoordinates,
    PayeeVerification,
    PayoutDestination,
    RailPayment,
    RailPaymentStatus,
    Rails,
)


@dataclass(frozen=True, slots=True)
class ScreenedChains(ForwardingChains):
    """Chains that screen orders to outside addresses; see the port."""

    screenings: PaymentScreenings
    wallets: Wallets

    async def send(self, order: ChainOrder) -> ChainOrderStatus:
        """Submit an order once its destinations are released; see the port.

        Raises `PaymentAwaitsScreening` until then, and `Rejected` if people rejected it.
        """
        destinations = await self._destinations(order)
        if destinations:
            await self.screenings.check(
                destinations,
                lambda: self.chains.find_status(order.org_id, order.key, order.at),
                order.at,
            )
        return await self.chains.send(order)

    async def _destinations(self, order: ChainOrder) -> list[ScreenedDestination]:
        """Return the outside addresses of an order, each with the sum of the order's legs to it.

        The coins of a burn arrive on another chain; its mint has the same destinations.
        """
        if order.action is ChainAction.APPROVE or (order.is_refund and not order.is_redirected):
            return []
        chain = Network(order.into or order.chain)
        addresses = [each.address for each in order.legs]
        own = {
            *await self.wallets.own_addresses(order.org_id, addresses),
            await self.wallets.find_treasury_address(order.org_id, chain.address_chain),
        }
        found: dict[str, ScreenedDestination] = {}
        for leg in order.legs:
            known = found.get(leg.address)
            if known is not None:
                found[leg.address] = replace(known, money=known.money + leg.money)
            elif leg.address not in own:
                found[leg.address] = ScreenedDestination(
                    org_id=order.org_id,
                    payment_id=order.record_id,
                    name=f"{chain}/{leg.address}",
                    money=leg.money,
                    chain=chain,
                    source_address=order.source,
                    address=leg.address,
                )
        return list(found.values())


@dataclass(frozen=True, slots=True)
class ScreenedRails:
    """Rails that screen payouts; see the port."""

    rails: Rails
    screenings: PaymentScreenings

    @property
    def key_lifetime(self) -> timedelta | None:
        """Return how long a key is idempotent; see the port."""
        return self.rails.key_lifetime

    async def pay(self, payment: RailPayment) -> RailPaymentStatus:
        """Submit a payment once its payee is released; see the port.

        Raises `PaymentAwaitsScreening` until then, and `Rejected` if people rejected it.
        """
        if not payment.goes_to_sender:
            payee = ScreenedDestination(
                org_id=payment.org_id,
                payment_id=payment.record_id,
                name=str(payment.account_id or payment.key),
                money=payment.money,
                rail=payment.rail,
                payee=payment.payee,
            )
            await self.screenings.check(
                [payee],
                lambda: self.rails.find_status(payment.org_id, payment.key, payment.at),
                payment.at,
            )
        return await self.rails.pay(payment)

    async def find_status(self, org_id: UUID, key: UUID, at: datetime) -> RailPaymentStatus | None:
        """Return the status of a payment; see the port."""
        return await self.rails.find_status(org_id, key, at)

    async def rejection_reason(self, payment: RailPayment) -> str | None:
        """Return why a payment would be rejected; see the port."""
        return await self.rails.rejection_reason(payment)

    async def verify_payee(self, destination: PayoutDestination) -> PayeeVerification:
        """Ask the bank about a payee; see the port."""
        return await self.rails.verify_payee(destination)

    async def coordinates(
        self, org_id: UUID, currency: str, account_number: str
    ) -> DepositCoordinates | None:
        """Return where to send deposits; see the port."""
        return await self.rails.coordinates(org_id, currency, account_number)

    async def takes_deposits(self, org_id: UUID, currency: str) -> bool:
        """Return whether a bank takes deposits in a currency; see the port."""
        return await self.rails.takes_deposits(org_id, currency)

    async def new_account_number(self, org_id: UUID, currency: str, seed: UUID) -> str:
        """Return an account number for deposits; see the port."""
        return await self.rails.new_account_number(org_id, currency, seed)
