"""State of connected chains, attempts of orders, and the resumption of stopped accounts.

`ChainMonitoring` runs in the worker, and sets the metrics and alarms of connected chains.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import structlog

from landbridge.customers.chain_operations.model import (
    KIND,
    ChainHead,
    ChainInstallation,
    ChainNodes,
    ChainState,
    ConnectedChain,
    OrderWithAttempts,
    Treasury,
    TreasuryToken,
)
from landbridge.customers.wallets.service import Wallets
from landbridge.platform.changes.service import append_next_change
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import (
    ResourceConflict,
    ResourceNotFound,
    RoleNotAllowed,
    Unavailable,
)
from landbridge.platform.core.gather import gather_in_order
from landbridge.platform.core.ids import derived_id
from landbridge.platform.core.money import Asset
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.http.caller import Caller, check_admin
from landbridge.platform.orgs.service import Orgs
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.errors import NodeError, NodeUnavailable
from landbridge.providers.evm.outbox.metrics import (
    ACCOUNTS_STOPPED,
    OLDEST_ORDER_S,
    OPEN_ORDERS,
    TREASURY_LOW,
    UNPAID_ORDERS,
)
from landbridge.providers.evm.outbox.model import FINAL_STATES, OutboxState
from landbridge.providers.evm.outbox.overview import AccountOverview
from landbridge.providers.evm.outbox.overview_service import OutboxOverview, resume_account
from landbridge.providers.evm.quantities import AnswerInvalid

# Seconds that a page waits at most for the nodes of a chain.
_TIMEOUT_S = 3.0
_DAY = timedelta(days=1)
_NOT_STOPPED = "this account is not stopped"


class ChainOperations:
    """Connected chains for operators; without a chains file there are none."""

    def __init__(
        self,
        database: Database,
        wallets: Wallets,
        clock: Clock,
        connected: Mapping[Network, tuple[ConnectedChain, ChainNodes]],
        *,
        orgs: Orgs,
    ) -> None:
        self._database = database
        self._orgs = orgs
        self._overview = OutboxOverview(database)
        self._wallets = wallets
        self._clock = clock
        self._chains = {name: chain for name, (chain, _) in connected.items()}
        self._clients = {name: nodes for name, (_, nodes) in connected.items()}

    @property
    def chains(self) -> Sequence[ConnectedChain]:
        """Connected chains, in the order of the chains file."""
        return list(self._chains.values())

    async def all(self, caller: Caller) -> Sequence[ChainState]:
        """Return every connected chain."""
        return await gather_in_order(self._state(caller, chain) for chain in self._chains.values())

    async def get(self, caller: Caller, name: str) -> ChainState:
        """Return a connected chain; raises `ResourceNotFound`."""
        return await self._state(caller, self._chain(name))

    async def orders(self, org_id: UUID, record_id: UUID) -> Sequence[OrderWithAttempts]:
        """Return the orders of a record with their attempts; raises `ResourceNotFound`."""
        found = [
            OrderWithAttempts(self._chain(order.chain), order, attempts, None)
            for order, attempts in await self._overview.orders_of_record(org_id, record_id)
            if order.chain in self._chains
        ]
        if not found:
            raise ResourceNotFound(f"there are no chain orders of {record_id}")
        names = sorted({each.order.chain for each in found})
        heads = await gather_in_order(self._head(self._chain(name)) for name in names)
        by_name = dict(zip(names, heads, strict=True))
        return [_with_head(each, by_name[each.order.chain]) for each in found]

    async def resume_for(self, caller: Caller, name: str, address: str) -> None:
        """Let a stopped account send again.

        Raises `RoleNotAllowed` unless the caller is an admin; for relayers, which all organisations
        share, an admin of the first organisation, which is the operator's. Raises
        `ResourceNotFound`, and `ResourceConflict` if the organisation has no such stopped account.
        """
        check_admin(caller)
        chain = self._chain(name)
        accounts = await self._accounts(caller.org_id, chain.name.value)
        account = next((each for each in accounts if each.address == address), None)
        if account is None:
            raise ResourceConflict(_NOT_STOPPED)
        is_shared = account.relayer_index is not None
        if is_shared and not await self.may_resume_relayers(caller):
            raise RoleNotAllowed("all organisations share this account; its operator resumes it")
        at = self._clock.stamp(caller.clock_offset)

        async def work(tx: Tx) -> None:
            reason = await resume_account(tx, chain.name.value, address, self._clock.now())
            if reason is None:
                raise ResourceConflict(_NOT_STOPPED)
            await append_next_change(
                tx,
                org_id=caller.org_id,
                object_id=derived_id(caller.org_id, f"{KIND}/{chain.name}/{address}"),
                kind=KIND,
                change_type="resume",
                actor=caller.actor,
                at=at,
                facts={
                    "chain": chain.name.value,
                    "address": address,
                    "stopped_reason": reason,
                },
            )

        await self._database.transact(work)

    async def may_resume_relayers(self, caller: Caller) -> bool:
        """Return whether the caller is an admin of the first organisation, the operator's."""
        return caller.is_admin and (await self._orgs.all())[0].id == caller.org_id

    async def treasury(self, org_id: UUID, chain: ConnectedChain) -> Treasury:
        """Return an organisation's own address on a chain, and its balances."""
        address = await self._treasury_address(org_id, chain)
        units = await gather_in_order(
            self._balance(chain, token.address, address) for token in chain.tokens.values()
        )
        return Treasury(
            address,
            [
                TreasuryToken(
                    currency,
                    token.decimals,
                    balance,
                    token.treasury_floor_units,
                    token.treasury_target_units,
                )
                for (currency, token), balance in zip(chain.tokens.items(), units, strict=True)
            ],
        )

    def recipients_max(self, name: str) -> int | None:
        """Return the most recipients of one transaction on a chain; None without a bound."""
        chain = self._chains.get(Network(name))
        return None if chain is None else chain.recipients_max

    async def treasury_units(self, org_id: UUID, asset: Asset) -> int | None:
        """Return the balance of an organisation's own address, in smallest units of the asset.

        Return None if it is unlimited: the chain is not connected, or is local with a faucet.
        Raises `Unavailable` if no node answers.
        """
        chain = self._chains.get(Network(asset.chain))
        if chain is None or chain.faucet is not None or asset.currency not in chain.tokens:
            return None
        address = await self._treasury_address(org_id, chain)
        units = await self._balance(chain, chain.tokens[asset.currency].address, address)
        if units is None:
            raise Unavailable(f"no node of {chain.name} answers")
        return units

    def _chain(self, name: str) -> ConnectedChain:
        for each in self._chains.values():
            if each.name == name:
                return each
        raise ResourceNotFound(f"there is no chain {name[:100]}")

    async def _state(self, caller: Caller, chain: ConnectedChain) -> ChainState:
        # Query the head first, because this updates the health of the nodes.
        head = await self._head(chain)
        return ChainState(
            chain=chain,
            head=head,
            orders=await self._overview.open_orders(chain.name.value, caller.org_id),
            treasury=await self.treasury(caller.org_id, chain),
            installation=await self._installation(caller.org_id, chain)
            if caller.is_admin
            else None,
        )

    async def _accounts(self, org_id: UUID, name: str) -> list[AccountOverview]:
        """Return the relayers, and the stopped wallets of an organisation."""
        return [
            each
            for each in await self._overview.accounts(name)
            if each.relayer_index is not None or await self._owns(org_id, each.address)
        ]

    async def _owns(self, org_id: UUID, address: str) -> bool:
        wallets, _ = await self._wallets.at_address(org_id, address, limit=1)
        treasuries = [await self._treasury_address(org_id, each) for each in self._chains.values()]
        return bool(wallets) or address in treasuries

    async def _treasury_address(self, org_id: UUID, chain: ConnectedChain) -> str:
        address_chain = chain.name.address_chain
        return await self._wallets.find_treasury_address(org_id, address_chain)

    async def _installation(self, org_id: UUID, chain: ConnectedChain) -> ChainInstallation:
        name = chain.name.value
        return ChainInstallation(
            nodes=self._clients[chain.name].health(),
            accounts=await self._accounts(org_id, name),
            orders=await self._overview.open_orders(name, None),
            gas_day_wei=await self._overview.gas_since(name, self._clock.now() - _DAY),
        )

    async def _head(self, chain: ConnectedChain) -> ChainHead | None:
        header = await self._clients[chain.name].latest_block(timeout_s=_TIMEOUT_S)
        if header is None:
            return None
        at = datetime.fromtimestamp(header.timestamp_s, UTC)
        lag = self._clock.now() - at
        return ChainHead(header.number, at, max(int(lag.total_seconds()), 0))

    async def _balance(self, chain: ConnectedChain, token: str, address: str) -> int | None:
        """Return an address's balance in smallest units; None if no node answers."""
        if not address:
            return 0
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                return await self._clients[chain.name].token_balance(token, address)
        except (NodeUnavailable, NodeError, AnswerInvalid, TimeoutError):
            return None


