"""Exchanges of travel rule data: settings, records, and decisions of people about inquiries.

Guarantees:
- Personal data are encrypted, and appear in no change event and no log.
- Each change of status is recorded in the audit log, in the same transaction.
- An inquiry is decided on only once; the worker sends the decision (deliveries.py).
"""

import hashlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from landbridge.customers.travel_exchanges import store
from landbridge.customers.travel_exchanges.model import (
    EXCHANGE_CHANGE_KIND,
    SETTING_CHANGE_KIND,
    Exchange,
    ExchangeData,
    ExchangeDirection,
    ExchangeSetting,
    ExchangeStatus,
    PendingMessage,
)
from landbridge.customers.wallets.service import Wallets, checked_address
from landbridge.platform.changes.service import append_change
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid, ResourceConflict, ResourceNotFound
from landbridge.platform.core.ids import derived_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault
from landbridge.platform.http.caller import Caller, check_admin, check_reviewer
from landbridge.platform.orgs.service import Orgs
from landbridge.providers.chains.tokens import Network
from landbridge.providers.trp.travel_addresses import encode_travel_address

WORKER: Final = "worker"
LISTED_MAX: Final = 100
_SECRET_BYTES: Final = 32
_CHANGE_TYPES: Final = {
    ExchangeStatus.APPROVED: "approve",
    ExchangeStatus.REJECTED: "reject",
    ExchangeStatus.CONFIRMED: "confirm",
    ExchangeStatus.CANCELLED: "cancel",
}


