"""Data keys: created, found, destroyed; and the check of master keys."""

import asyncio
from uuid import UUID

import asyncpg
import pytest

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.db.sealing import SealBroken, Sealer, new_key
from landbridge.platform.encryption.service import DataKey, Vault
from tests.make import make_org
from tests.tenants import Tenant

HERE = "users.card:1"


async def test_key_is_created_once_per_owner_and_found_again(org: Tenant) -> None:
    database, vault, owner = org.container.database, org.container.vault, new_id()
    assert await database.transact(lambda tx: vault.find(tx, org.org_id, owner)) is None
    created = await database.transact(lambda tx: vault.make(tx, org.org_id, owner))
    sealed = created.seal({"a": [1, None]}, context=HERE)
    for found in (
        await database.transact(lambda tx: vault.find(tx, org.org_id, owner)),
        await database.transact(lambda tx: vault.make(tx, org.org_id, owner)),
    ):
        assert found is not None
        assert found.open(sealed, context=HERE, type=dict[str, list[int | None]]) == {
            "a": [1, None]
        }


async def test_concurrent_creators_of_a_key_get_the_same(org: Tenant) -> None:
    database, vault, owner = org.container.database, org.container.vault, new_id()
    keys = await asyncio.gather(
        *(database.transact(lambda tx: vault.make(tx, org.org_id, owner)) for _ in range(20))
    )
    assert len({key.derive("test") for key in keys}) == 1


async def test_first_keys_of_a_new_database_may_be_created_concurrently(
    own_database: Database,
) -> None:
    """Two in one transaction, as a new user has, and another one before that is committed."""
    org_id, vault = await make_org(own_database), Vault(Sealer({1: new_key()}))
    made_two = asyncio.Event()

    async def two(tx: Tx) -> None:
        for _ in range(2):
            await vault.make(tx, org_id, new_id())
        made_two.set()
        await asyncio.sleep(0.2)

    async def one() -> DataKey:
        await made_two.wait()
        return await own_database.transact(lambda tx: vault.make(tx, org_id, new_id()))

    await asyncio.gather(own_database.transact(two), one())
    (row,) = await own_database.rows("select count(*) as keys from data_keys")
    assert row["keys"] == 3


async def test_value_sealed_by_a_destroyed_key_is_lost(org: Tenant) -> None:
    database, vault = org.container.database, org.container.vault
    owners = [new_id(), new_id(), new_id()]
    keys = [
        await database.transact(lambda tx, owner=owner: vault.make(tx, org.org_id, owner))
        for owner in owners
    ]
    sealed = keys[-1].seal_bytes(b"secret", context=HERE)
    await database.transact(lambda tx: vault.destroy(tx, org.org_id, owners[1:]))
    found = await database.transact(lambda tx: vault.find_many(tx, org.org_id, owners))
    assert list(found) == owners[:1]
    anew = await database.transact(lambda tx: vault.make(tx, org.org_id, owners[-1]))
    with pytest.raises(SealBroken):
        anew.open_bytes(sealed, context=HERE)


async def test_a_key_of_one_organisation_is_not_anothers(org: Tenant, other_org: Tenant) -> None:
    database, vault, owner = org.container.database, org.container.vault, new_id()
    mine = await database.transact(lambda tx: vault.make(tx, org.org_id, owner))
    assert await database.transact(lambda tx: vault.find(tx, other_org.org_id, owner)) is None
    theirs = await database.transact(lambda tx: vault.make(tx, other_org.org_id, owner))
    assert mine.derive("test") != theirs.derive("test")
    await database.rows(
        "update data_keys d set sealed_key = o.sealed_key from data_keys o"
        " where d.org_id = $1 and o.org_id = $2 and d.id = $3 and o.id = $3",
        *(org.org_id, other_org.org_id, owner),
    )
    with pytest.raises(SealBroken):
        await database.transact(lambda tx: vault.find(tx, org.org_id, owner))


def test_value_opens_in_its_place_only() -> None:
    key = DataKey(new_key())
    sealed = key.seal_bytes(b"secret", context=HERE)
    assert key.open_bytes(sealed, context=HERE) == b"secret"
    for other, context in ((key, "users.card:2"), (DataKey(new_key()), HERE)):
        with pytest.raises(SealBroken):
            other.open_bytes(sealed, context=context)


def test_derived_keys_differ_per_purpose_and_hide_in_repr() -> None:
    key = DataKey(new_key())
    assert key.derive("a") == key.derive("a") != key.derive("b")
    assert len(key.derive("a")) == 32
    assert repr(key) == "<DataKey>"


async def test_wrong_or_missing_master_key_is_found_at_the_start(own_database: Database) -> None:
    right, org_id = new_key(), await _org(own_database)
    # While nothing is encrypted, any master key is accepted.
    await own_database.transact(Vault(Sealer(new_key())).check_seal)
    vault = Vault(Sealer(right))
    await own_database.transact(lambda tx: vault.make(tx, org_id, org_id))
    await own_database.transact(Vault(Sealer({2: new_key(), 1: right})).check_seal)
    with pytest.raises(SealBroken):
        await own_database.transact(Vault(Sealer(new_key())).check_seal)
    with pytest.raises(SealBroken, match="master key 1, which is not configured"):
        await own_database.transact(Vault(Sealer({2: right})).check_seal)


async def test_first_processes_with_different_keys_of_one_id_do_not_both_seal(
    own_database: Database,
) -> None:
    org_id = await _org(own_database)
    vaults = [Vault(Sealer(new_key())) for _ in range(4)]
    created = await asyncio.gather(
        *(
            own_database.transact(lambda tx, vault=vault: vault.make(tx, org_id, new_id()))
            for vault in vaults
        ),
        return_exceptions=True,
    )
    assert len([each for each in created if isinstance(each, DataKey)]) == 1
    assert len([each for each in created if isinstance(each, SealBroken)]) == 3


async def test_rolled_back_first_key_is_recorded_the_next_time(
    own_database: Database,
) -> None:
    org_id = await _org(own_database)
    vault = Vault(Sealer(new_key()))

    async def broken(tx: object) -> None:
        await vault.make(tx, org_id, org_id)  # pyright: ignore[reportArgumentType]  a Tx
        raise InvariantBroken("in a test")

    with pytest.raises(InvariantBroken, match="in a test"):
        await own_database.transact(broken)
    for _ in range(3):
        await own_database.transact(lambda tx: vault.make(tx, org_id, new_id()))


async def test_process_cannot_seal_with_a_retired_key(own_database: Database) -> None:
    old, new, org_id = new_key(), new_key(), await _org(own_database)
    straggler = Vault(Sealer({1: old, 2: new}))
    for _ in range(2):
        await own_database.transact(lambda tx: straggler.make(tx, org_id, new_id()))
    resealed = await Vault(Sealer({2: new, 1: old})).reseal(own_database, [org_id])
    assert (resealed.count, resealed.still_needed) == (2, [])
    with pytest.raises(InvariantBroken, match="master key 1 was retired"):
        await own_database.transact(lambda tx: straggler.make(tx, org_id, new_id()))


async def test_needed_master_key_cannot_be_deleted(own_database: Database) -> None:
    vault, org_id = Vault(Sealer(new_key())), await _org(own_database)
    await own_database.transact(lambda tx: vault.make(tx, org_id, org_id))
    with pytest.raises(asyncpg.ForeignKeyViolationError):
        await own_database.rows("delete from master_keys")


async def _org(database: Database) -> UUID:
    org_id = new_id()
    await database.rows(
        "insert into orgs (id, name, created_at) values ($1, 'Test', '2026-01-01Z')", org_id
    )
    return org_id
