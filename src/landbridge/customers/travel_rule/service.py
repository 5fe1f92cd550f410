"""Travel rule service: jurisdictions of organisations, and data about counterparty wallets.

Guarantees:
- Data about a wallet are encrypted with the key of the user who stated them. An erasure deletes
  them.
- A change of the data voids the proof of ownership. A proof is valid for one user, one wallet and
  the data of its challenge; a challenge can be used once, before it expires.
- Each change is recorded in the audit log, without personal data.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from landbridge.customers.travel_rule import store
from landbridge.customers.travel_rule.jurisdictions import Jurisdiction, WalletKind
from landbridge.customers.travel_rule.model import (
    SETTING_KIND,
    WALLET_CHANGE_KIND,
    OutsideWallet,
    TravelRuleSetting,
    WalletData,
)
from landbridge.customers.travel_rule.ownership import (
    CHALLENGE_LIFETIME,
    OwnershipChallenge,
    is_signed_by,
)
from landbridge.customers.users.records import UserRecords
from landbridge.platform.changes.service import append_change
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid, ResourceConflict, ResourceNotFound
from landbridge.platform.core.ids import derived_id
from landbridge.platform.db.pool import Database, Row, Tx
from landbridge.platform.db.rows import read_row
from landbridge.platform.encryption.service import DataKey, Vault
from landbridge.platform.http.caller import Caller, check_admin, check_editor
from landbridge.providers.trp.travel_addresses import decode_travel_address

_CODE_BYTES = 16


@dataclass(frozen=True, slots=True)
class TravelRuleMessage:
    """Message (IVMS101) of a screened transfer, and the user that it is about."""

    user_id: UUID
    ivms101: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TravelRule:
    """Settings and wallets of all organisations.

    `is_enforced` says whether this installation applies the travel rule, `allows_loopback` whether
    travel addresses may refer to this machine.
    """

    database: Database
    vault: Vault
    records: UserRecords
    clock: Clock
    is_enforced: bool
    allows_loopback: bool = False

    async def setting(self, org_id: UUID) -> TravelRuleSetting:
        """Return the setting of an organisation."""
        return await self.database.single(lambda tx: store.setting(tx, org_id))

    async def set_jurisdiction(
        self, caller: Caller, jurisdiction: Jurisdiction | None
    ) -> TravelRuleSetting:
        """Set the jurisdiction; None for no travel rule. Raises `RoleNotAllowed`."""
        check_admin(caller)
        org_id, at = caller.org_id, self.clock.stamp(caller.clock_offset)

        async def work(tx: Tx) -> None:
            version = await store.set_jurisdiction(tx, org_id, jurisdiction, at)
            if version is None:
                return
            await append_change(
                tx,
                org_id=org_id,
                object_id=derived_id(org_id, SETTING_KIND),
                seq=version,
                kind=SETTING_KIND,
                change_type="set",
                actor=caller.actor,
                at=at,
                facts={"jurisdiction": jurisdiction},
            )

        await self.database.transact(work)
        return await self.setting(org_id)

    async def get_wallet(self, org_id: UUID, user_id: UUID, address: str) -> OutsideWallet:
        """Return the data about a wallet. Raises `ResourceNotFound` and `UserNotFound`."""

        async def read(tx: Tx) -> OutsideWallet | None:
            _, key = await self.records.get(tx, org_id, user_id)
            row = await store.find_wallet(tx, org_id, user_id, address)
            return None if row is None else open_wallet(org_id, row, key)

        return _existing(await self.database.read(read), address)

    async def put_wallet(
        self, caller: Caller, user_id: UUID, address: str, data: WalletData
    ) -> OutsideWallet:
        """Store a user's data about a counterparty wallet.

        Repeating the same data changes nothing and keeps a proof. Raises `RoleNotAllowed`,
        `UserNotFound`, `FieldInvalid` for an invalid travel address, and `UserFrozen` after
        erasure.
        """
        check_editor(caller)
        if data.travel_address is not None:
            decode_travel_address(
                "travelAddress", data.travel_address, allows_loopback=self.allows_loopback
            )
        org_id, at = caller.org_id, self.clock.stamp(caller.clock_offset)

        async def work(tx: Tx) -> None:
            _, key = await self.records.lock(tx, org_id, user_id)
            sealed = key.seal(data, context=_data_context(user_id, address))
            version = await store.add_wallet(tx, org_id, user_id, address, sealed=sealed, at=at)
            if version is None:
                row = await store.find_wallet(tx, org_id, user_id, address, for_update=True)
                if row is not None and open_wallet(org_id, row, key).data == data:
                    return
                version = await store.update_wallet(
                    tx, org_id, user_id, address, sealed=sealed, at=at
                )
            facts = {"wallet_kind": data.kind.value, "owner": data.owner.value}
            await _append(
                tx,
                caller,
                user_id,
                address,
                version=version,
                change_type="set",
                at=at,
                facts=facts,
            )

        await self.database.transact(work)
        return await self.get_wallet(org_id, user_id, address)

    async def challenge(self, caller: Caller, user_id: UUID, address: str) -> OwnershipChallenge:
        """Return a message for the owner to sign; it replaces an earlier challenge.

        Raises `RoleNotAllowed`, `UserNotFound`, `ResourceNotFound` if there are no data about the
        wallet, and `ResourceConflict` for a hosted wallet.
        """
        check_editor(caller)
        org_id = caller.org_id
        wallet = await self.get_wallet(org_id, user_id, address)
        if wallet.data is None or wallet.data.kind is not WalletKind.SELF_HOSTED:
            raise ResourceConflict("only the owner of a self-hosted wallet has a key to sign with")
        challenge = OwnershipChallenge(
            org_id=org_id,
            user_id=user_id,
            address=address,
            code=secrets.token_hex(_CODE_BYTES),
            expires_at=_whole_second(self.clock.now(caller.clock_offset) + CHALLENGE_LIFETIME),
        )
        found = await self.database.single(
            lambda tx: store.set_challenge(
                tx,
                org_id,
                user_id,
                address,
                version=wallet.version,
                code=challenge.code,
                expires_at=challenge.expires_at,
            )
        )
        if not found:
            raise ResourceConflict("the data about this wallet were changed meanwhile")
        return challenge

    async def prove(
        self, caller: Caller, user_id: UUID, address: str, signature: str
    ) -> OutsideWallet:
        """Check the signature of the current challenge, and consume the challenge.

        Raises the errors of `challenge`, `FieldInvalid` for a wrong signature, and
        `ResourceConflict` if there is no challenge, or it was used or has expired.
        """
        check_editor(caller)
        org_id, at = caller.org_id, self.clock.stamp(caller.clock_offset)

        async def work(tx: Tx) -> None:
            await self.records.lock(tx, org_id, user_id)
            row = await store.find_wallet(tx, org_id, user_id, address, for_update=True)
            if row is None:
                raise _no_wallet(address)
            code, expires_at = row["challenge_code"], row["challenge_expires_at"]
            if code is None or expires_at < at:
                raise ResourceConflict(
                    "there is no valid challenge for this wallet: request another one"
                )
            challenge = OwnershipChallenge(
                org_id=org_id, user_id=user_id, address=address, code=code, expires_at=expires_at
            )
            if not is_signed_by(address, challenge.message, signature):
                raise FieldInvalid(
                    "signature is not one of the challenge by the key of this wallet",
                    field="signature",
                )
            version = await store.set_proven(tx, org_id, user_id, address, code=code, at=at)
            if version is None:
                raise ResourceConflict("this challenge was used meanwhile")
            await _append(
                tx,
                caller,
                user_id,
                address,
                version=version,
                change_type="prove",
                at=at,
                facts={},
            )

        await self.database.transact(work)
        return await self.get_wallet(org_id, user_id, address)

    async def get_message(self, org_id: UUID, screening_id: UUID) -> Mapping[str, Any]:
        """Return the message (IVMS101) of a screened transfer.

        Raises `ResourceNotFound`, also after the erasure of its user.
        """
        found = await self.find_message(org_id, screening_id)
        if found is None:
            raise ResourceNotFound(f"there is no travel rule message of screening {screening_id}")
        return found.ivms101

    async def find_message(self, org_id: UUID, screening_id: UUID) -> TravelRuleMessage | None:
        """Return the message of a screened transfer; None if there is none, or if erased."""

        async def read(tx: Tx) -> TravelRuleMessage | None:
            row = await store.find_message(tx, org_id, screening_id)
            key = None if row is None else await self.vault.find(tx, org_id, row["user_id"])
            if row is None or key is None:
                return None
            context = message_context(screening_id)
            found = key.open(row["sealed_message"], context=context, type=dict[str, Any])
            return TravelRuleMessage(row["user_id"], found)

        return await self.database.read(read)


async def forget(tx: Tx, org_id: UUID, user_id: UUID, at: datetime) -> None:
    """Delete a user's wallets and messages, in the transaction that erases the user."""
    del at
    await store.forget(tx, org_id, user_id)