def _no_provider(_org_id: UUID) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class TravelExchanges:
    """Settings and exchanges of all organisations; `base_url` is the URL of our own routes.

    `provider_of` returns the name of the connected provider that an organisation uses for
    exchanges, None for the Travel Rule Protocol.
    """

    database: Database
    vault: Vault
    wallets: Wallets
    orgs: Orgs
    clock: Clock
    base_url: str
    provider_of: Callable[[UUID], str | None] = _no_provider

    def travel_address(self, org_id: UUID) -> str:
        """Return the travel address of an organisation: one for all of its wallets."""
        return encode_travel_address(f"{self.base_url}/trp/{org_id}/inquiries?t=i")

    def callback_url(self, org_id: UUID, secret: str) -> str:
        """Return our URL to which another provider sends its answer."""
        return f"{self.base_url}/trp/{org_id}/callbacks/{secret}"

    async def setting(self, org_id: UUID) -> ExchangeSetting:
        """Return the setting of an organisation."""
        return await self.database.single(lambda tx: store.setting(tx, org_id))

    async def set_setting(
        self, caller: Caller, wanted: ExchangeSetting, *, instead_of: int | None = None
    ) -> ExchangeSetting:
        """Replace the setting.

        Raises `RoleNotAllowed`, and `ResourceConflict` if `instead_of` is not the version in force.
        """
        check_admin(caller)
        org_id, at = caller.org_id, self.clock.stamp(caller.clock_offset)

        async def work(tx: Tx) -> None:
            version = await store.set_setting(tx, org_id, wanted, at, instead_of=instead_of)
            if version is None:
                current = await store.setting(tx, org_id)
                if replace(current, version=0) != replace(wanted, version=0):
                    raise ResourceConflict("the setting was changed meanwhile; review it first")
                return
            facts = {
                "is_on": wanted.is_on,
                "requires_address": wanted.requires_address,
                "counterparties": len(wanted.counterparties),
                "hosts": " ".join(each.host for each in wanted.counterparties),
            }
            await append_change(
                tx,
                org_id=org_id,
                object_id=derived_id(org_id, SETTING_CHANGE_KIND),
                seq=version,
                kind=SETTING_CHANGE_KIND,
                change_type="set",
                actor=caller.actor,
                at=at,
                facts=facts,
            )

        await self.database.transact(work)
        return await self.setting(org_id)

    async def newest(
        self,
        org_id: UUID,
        *,
        direction: ExchangeDirection | None = None,
        status: ExchangeStatus | None = None,
        transfer_id: UUID | None = None,
    ) -> Sequence[Exchange]:
        """Return at most `LISTED_MAX` exchanges, the newest first.

        If only open ones are requested, those with counterparties come before all others.
        """

        async def read(tx: Tx) -> Sequence[Exchange]:
            if status is not ExchangeStatus.OPEN:
                return await store.newest(
                    tx,
                    org_id,
                    direction=direction,
                    status=status,
                    transfer_id=transfer_id,
                    limit=LISTED_MAX,
                )
            setting = await store.setting(tx, org_id)
            return await store.newest_open(
                tx,
                org_id,
                direction=direction,
                transfer_id=transfer_id,
                first_hosts=[each.host for each in setting.counterparties],
                limit=LISTED_MAX,
            )

        return await self.database.read(read)

    async def get(self, org_id: UUID, exchange_id: UUID) -> Exchange:
        """Return an exchange. Raises `ResourceNotFound`."""
        found = await self.database.single(lambda tx: store.find(tx, org_id, exchange_id))
        return _existing(found, exchange_id)

    async def message(self, org_id: UUID, exchange_id: UUID) -> Mapping[str, Any]:
        """Return originator and beneficiary (IVMS101); raise `ResourceNotFound`, also if erased."""

        async def read(tx: Tx) -> ExchangeData | None:
            found = _existing(await store.find(tx, org_id, exchange_id), exchange_id)
            return await self.open(tx, found)

        data = await self.database.read(read)
        if data is None:
            raise ResourceNotFound(f"the data of exchange {exchange_id} were erased")
        return data.ivms101

    async def approve(
        self, caller: Caller, exchange_id: UUID, wallet_address: str | None
    ) -> Exchange:
        """Approve an inquiry; the coins may be sent to its wallet, or to `wallet_address`.

        Raises `RoleNotAllowed`, `ResourceNotFound`, `FieldInvalid` if no user has the wallet, and
        `ResourceConflict` after a decision, or while the setting lacks the provider or the coin.
        """
        check_reviewer(caller)
        org_id = caller.org_id
        before = await self.get(org_id, exchange_id)
        check_open(before)
        setting = await self.setting(org_id)
        if setting.counterparty(before.host) is None:
            raise ResourceConflict(
                f"{before.host} is no provider that data are exchanged with: add it first"
            )
        found = setting.money(before.host, before.token, before.amount)
        if found is None:
            raise ResourceConflict(
                "coin or amount of the inquiry are not known: add the coin's identifier first"
            )
        address = wallet_address or before.wallet_address
        if address is None:
            raise FieldInvalid(
                "walletAddress is required: it is not in the inquiry", field="walletAddress"
            )
        owner = await self.owner(org_id, found[0], address)
        if owner is None:
            raise FieldInvalid(
                f"walletAddress is no wallet of a user on {found[0]}", field="walletAddress"
            )
        return await self._decide(
            caller, before, ExchangeStatus.APPROVED, wallet=(address, owner), comment=None
        )

    async def reject(self, caller: Caller, exchange_id: UUID, comment: str) -> Exchange:
        """Reject an inquiry; the other provider gets the comment.

        Raises `RoleNotAllowed`, `ResourceNotFound`, and `ResourceConflict` after a decision.
        """
        check_reviewer(caller)
        before = await self.get(caller.org_id, exchange_id)
        return await self._decide(
            caller, before, ExchangeStatus.REJECTED, wallet=None, comment=comment
        )

    async def owner(self, org_id: UUID, chain: str, address: str) -> UUID | None:
        """Return the id of the user with a wallet at this address; None if there is none."""
        network = Network(chain).chain
        if network is None:
            return None
        try:
            spelled = checked_address(network, address, field="walletAddress")
        except FieldInvalid:
            return None
        wallets, _ = await self.wallets.at_address(org_id, spelled, limit=1)
        return next((each.user_id for each in wallets if each.chain is network), None)

    async def open(self, tx: Tx, exchange: Exchange) -> ExchangeData | None:
        """Return the decrypted data of an exchange; None after an erasure."""
        key = await self.vault.find(tx, exchange.org_id, exchange.sealed_by)
        if key is None or exchange.sealed_data is None:
            return None
        return key.open(exchange.sealed_data, context=exchange.data_context, type=ExchangeData)

    async def seal(self, tx: Tx, exchange: Exchange, data: ExchangeData) -> bytes | None:
        """Encrypt the data of an exchange; None after the erasure of its user."""
        if exchange.sealed_by == exchange.org_id:
            key = await self.vault.make(tx, exchange.org_id, exchange.org_id)
        else:
            found = await self.vault.find(tx, exchange.org_id, exchange.sealed_by)
            if found is None:
                return None
            key = found
        return key.seal(data, context=exchange.data_context)

    async def clock_offset(self, org_id: UUID) -> timedelta:
        """Return an organisation's clock offset for a change; call it before the transaction.

        It takes a connection of its own, and transactions that wait for one could exhaust the pool.
        """
        return await self.orgs.clock_offset(org_id)

    async def advance_in(
        self,
        tx: Tx,
        before: Exchange,
        after: Exchange,
        offset: timedelta,
        *,
        actor: str = WORKER,
    ) -> bool:
        """Store and record a new status of an exchange; False if it has changed since `before`."""
        version = await store.advance(tx, before, after)
        if version is not None:
            await self.record_in(tx, replace(after, version=version), offset, actor=actor)
        return version is not None

    async def record_in(
        self, tx: Tx, exchange: Exchange, offset: timedelta, *, actor: str = WORKER
    ) -> None:
        """Record the status of an exchange in the change log."""
        await _record(tx, exchange, self.clock.stamp(offset), actor=actor)

    async def _decide(
        self,
        caller: Caller,
        before: Exchange,
        status: ExchangeStatus,
        *,
        wallet: tuple[str, UUID] | None,
        comment: str | None,
    ) -> Exchange:
        org_id = before.org_id

        async def work(tx: Tx) -> None:
            found = _existing(await store.lock(tx, org_id, before.id), before.id)
            check_open(found)
            data = await self.open(tx, found)
            if data is None:
                raise ResourceConflict("the data of this inquiry were erased")
            after = decided(found, status, wallet=wallet, at=self.clock.now())
            sealed = await self.seal(
                tx,
                found,
                ExchangeData(
                    ivms101=data.ivms101, url=data.url, secret=data.secret, comment=comment
                ),
            )
            after = replace(after, sealed_data=sealed)
            await self.advance_in(tx, found, after, caller.clock_offset, actor=caller.actor)

        await self.database.transact(work)
        return await self.get(org_id, before.id)


