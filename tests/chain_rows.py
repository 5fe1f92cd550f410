"""A chains file with a node that tests script, and rows of the outbox without a real chain."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.providers.chains.port import ChainAction
from landbridge.providers.evm.fees import GasFees
from landbridge.providers.evm.outbox import attempt_store, order_store
from landbridge.providers.evm.outbox.model import (
    AttemptKind,
    OutboxOrder,
    OutboxState,
    PaymentLeg,
    TransactionAttempt,
)
from tests.providers.evm.node_server import FakeNode

RELAYER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
STOPPED = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
PAYEE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
HEAD, MINED = 1_000, 997
FIRST_HASH, SECOND_HASH = "0x" + "a1" * 32, "0x" + "b2" * 32
STOP_REASON = "nonce 4 was used by a transaction that was not signed here"
_BLOCK_HASH = "0x" + "cd" * 32
_GWEI = 10**9
_POL = 10**18
_FILE = """
[chains.POLYGON]
chain_id = 137
rpc_urls = {urls}
checkpoint_block = 3
checkpoint_hash = "0x1111111111111111111111111111111111111111111111111111111111111111"
confirmations = 20
finality = "finalized"
explorer = "https://polygonscan.com/tx/{{hash}}"
sponsor = ["eip3009"]
native_currency = "POL"
relayers = 2
relayer_floor = "1"
[chains.POLYGON.tokens.usdc]
address = "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359"
decimals = 6
eip3009 = {{name = "USD Coin", version = "2"}}
treasury_floor = "1000"
treasury_target = "5000"
"""


def write_chains_file(folder: Path, *urls: str) -> Path:
    """Write a chains file with one chain and these nodes."""
    path = folder / "chains.toml"
    path.write_text(_FILE.format(urls=str(list(urls)).replace("'", '"')), encoding="utf-8")
    return path


def script_chain(
    node: FakeNode, *, balance_units: int = 250_000_000, at: datetime | None = None
) -> None:
    """Let a node answer a head of now, or of `at`, and the same balance of every address."""

    def block(tag: str, _full: object) -> dict[str, str]:
        del tag
        return {
            "number": hex(HEAD),
            "hash": _BLOCK_HASH,
            "parentHash": _BLOCK_HASH,
            "timestamp": hex(int((at or datetime.now(UTC)).timestamp())),
            "baseFeePerGas": hex(30 * _GWEI),
        }

    node.methods["eth_getBlockByNumber"] = block
    node.set("eth_call", f"0x{balance_units:064x}")


def _order_with_attempts(
    org_id: UUID, record_id: UUID, key: UUID, at: datetime
) -> tuple[OutboxOrder, list[TransactionAttempt]]:
    """Return an order, and its first transaction with a replacement."""
    order = OutboxOrder(
        org_id=org_id,
        key=key,
        record_id=record_id,
        chain="POLYGON",
        currency="usdc",
        source=PAYEE,
        wallet_id=None,
        legs=(PaymentLeg(PAYEE, 12_500_000),),
        method=None,
        step=0,
        state=OutboxState.CREATED,
        reason=None,
        transaction_hash=None,
        confirmed_at=None,
        created_at=at,
        due_at=at,
    )

    def attempt(transaction_hash: str, kind: AttemptKind, gwei: int) -> TransactionAttempt:
        return TransactionAttempt(
            hash=transaction_hash,
            account=RELAYER,
            nonce=7,
            org_id=org_id,
            key=key,
            step=0,
            kind=kind,
            is_payment=True,
            raw=b"raw",
            request=b"{}",
            fees=GasFees(max_fee_wei=gwei * _GWEI, tip_wei=25 * _GWEI),
            created_at=at,
        )

    attempts = [
        attempt(FIRST_HASH, AttemptKind.ORIGINAL, 90),
        attempt(SECOND_HASH, AttemptKind.REPLACEMENT, 120),
    ]
    return order, attempts


async def add_bridge_rows(database: Database, org_id: UUID, record_id: UUID) -> None:
    """Store the orders of a bridge: its approval is done, and burn and mint wait."""
    at = datetime.now(UTC)
    order, _ = _order_with_attempts(org_id, record_id, new_id(), at)
    approve, burn, mint = (
        replace(order, key=new_id(), action=action, created_at=at + timedelta(seconds=place))
        for place, action in enumerate((ChainAction.APPROVE, ChainAction.BURN, ChainAction.MINT))
    )
    orders = [
        replace(approve, state=OutboxState.FINAL, confirmed_at=at, into_chain="BASE"),
        replace(burn, into_chain="BASE"),
        replace(mint, burn_key=burn.key),
    ]
    reasons = {burn.key: "waits for the signer", mint.key: "waits for the attestation of the burn"}

    async def work(tx: Tx) -> None:
        await order_store.add(tx, orders)
        moves = [(each, replace(each, reason=reasons[each.key])) for each in orders[1:]]
        await order_store.move(tx, moves, at)

    await database.transact(work)


async def add_chain_rows(
    database: Database, org_id: UUID, record_id: UUID, now: datetime | None = None
) -> UUID:
    """Store a stopped relayer, one that is low, and a mined order with a replaced attempt."""
    at = (now or datetime.now(UTC)) - timedelta(minutes=5)
    key = new_id()
    order, attempts = _order_with_attempts(org_id, record_id, key, at)

    async def work(tx: Tx) -> None:
        for index, address in enumerate((RELAYER, STOPPED)):
            await attempt_store.add_account(
                tx, "POLYGON", address, relayer_index=index, next_nonce=8
            )
        await attempt_store.set_balances(tx, "POLYGON", {RELAYER: 3 * _POL, STOPPED: 1}, at)
        await attempt_store.stop(tx, "POLYGON", STOPPED, at, STOP_REASON, next_nonce=8)
        await order_store.add(tx, [order])
        await attempt_store.add(tx, "POLYGON", attempts)
        await tx.execute(
            "update chain_attempts set sent_at = $3 where org_id = $1 and key = $2",
            org_id,
            key,
            at,
        )
        await tx.execute(
            "update chain_attempts set block_number = $4, block_hash = $5, is_success = true,"
            " gas_wei = $6 where org_id = $1 and key = $2 and hash = $3",
            org_id,
            key,
            SECOND_HASH,
            MINED,
            _BLOCK_HASH,
            6 * 10**15,
        )
        await tx.execute(
            "update chain_orders set state = 'MINED', method = 'eip3009', transaction_hash = $3"
            " where org_id = $1 and key = $2",
            org_id,
            key,
            SECOND_HASH,
        )

    await database.transact(work)
    return key