def open_wallet(org_id: UUID, row: Row, key: DataKey | None) -> OutsideWallet:
    """Return a decrypted wallet, without its data if `key` is None after an erasure."""
    user_id, address = row["user_id"], row["address"]
    data = None
    if key is not None:
        context = _data_context(user_id, address)
        data = key.open(row["sealed_data"], context=context, type=WalletData)
    return read_row(row, OutsideWallet, org_id=org_id, data=data)


def message_context(screening_id: UUID) -> str:
    """Return the encryption context of a message."""
    return f"travel_rule_messages.message:{screening_id}"


async def _append(
    tx: Tx,
    caller: Caller,
    user_id: UUID,
    address: str,
    *,
    version: int,
    change_type: str,
    at: datetime,
    facts: Mapping[str, Any],
) -> None:
    await append_change(
        tx,
        org_id=caller.org_id,
        object_id=derived_id(user_id, f"{WALLET_CHANGE_KIND}/{address}"),
        seq=version,
        kind=WALLET_CHANGE_KIND,
        change_type=change_type,
        actor=caller.actor,
        at=at,
        facts={"user_id": str(user_id), **facts},
    )


def _existing(wallet: OutsideWallet | None, address: str) -> OutsideWallet:
    if wallet is None or wallet.data is None:
        raise _no_wallet(address)
    return wallet


def _no_wallet(address: str) -> ResourceNotFound:
    return ResourceNotFound(f"there are no travel rule data about the wallet {address}")


def _whole_second(at: datetime) -> datetime:
    """Return a time without fractions of a second, as the message to sign has none."""
    return at.replace(microsecond=0)


def _data_context(user_id: UUID, address: str) -> str:
    return f"travel_rule_wallets.data:{user_id}:{address}"
