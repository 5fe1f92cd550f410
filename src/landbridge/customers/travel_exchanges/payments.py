"""Exchanges about outgoing payments and deposits, for the checks of the travel rule.

Guarantees:
- An inquiry is recorded before it is sent, and each destination of a payment has only one.
- Once an exchange has begun, only its answer decides, even if the data about the wallet change: a
  payment is sent only after the other provider's approval, and to the wallet that it approved.
- A deposit gets the originator in an inquiry only if the other provider named its transaction, and
  wallet, coin and amount are the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from landbridge.customers.travel_exchanges import store
from landbridge.customers.travel_exchanges.model import (
    Exchange,
    ExchangeData,
    ExchangeDirection,
    ExchangeSetting,
    ExchangeStatus,
    ExchangeWait,
    PendingMessage,
    host_of,
    message_amount,
    payment_wait,
)
from landbridge.customers.travel_exchanges.service import TravelExchanges, new_secret, secret_hash
from landbridge.customers.travel_rule.ivms101 import read_originator
from landbridge.customers.travel_rule.jurisdictions import WalletKind
from landbridge.customers.travel_rule.model import WalletData, WalletOwner
from landbridge.customers.travel_rule.service import TravelRule, TravelRuleMessage
from landbridge.ledger.service import Ledger
from landbridge.platform.core.errors import FieldInvalid, InvariantBroken, ResourceNotFound
from landbridge.platform.core.ids import derived_id
from landbridge.platform.db.pool import Tx
from landbridge.providers.kyt.port import ScreenedTransfer
from landbridge.providers.screening.model import comparable_address
from landbridge.providers.trp.travel_addresses import decode_travel_address

# Most inquiries read that name one transaction; a transaction may pay several wallets.
_OF_TRANSACTION_MAX = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeTarget:
    """Recipient of an inquiry: host and URL of the other VASP, and the provider that sends it."""

    host: str
    url: str
    provider: str | None


@dataclass(frozen=True, slots=True)
class TransferExchanges:
    """Exchanges about the transfers of all organisations."""

    exchanges: TravelExchanges
    travel_rule: TravelRule
    ledger: Ledger
    allows_loopback: bool

    async def payment_waits(
        self, transfer: ScreenedTransfer, *, is_complete: bool
    ) -> Sequence[str]:
        """Return for what, except data, a payment waits; begin an exchange if it needs one.

        `is_complete`: the jurisdiction requires data for the payment, and none are missing.
        """
        org_id = transfer.org_id
        found = await self.exchanges.database.single(
            lambda tx: store.of_screening(tx, org_id, transfer.key)
        )
        if found is not None:
            return _waits(payment_wait(found, is_same_wallet=_is_to(found, transfer)))
        setting = await self.exchanges.setting(org_id)
        if not is_complete or not setting.is_on:
            return ()
        message = await self.travel_rule.find_message(org_id, transfer.key)
        wallet = None if message is None else await self._wallet(transfer, message)
        if message is None or wallet is None or wallet.kind is not WalletKind.HOSTED:
            return ()
        target = self._target(transfer.org_id, setting, wallet)
        if not isinstance(target, ExchangeTarget):
            return _waits(target)
        return _waits(await self._begin(transfer, setting, message, target))

    def _target(
        self, org_id: UUID, setting: ExchangeSetting, wallet: WalletData
    ) -> ExchangeTarget | ExchangeWait | None:
        """Return the recipient of an inquiry, or why it waits; None if no inquiry is sent."""
        provider = self.exchanges.provider_of(org_id)
        if wallet.travel_address is None:
            named = None if provider is None else setting.named(wallet.vasp_name)
            if named is not None:
                return ExchangeTarget(host=named.host, url="", provider=provider)
            return ExchangeWait.ADDRESS if setting.requires_address else None
        try:
            url = decode_travel_address(
                "travelAddress", wallet.travel_address, allows_loopback=self.allows_loopback
            )
        except FieldInvalid:
            # The address was valid when it was stated, but is not in this installation.
            return ExchangeWait.ADDRESS
        return ExchangeTarget(host=host_of(url), url=url, provider=provider)

    async def originator(self, transfer: ScreenedTransfer) -> WalletData | None:
        """Return a deposit's source wallet and its owner from the matching inquiry; else None."""
        org_id, hash_ = transfer.org_id, transfer.transaction_hash
        if hash_ is None or transfer.user_id == org_id:
            return None
        named = comparable_hash(hash_)
        database = self.exchanges.database
        candidates = await database.read(
            lambda tx: store.of_transaction(tx, org_id, named, _OF_TRANSACTION_MAX)
        )
        if not candidates:
            return None
        setting = await self.exchanges.setting(org_id)
        for each in candidates:
            if not _fits(each, setting, transfer):
                continue
            if await database.single(lambda tx, found=each: store.match(tx, found, transfer.key)):
                return await self._stated(each, setting)
        return None

    async def _stated(self, exchange: Exchange, setting: ExchangeSetting) -> WalletData | None:
        data = await self.exchanges.database.read(lambda tx: self.exchanges.open(tx, exchange))
        counterparty = setting.counterparty(exchange.host)
        person = None if data is None else read_originator(data.ivms101)
        if person is None or counterparty is None:
            return None
        return WalletData(
            kind=WalletKind.HOSTED,
            owner=WalletOwner.THIRD_PARTY,
            vasp_name=counterparty.name,
            person=person,
        )

    async def _wallet(
        self, transfer: ScreenedTransfer, message: TravelRuleMessage
    ) -> WalletData | None:
        """Return what the message's user has stated about the wallet; None if nothing."""
        address = transfer.destination_address
        if address is None:
            return None
        try:
            wallet = await self.travel_rule.get_wallet(
                transfer.org_id, message.user_id, comparable_address(address)
            )
        except ResourceNotFound:
            return None
        return wallet.data

    async def _begin(
        self,
        transfer: ScreenedTransfer,
        setting: ExchangeSetting,
        message: TravelRuleMessage,
        target: ExchangeTarget,
    ) -> ExchangeWait:
        """Record an inquiry, unless the setting lacks the provider or the coin."""
        counterparty, chain = setting.counterparty(target.host), transfer.chain
        if counterparty is None:
            return ExchangeWait.COUNTERPARTY
        token = None if chain is None else setting.token(chain, transfer.money.asset.currency)
        if token is None:
            return ExchangeWait.ASSET
        screening = await self.ledger.find(transfer.org_id, transfer.key)
        if screening is None:
            raise InvariantBroken(f"the screening {transfer.key} is gone")
        amount = message_amount(counterparty.amount_unit, transfer.money)
        payment_id = UUID(screening.details["transfer_id"])
        secret = new_secret()
        exchange = replace(
            self._new(transfer, payment_id, message.user_id),
            host=target.host,
            provider=target.provider,
            token=token,
            amount=format(amount, "f"),
            callback_hash=secret_hash(secret),
        )
        data = ExchangeData(ivms101=dict(message.ivms101), url=target.url, secret=secret)
        offset = await self.exchanges.clock_offset(transfer.org_id)

        async def work(tx: Tx) -> None:
            new = replace(exchange, sealed_data=await self.exchanges.seal(tx, exchange, data))
            if new.sealed_data is not None and await store.add(tx, new):
                await self.exchanges.record_in(tx, new, offset)

        await self.exchanges.database.transact(work)
        return ExchangeWait.DELIVERY

    def _new(self, transfer: ScreenedTransfer, payment_id: UUID, user_id: UUID) -> Exchange:
        now = self.exchanges.clock.now()
        exchange_id = derived_id(transfer.key, "travel-rule-exchange")
        return Exchange(
            org_id=transfer.org_id,
            id=exchange_id,
            direction=ExchangeDirection.OUTGOING,
            status=ExchangeStatus.OPEN,
            host="",
            request_identifier=str(exchange_id),
            is_authenticated=True,
            user_id=user_id,
            transfer_id=payment_id,
            screening_id=transfer.key,
            wallet_address=transfer.destination_address,
            token=None,
            amount="",
            callback_hash=b"",
            pending_message=PendingMessage.INQUIRY,
            next_attempt_at=now,
            created_at=now,
            updated_at=now,
        )


def comparable_hash(hash_: str) -> str:
    """Return a transaction hash in the form for comparison, in lower case for EVM chains."""
    return comparable_address(hash_)


def _waits(wait: ExchangeWait | None) -> Sequence[str]:
    return () if wait is None else (wait.value,)


def _is_to(exchange: Exchange, transfer: ScreenedTransfer) -> bool:
    """Return whether an exchange is about the destination wallet of a transfer."""
    ours, approved = transfer.destination_address, exchange.wallet_address
    if ours is None or approved is None:
        return False
    return comparable_address(ours) == comparable_address(approved)


def _fits(exchange: Exchange, setting: ExchangeSetting, transfer: ScreenedTransfer) -> bool:
    """Return whether an inquiry matches a deposit in wallet, coin and amount."""
    found = setting.money(exchange.host, exchange.token, exchange.amount)
    is_same = found == (transfer.chain or transfer.money.asset.chain, transfer.money)
    return is_same and _is_to(exchange, transfer)
