"""What the signer signs for Solana, with which key, and what it refuses."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from solders.compute_budget import set_compute_unit_limit
from solders.hash import Hash
from solders.message import Message
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.system_program import TransferParams, transfer

from landbridge.platform.db.pool import Database
from landbridge.platform.formats.key_derivation import EVM_TREASURY, SOLANA_PATH
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.signing.model import SigningKey, SigningRefused
from landbridge.providers.evm.signing.signature_log import check_log
from landbridge.providers.solana.messages import (
    TransferLeg,
    TransferMessage,
    build_message,
)
from tests.providers.solana.solana_orders import new_address
from tests.providers.solana.solana_payments import new_user
from tests.solana_world import COIN, SolanaWorld, solana_world

BOUNDS = """
priority_fee_cap = 1000
compute_units_max = 300000
signer = {native = {day_max = "0.01"}, usdc = {transaction_max = "5", day_max = "12"}}
"""


@pytest.fixture
async def world(tmp_path: Path, own_database: Database) -> AsyncGenerator[SolanaWorld]:
    async with solana_world(tmp_path, own_database, more=BOUNDS) as world:
        yield world


async def keys_of(world: SolanaWorld) -> tuple[SigningKey, SigningKey]:
    """Return the keys of a relayer and of a new user."""
    user, address = await new_user(world)
    wallets = await world.container.wallets.at_address(world.org.org_id, address, limit=1)
    key = await world.outbox.context.wallet_keys.solana_key(world.org.org_id, wallets[0][0].id)
    assert user
    return await world.outbox.relayers.key(0), key


def content_of(relayer: SigningKey, owner: SigningKey, **changes: Any) -> TransferMessage:
    content = TransferMessage(
        payer=relayer.address,
        owner=owner.address,
        currency="usdc",
        legs=(TransferLeg(new_address(), 4 * COIN),),
        unit_limit=200_000,
        unit_price=100,
        blockhash=str(Hash.new_unique()),
    )
    return msgspec.structs.replace(content, **changes)


async def sign(world: SolanaWorld, key: SigningKey, content: TransferMessage) -> bytes:
    message = build_message(content, world.tokens[content.currency])
    return await sign_bytes(world, key, message)


async def sign_bytes(world: SolanaWorld, key: SigningKey, message: bytes) -> bytes:
    signature = await world.outbox.context.signer.sign_message(key, Network.SOLANA, message)
    assert Signature.from_bytes(signature).verify(Pubkey.from_string(key.address), message)
    return signature


async def test_owner_and_relayer_sign_with_the_keys_of_their_addresses(
    world: SolanaWorld, tmp_path: Path
) -> None:
    relayer, owner = await keys_of(world)
    content = content_of(relayer, owner)
    assert await sign(world, owner, content) == await sign(world, owner, content)
    await sign(world, relayer, content)
    assert check_log(tmp_path / "signatures.jsonl").count == 2
    lines = (tmp_path / "signatures.jsonl").read_bytes().splitlines()
    entries = [msgspec.json.decode(line) for line in lines]
    assert [each["kind"] for each in entries] == ["solana_transfer", "solana_fee"]
    assert entries[0]["movements"][0]["destination"] == content.legs[0].wallet


async def test_an_organisations_own_address_signs_too(world: SolanaWorld) -> None:
    relayer, _ = await keys_of(world)
    treasury = await world.outbox.context.wallet_keys.solana_key(world.org.org_id, None)
    await sign(world, treasury, content_of(relayer, treasury))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"unit_price": 1_001}, "above the cap of 1000"),
        ({"unit_limit": 300_001}, "at most 300000"),
        ({"legs": (TransferLeg(new_address(), 0),)}, "a transfer of nothing"),
        ({"legs": (TransferLeg(new_address(), 5 * COIN + 1),)}, "at most 5000000 are signed for"),
        ({"legs": tuple(TransferLeg(new_address(), 1) for _ in range(9))}, "at most 8"),
    ],
)
async def test_what_is_above_a_bound_is_refused(
    world: SolanaWorld, changes: dict[str, Any], reason: str
) -> None:
    relayer, owner = await keys_of(world)
    with pytest.raises(SigningRefused, match=reason):
        await sign(world, owner, content_of(relayer, owner, **changes))


async def test_a_days_totals_are_bounded_for_coins_and_costs(world: SolanaWorld) -> None:
    relayer, owner = await keys_of(world)
    for _ in range(3):
        await sign(world, owner, content_of(relayer, owner))
        await sign(world, relayer, content_of(relayer, owner))
    with pytest.raises(SigningRefused, match="at most 12000000 may be"):
        await sign(world, owner, content_of(relayer, owner))
    with pytest.raises(SigningRefused, match="at most 10000000 may be"):
        await sign(world, relayer, content_of(relayer, owner))


async def test_messages_that_the_outbox_does_not_build_are_refused(world: SolanaWorld) -> None:
    relayer, owner = await keys_of(world)
    payer, blockhash = Pubkey.from_string(relayer.address), Hash.new_unique()
    theft = transfer(
        TransferParams(from_pubkey=payer, to_pubkey=Pubkey.from_string(new_address()), lamports=1)
    )
    known = Message.from_bytes(build_message(content_of(relayer, owner), world.tokens["usdc"]))
    other_token = replace_mint(world, content_of(relayer, owner))
    messages = [
        bytes(Message.new_with_blockhash([theft], payer, blockhash)),
        bytes(Message.new_with_blockhash([set_compute_unit_limit(1), theft], payer, blockhash)),
        bytes(known)[:-1],
        bytes(known) + b"\x00",
        b"",
        other_token,
    ]
    for message in messages:
        for key in (relayer, owner):
            with pytest.raises(SigningRefused, match="the message"):
                await sign_bytes(world, key, message)


def replace_mint(world: SolanaWorld, content: TransferMessage) -> bytes:
    """Return a transfer of a token that is not configured."""
    token = msgspec.structs.replace(world.tokens["usdc"], address=world.chain.create_mint())
    return build_message(content, token)


async def test_keys_sign_their_own_part_alone(world: SolanaWorld) -> None:
    relayer, owner = await keys_of(world)
    _, other = await keys_of(world)
    content = content_of(relayer, owner)
    with pytest.raises(SigningRefused, match="not the one that signs this part"):
        await sign(world, other, content)
    with pytest.raises(SigningRefused, match="not the one that signs this part"):
        await sign(world, relayer, content_of(relayer, relayer, payer=owner.address))
    with pytest.raises(SigningRefused, match=r"the path is of"):
        await sign(world, msgspec.structs.replace(owner, path=other.path), content)
    for path in (EVM_TREASURY, SOLANA_PATH, (*owner.path, 0)):
        with pytest.raises(SigningRefused, match="not one of this kind of seed"):
            await sign(world, msgspec.structs.replace(owner, path=path), content)
    with pytest.raises(SigningRefused, match="POLYGON is not configured"):
        await world.outbox.context.signer.sign_message(owner, Network.POLYGON, b"")
