"""Increase: payouts by ACH, wire, RTP and FedNow, and deposits on account numbers.

Guarantees:
- our key is the idempotency key of each object that is created. Increase creates one for it, for
  ever, and shows it by the key: whatever a copy forgets when it is killed is found again. Nothing
  is stored here;
- a payout is refused, or `NotDone`, only by an answer of Increase to this order, and once a query
  says that there is no transfer with the key; silence decides nothing;
- what is not in the tables of `messages.py` is no answer.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec
from msgspec import structs

from landbridge.providers.packages.fields import read_our_key
from landbridge.providers.packages.http_client import NoAnswer, certain, path_segment
from landbridge.providers.packages.interface import (
    CreditsAnswer,
    CreditsQuery,
    DepositAccountAnswer,
    DepositAccountRequest,
    FailureCode,
    InboundWebhook,
    InboundWebhookNews,
    KeyConflict,
    NotDone,
    PackageSettings,
    PayoutAnswer,
    PayoutQuery,
    PayoutRefused,
    PayoutRequest,
    ProviderPackage,
    SidecarDescription,
)
from landbridge_increase.client import (
    INVALID_OPERATION,
    INVALID_PARAMETERS,
    NOT_FOUND,
    NOT_TAKEN,
    IncreaseApi,
    IncreaseRefusal,
)
from landbridge_increase.deposits import IncreaseAccounts
from landbridge_increase.messages import (
    NETWORK_OF_TYPE,
    NETWORKS,
    IncreaseNetwork,
    IncreaseTransfer,
    payout_answer,
)
from landbridge_increase.notification import IncreaseEvent, verify_webhook
from landbridge_increase.order import network_name, order_body, ordered
from landbridge_increase.returns import IncreaseReturns
from landbridge_increase.sandbox import advance, test_texts
from landbridge_increase.settings import read_settings


class IncreaseBank(ProviderPackage):
    """Adapter of Increase. Source: increase.com/documentation."""

    def __init__(self, settings: PackageSettings) -> None:
        self._settings = read_settings(settings)
        self._options = self._settings.options
        self._api = IncreaseApi(self._settings)
        self._returns = IncreaseReturns(self._api)
        deposits = self._options.deposits
        self._accounts = (
            None
            if deposits is None
            else IncreaseAccounts(self._api, self._options, deposits, self.now)
        )

    def now(self) -> datetime:
        """Return the time, by which webhooks are new and transactions complete."""
        return datetime.now(UTC)

    async def close(self) -> None:
        """Close idle connections."""
        await self._api.close()

    async def describe(self) -> SidecarDescription:
        """Return what the adapter serves. The suite's deposits can't be made up in the sandbox."""
        options = self._options
        takes_deposits = self._accounts is not None and not options.sandbox
        return SidecarDescription(
            name="Increase",
            protocol=1,
            test_outcomes=options.test_outcomes if options.sandbox else (),
            deposits=("usd",) if takes_deposits else (),
            never_run_live=True,
        )

    async def pay(self, request: PayoutRequest) -> PayoutAnswer:
        """Order a payout unless Increase has it, and return its state."""
        if request.returns is not None:
            return await self._returns.pay(request)
        try:
            name = network_name(request, self._options)
            texts = dict(test_texts(request, self._options))
            body = order_body(structs.replace(request, texts=texts), name, self._options)
        except PayoutRefused:
            # It may have been ordered by other settings.
            found = await self._find(request.key)
            if found is None:
                raise
        else:
            found = await self._ordered(request.key, NETWORKS[name], body)
        _check_content(found, request)
        return payout_answer(request.key, found)

    async def find_payout(self, query: PayoutQuery) -> PayoutAnswer | None:
        """Return the state of a payout, by whichever network it went."""
        found = await self._find(query.key)
        if found is not None and self._options.sandbox:
            found = await advance(self._api, found)
        return None if found is None else payout_answer(query.key, found)

    async def open_account(self, request: DepositAccountRequest) -> DepositAccountAnswer:
        """Return the account number of a key."""
        if self._accounts is None:
            raise NotDone("the settings have no deposits")
        return await self._accounts.open(request)

    async def read_credits(self, query: CreditsQuery) -> CreditsAnswer:
        """Return the credits behind a cursor."""
        if self._accounts is None:
            raise NotDone("the settings have no deposits")
        try:
            return await self._accounts.read(query)
        except IncreaseRefusal as refused:
            raise _not_shown(refused) from None

    async def read_webhook(self, webhook: InboundWebhook) -> InboundWebhookNews:
        """Return what an event is about: a transfer by our key, or deposits."""
        verify_webhook(webhook, self._settings.webhook_secret, self.now())
        event = msgspec.json.decode(webhook.body, type=IncreaseEvent)
        network = NETWORK_OF_TYPE.get(event.associated_object_type)
        if network is None:
            kind = event.associated_object_type
            is_deposit = kind == "transaction" or kind.startswith("inbound_")
            return InboundWebhookNews(credits=is_deposit and self._accounts is not None)
        path = f"{network.path}/{path_segment(event.associated_object_id)}"
        try:
            found = await self._api.get(path, IncreaseTransfer)
        except IncreaseRefusal as refused:
            if refused.kind == NOT_FOUND:
                return InboundWebhookNews()
            raise _not_shown(refused) from None
        is_same = found.id == event.associated_object_id
        key = read_our_key(found.idempotency_key) if is_same else None
        return InboundWebhookNews(keys=() if key is None else (key,))

    async def _ordered(
        self, key: UUID, network: IncreaseNetwork, body: Mapping[str, Any]
    ) -> IncreaseTransfer:
        """Return the transfer of a key; order it unless the network has it."""
        try:
            found = await self._api.find(network.path, key, IncreaseTransfer)
        except IncreaseRefusal as refused:
            raise _not_shown(refused) from None
        if found is not None:
            return found
        try:
            return await self._api.create(network.path, body, IncreaseTransfer, key=key)
        except IncreaseRefusal as refused:
            kind = refused.kind
        found = await certain(self._find(key))
        if found is not None:
            return found
        if kind in NOT_TAKEN or (
            kind == INVALID_OPERATION and self._options.invalid_operation == "wait"
        ):
            raise NotDone(f"Increase did not take an order: {kind}")
        if kind in {INVALID_OPERATION, INVALID_PARAMETERS}:
            raise PayoutRefused(FailureCode.OTHER)
        # A key that is used without a transfer is that of an order which is on its way.
        raise NoAnswer("an order was answered with an error that decides nothing")

    async def _find(self, key: UUID) -> IncreaseTransfer | None:
        """Return the transfer of a key; None only if no network has one."""
        for network in NETWORKS.values():
            try:
                found = await self._api.find(network.path, key, IncreaseTransfer)
            except IncreaseRefusal as refused:
                raise _not_shown(refused) from None
            if found is not None:
                return found
        return None


def _not_shown(refused: IncreaseRefusal) -> NotDone:
    """Return the error of a query that Increase refused: it can't be answered now."""
    return NotDone(f"Increase answered no query: {refused.kind}")


def _check_content(transfer: IncreaseTransfer, request: PayoutRequest) -> None:
    """Raise `KeyConflict` unless Increase pays the amount of the request to its payee."""
    has = (transfer.amount, transfer.account_number, transfer.routing_number)
    if has != ordered(request) or transfer.currency != "USD":
        raise KeyConflict