def _with_head(state: OrderWithAttempts, head: ChainHead | None) -> OrderWithAttempts:
    return replace(state, head=None if head is None else head.number)


_log = structlog.stdlib.get_logger()


class ChainMonitoring:
    """Counts open orders and stopped accounts, and checks all organisations' treasuries."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        operations: ChainOperations,
    ) -> None:
        self._overview = OutboxOverview(database)
        self._clock = clock
        self._operations = operations

    async def count(self) -> None:
        """Set the gauges of open orders and of stopped accounts."""
        for chain in self._operations.chains:
            await self._count(chain.name.value)

    async def watch_treasuries(self, org_ids: Collection[UUID]) -> None:
        """Set the gauges of low treasuries, and log each token balance below its floor."""
        for chain in self._operations.chains:
            watched = [
                currency
                for currency, token in chain.tokens.items()
                if token.treasury_floor_units is not None
            ]
            if not watched:
                continue
            counts = dict.fromkeys(watched, 0)
            for org_id in org_ids:
                for currency in await self._low(org_id, chain):
                    counts[currency] += 1
            for currency, count in counts.items():
                TREASURY_LOW.labels(chain.name.value, currency).set(count)

    async def _count(self, name: str) -> None:
        orders = await self._overview.open_orders(name, None)
        stopped = await self._overview.stopped_count(name)
        for state in OutboxState:
            if state not in FINAL_STATES:
                OPEN_ORDERS.labels(name, state.value).set(orders.counts.get(state, 0))
        UNPAID_ORDERS.labels(name).set(orders.unpaid)
        age_s = 0.0
        if orders.oldest is not None:
            age_s = max((self._clock.now() - orders.oldest.created_at).total_seconds(), 0)
        OLDEST_ORDER_S.labels(name).set(age_s)
        ACCOUNTS_STOPPED.labels(name).set(stopped)

    async def _low(self, org_id: UUID, chain: ConnectedChain) -> list[str]:
        treasury = await self._operations.treasury(org_id, chain)
        # A treasury without an address has never paid anything, so it is not low.
        low = [each for each in treasury.tokens if treasury.address and each.is_low]
        for each in low:
            _log.warning(
                "chain.treasury.low",
                chain=chain.name.value,
                org_id=str(org_id),
                account=treasury.address,
                currency=each.currency,
                units=each.units,
                floor_units=each.floor_units,
                missing_units=each.missing_units,
            )
        return [each.currency for each in low]
