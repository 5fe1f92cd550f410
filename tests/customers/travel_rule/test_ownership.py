"""Proofs of who controls a wallet: one message, one key, one user, once and in time."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import timedelta

import base58
import pytest
from coincurve import PrivateKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from landbridge.customers.travel_rule.ownership import CHALLENGE_LIFETIME, is_signed_by
from landbridge.platform.db.pool import Database
from tests.customers.payment_screening.payment_world import PaymentWorld
from tests.customers.travel_rule.travel_world import (
    HOSTED,
    SELF_HOSTED,
    address_of,
    prove,
    sign,
    state,
    travel_world,
    wallet_path,
)
from tests.tenants import TRANSFERS, fund, make_user, register, sentence, transfer_body

KEY, OTHER = PrivateKey(b"\x01" * 32), PrivateKey(b"\x02" * 32)
ADDRESS = address_of(KEY)
_SIGNED = (
    "b91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd"
    "6007e74cd82e037b800186422fc2da167c747ef045e5d18a5f5d4300f8e1a0291c"
)
# Address, message and signature of an example in the documentation of web3.js.
PUBLISHED = ("0x2c7536E3605D9C16a7a3D7b1898e529396a65c23", "Some data", f"0x{_SIGNED}")


@pytest.fixture
async def world(database: Database) -> AsyncGenerator[PaymentWorld]:
    async with travel_world(database) as found:
        await state(found.org, found.ada, SELF_HOSTED, ADDRESS)
        yield found


def test_a_published_signature_is_valid() -> None:
    address, message, signature = PUBLISHED
    assert is_signed_by(address, message, signature)
    assert not is_signed_by(address, "Some other data", signature)


@pytest.mark.parametrize("v", [0, 27])
def test_wallets_end_a_signature_in_two_ways(v: int) -> None:
    assert is_signed_by(ADDRESS.lower(), "a", sign(KEY, "a", v=v))


@pytest.mark.parametrize(
    "signature",
    ["", "0x", "0x" + "00" * 65, "0x" + "ff" * 65, "zz" * 65, "0x" + "11" * 64, sign(OTHER, "a")],
)
def test_what_is_no_signature_of_the_key_is_refused(signature: str) -> None:
    assert not is_signed_by(ADDRESS, "a", signature)


def test_a_solana_wallet_signs_the_bytes() -> None:
    key = Ed25519PrivateKey.from_private_bytes(b"\x03" * 32)
    address = base58.b58encode(key.public_key().public_bytes_raw()).decode()
    signature = base58.b58encode(key.sign(b"a")).decode()
    assert is_signed_by(address, "a", signature)
    assert not is_signed_by(address, "b", signature)
    assert not is_signed_by(address, "a", signature[:-1])
    assert not is_signed_by(address, "a", "0OIl")


async def test_above_a_thousand_euro_a_proof_releases_the_transfer(world: PaymentWorld) -> None:
    org = world.org
    await register(org, world.ada, ADDRESS)
    await fund(org, world.ada, "9000")
    body = transfer_body(world.ada, {"walletAddress": ADDRESS}, "9000")
    created = (await org.post(TRANSFERS, body))["transferDetails"]["id"]
    await world.work()
    (screening,) = await world.screenings()
    assert screening["missing"] == ["ownershipProof"]
    assert (await prove(org, world.ada, KEY))["provenAt"] is not None
    await world.settle()
    assert await world.transfer_status(created) == "COMPLETED"
    entries = (await org.get("/v2/audit-log", kind="TRAVEL_RULE.WALLET"))["entries"]
    assert [each["what"] for each in entries] == ["prove", "set"]


async def test_a_challenge_proves_once(world: PaymentWorld) -> None:
    path = wallet_path(world.ada, ADDRESS)
    message = (await world.org.post(f"{path}/challenge", {}))["message"]
    body = {"signature": sign(KEY, message)}
    found = await asyncio.gather(*(world.org.send("POST", f"{path}/prove", body) for _ in range(6)))
    assert sorted(each.status_code for each in found) == [200, *[409] * 5]


async def test_a_challenge_expires(world: PaymentWorld) -> None:
    path = wallet_path(world.ada, ADDRESS)
    message = (await world.org.post(f"{path}/challenge", {}))["message"]
    world.clock.at += CHALLENGE_LIFETIME + timedelta(seconds=1)
    found = await world.org.send("POST", f"{path}/prove", {"signature": sign(KEY, message)})
    assert (found.status_code, "request another one" in sentence(found)) == (409, True)


async def test_a_proof_is_of_one_user(world: PaymentWorld) -> None:
    bob = await make_user(world.org)
    await state(world.org, bob, SELF_HOSTED, ADDRESS)
    own, other = (wallet_path(each, ADDRESS) for each in (world.ada, bob))
    message = (await world.org.post(f"{own}/challenge", {}))["message"]
    await world.org.post(f"{other}/challenge", {})
    found = await world.org.send("POST", f"{other}/prove", {"signature": sign(KEY, message)})
    assert found.status_code == 400
    assert (await world.org.get(other))["provenAt"] is None


async def test_other_data_need_another_proof(world: PaymentWorld) -> None:
    await prove(world.org, world.ada, KEY)
    again = await state(world.org, world.ada, SELF_HOSTED, ADDRESS)
    assert again["provenAt"] is not None
    path = wallet_path(world.ada, ADDRESS)
    message = (await world.org.post(f"{path}/challenge", {}))["message"]
    changed = await state(world.org, world.ada, HOSTED, ADDRESS)
    assert (changed["provenAt"], changed["version"]) == (None, 3)
    # The challenge was for the data before.
    found = await world.org.send("POST", f"{path}/prove", {"signature": sign(KEY, message)})
    assert found.status_code == 409
    refused = await world.org.send("POST", f"{path}/challenge", {})
    assert (refused.status_code, "self-hosted" in sentence(refused)) == (409, True)