def check_open(exchange: Exchange) -> None:
    """Raise `ResourceConflict` unless an inquiry waits for a decision of reviewers."""
    if exchange.direction is not ExchangeDirection.INCOMING:
        raise ResourceConflict("the other provider answers an inquiry of ours")
    if exchange.status is not ExchangeStatus.OPEN:
        raise ResourceConflict(f"this inquiry is {exchange.status}: it was decided already")


def decided(
    before: Exchange, status: ExchangeStatus, *, wallet: tuple[str, UUID] | None, at: datetime
) -> Exchange:
    """Return another provider's inquiry after our decision, which has still to be sent."""
    address, user_id = wallet or (before.wallet_address, before.user_id)
    return replace(
        before,
        status=status,
        wallet_address=address,
        user_id=user_id,
        pending_message=PendingMessage.RESOLUTION,
        next_attempt_at=at,
        updated_at=at,
    )


def new_secret() -> str:
    """Return a random secret for a callback URL."""
    return secrets.token_urlsafe(_SECRET_BYTES)


def secret_hash(secret: str) -> bytes:
    """Return the stored hash of a secret."""
    return hashlib.sha256(secret.encode()).digest()


async def forget(tx: Tx, org_id: UUID, user_id: UUID, at: datetime) -> None:
    """Delete the encrypted data of a user's exchanges, in the transaction that erases the user.

    Inquiries that wait for reviewers are rejected, because nobody can answer them without data.
    """
    for each in await store.end_open(tx, org_id, user_id, at):
        await _record(tx, each, at, actor=WORKER)
    await store.forget(tx, org_id, user_id)


async def _record(tx: Tx, exchange: Exchange, at: datetime, *, actor: str) -> None:
    """Record the status of an exchange in the change log."""
    await append_change(
        tx,
        org_id=exchange.org_id,
        object_id=exchange.id,
        seq=exchange.version,
        kind=EXCHANGE_CHANGE_KIND,
        change_type=_CHANGE_TYPES.get(exchange.status, "create"),
        actor=actor,
        at=at,
        facts={"direction": exchange.direction.value, "host": exchange.host},
    )


def _existing(exchange: Exchange | None, exchange_id: UUID) -> Exchange:
    if exchange is None:
        raise ResourceNotFound(f"there is no exchange {exchange_id}")
    return exchange
