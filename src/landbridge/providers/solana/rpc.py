"""Client of Solana's nodes: typed JSON-RPC calls.

Guarantees:
- an answer of the wrong form is never returned: the next node is asked;
- every method raises `NodeUnavailable` if no node gives a usable answer in time;
- the data that decide whether a transaction has expired come from one node in one request.
"""

import base64
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec

from landbridge.platform.core.clock import Clock
from landbridge.providers.evm.errors import NodeError
from landbridge.providers.evm.nodes import ChainIdentity, NodeHealth, NodePool, RpcLimits
from landbridge.providers.evm.quantities import TIME_MAX_S, AnswerInvalid
from landbridge.providers.evm.transport import RpcCall
from landbridge.providers.solana.chain_data import (
    ChainAccount,
    ChainTransaction,
    Commitment,
    EpochInfo,
    LatestBlockhash,
    PrioritizationFee,
    SignatureInfo,
    SignatureStatus,
    Simulation,
    SolanaBlock,
    context_decoder,
    decoder,
    little_endian,
)
from landbridge.providers.solana.configuration import SolanaChain
from landbridge.providers.solana.programs import account_of

T = TypeVar("T")

# Maximum of Solana's interface for one call.
ACCOUNTS_MAX = 100
STATUSES_MAX = 256
SIGNATURES_MAX = 1_000
_CLOCK = "SysvarC1ock11111111111111111111111111111111"
# Positions in the data of a token account and of the clock: docs.rs/spl-token and solana-clock.
_UNITS_START, _NUMBER_BYTES = 64, 8
_TIME_START = 32
# Error code: the node has not reached the `minContextSlot`.
_NOT_REACHED = -32016


class ChainTime(msgspec.Struct, frozen=True):
    """Latest slot and its time, with the field names of a block's header."""

    number: int
    timestamp_s: int


class ExpiryView(msgspec.Struct, frozen=True, kw_only=True):
    """One node's knowledge of transactions: their status, and the range of blocks that it has.

    `height` is the height of its last finalized block, `first_slot` the first slot that it has
    kept.
    """

    height: int
    first_slot: int
    statuses: Sequence[SignatureStatus | None]


class SolanaClient:
    """Client of Solana's nodes; close it after use. For one event loop."""

    def __init__(self, chain: SolanaChain, clock: Clock, limits: RpcLimits | None = None) -> None:
        self._tokens = {token.address: token for token in chain.tokens.values()}
        identity = ChainIdentity(
            call=RpcCall("getGenesisHash"),
            name="genesis hash",
            read=decoder(str),
            expected=chain.genesis_hash,
        )
        # A slot takes 0.4 s, so nodes are often several slots apart.
        limits = limits or RpcLimits(head_lag_blocks_max=150)
        self._pool = NodePool(chain.rpc_urls, identity=identity, clock=clock, limits=limits)

    async def close(self) -> None:
        """Close all connections."""
        await self._pool.close()

    def health(self) -> tuple[NodeHealth, ...]:
        """Return the health of each node, in the configured order."""
        return self._pool.health()

    async def latest_block(self, *, timeout_s: float) -> ChainTime | None:
        """Ask all nodes for the latest slot and time; return the highest, None if none answers."""

        def read(answers: list[Any]) -> ChainTime:
            slot, account = context_decoder(ChainAccount)(_expected(answers[0]))
            time_s = little_endian(account.content, _TIME_START, _NUMBER_BYTES)
            if time_s > TIME_MAX_S:
                raise AnswerInvalid("a time is after the year 9999")
            return ChainTime(slot, time_s)

        options = {"encoding": "base64", "commitment": Commitment.CONFIRMED}
        found = await self._pool.call_each(
            [RpcCall("getAccountInfo", (_CLOCK, options))],
            read,
            head=lambda each: each.number,
            timeout_s=timeout_s,
        )
        return max(found, key=lambda each: each.number, default=None)

    async def final_epoch(self) -> EpochInfo:
        """Return the last finalized block."""
        options = {"commitment": Commitment.FINALIZED}
        return await self._ask("getEpochInfo", (options,), decoder(EpochInfo))

    async def first_block(self) -> int:
        """Return the slot of the first block that the node has kept."""
        return await self._ask("getFirstAvailableBlock", (), decoder(int))

    async def block_hash(self, slot: int) -> str | None:
        """Return the hash of a finalized block; None if the node does not have it."""
        options = {
            "commitment": Commitment.FINALIZED,
            "transactionDetails": "none",
            "rewards": False,
            "maxSupportedTransactionVersion": 0,
        }

        def read(value: object) -> str | None:
            return None if value is None else decoder(SolanaBlock)(value).blockhash

        return await self._ask("getBlock", (slot, options), read)

    async def latest_blockhash(self) -> tuple[int, LatestBlockhash]:
        """Return a slot, and the latest blockhash at that slot."""
        options = {"commitment": Commitment.CONFIRMED}
        return await self._ask("getLatestBlockhash", (options,), context_decoder(LatestBlockhash))

    async def send(self, raw: bytes) -> None:
        """Send a transaction; also raises `NodeError`, which does not decide its result."""
        options = {"encoding": "base64", "skipPreflight": True, "maxRetries": 0}
        call = RpcCall("sendTransaction", (_text(raw), options))
        await self._pool.call([call], _first(decoder(str), raises=True))

    async def simulate(self, raw: bytes) -> Simulation:
        """Return the effect that a transaction would have; its signatures may be empty."""
        options = {
            "encoding": "base64",
            "commitment": Commitment.CONFIRMED,
            "sigVerify": False,
            "replaceRecentBlockhash": False,
        }
        _, found = await self._ask(
            "simulateTransaction", (_text(raw), options), context_decoder(Simulation)
        )
        return found

    async def expiry_view(self, signatures: Sequence[str]) -> ExpiryView:
        """Return one node's knowledge of these transactions, from one request."""

        def read(answers: list[Any]) -> ExpiryView:
            epoch, first, statuses = (_expected(each) for each in answers)
            _, found = context_decoder(list[SignatureStatus | None])(statuses)
            if len(found) != len(signatures):
                raise AnswerInvalid("a status is missing")
            return ExpiryView(
                height=decoder(EpochInfo)(epoch).block_height,
                first_slot=decoder(int)(first),
                statuses=found,
            )

        calls = [
            RpcCall("getEpochInfo", ({"commitment": Commitment.FINALIZED},)),
            RpcCall("getFirstAvailableBlock"),
            RpcCall("getSignatureStatuses", (list(signatures), {"searchTransactionHistory": True})),
        ]
        return await self._pool.call(calls, read)

    async def accounts(
        self,
        addresses: Sequence[str],
        commitment: Commitment,
        *,
        data: tuple[int, int] | None = None,
        min_slot: int | None = None,
    ) -> tuple[int, list[ChainAccount | None]]:
        """Return a slot, and the accounts at that slot; None for those that do not exist.

        There may be at most `ACCOUNTS_MAX` addresses. `data` is the part of their data to return,
        as offset and length. A node that has not reached `min_slot` raises `NodeError`.
        """
        options: dict[str, Any] = {"encoding": "base64", "commitment": commitment}
        if data is not None:
            options["dataSlice"] = {"offset": data[0], "length": data[1]}
        if min_slot is not None:
            options["minContextSlot"] = min_slot

        def read(value: object) -> tuple[int, list[ChainAccount | None]]:
            slot, found = context_decoder(list[ChainAccount | None])(value)
            if len(found) != len(addresses):
                raise AnswerInvalid("an account is missing")
            if min_slot is not None and slot < min_slot:
                raise AnswerInvalid("the node is behind")
            return slot, found

        return await self._ask("getMultipleAccounts", (list(addresses), options), read)

    async def token_units(
        self,
        accounts: Sequence[str],
        commitment: Commitment,
        *,
        min_slot: int | None = None,
    ) -> tuple[int, list[int]]:
        """Return a slot, and the units of these token accounts then; 0 for a missing account."""
        slot, found = await self.accounts(
            accounts, commitment, data=(_UNITS_START, _NUMBER_BYTES), min_slot=min_slot
        )
        # A wallet may send lamports to the address of an account before the account exists.
        return slot, [
            little_endian(each.content, 0, _NUMBER_BYTES) if each and each.content else 0
            for each in found
        ]

    async def token_balance(self, token: str, owner: str) -> int:
        """Return the units that an address has of a configured token, given by its mint."""
        account = account_of(owner, self._tokens[token])
        _, units = await self.token_units([account], Commitment.CONFIRMED)
        return units[0]

    async def balance(self, address: str) -> int:
        """Return the lamports of an address."""
        _, found = await self.accounts([address], Commitment.CONFIRMED, data=(0, 0))
        return 0 if found[0] is None else found[0].lamports

    async def priority_fees(self, accounts: Sequence[str]) -> list[int]:
        """Return the prices per compute unit that recent blocks accepted for these accounts."""
        read = decoder(list[PrioritizationFee])
        found = await self._ask("getRecentPrioritizationFees", (list(accounts),), read)
        return [each.prioritization_fee for each in found]

    async def signatures(
        self,
        account: str,
        *,
        until: str | None,
        before: str | None,
        min_slot: int,
        limit: int = SIGNATURES_MAX,
        commitment: Commitment = Commitment.FINALIZED,
    ) -> list[SignatureInfo]:
        """Return transactions of an account, the newest first, at most `limit`.

        Left out are `until` and older ones, and `before` and newer ones. A node that has not
        reached `min_slot` raises `NodeError`.
        """
        options: dict[str, Any] = {
            "commitment": commitment,
            "limit": limit,
            "minContextSlot": min_slot,
        }
        bounds = {"until": until, "before": before}
        options |= {name: each for name, each in bounds.items() if each is not None}
        read = decoder(list[SignatureInfo])
        return await self._ask("getSignaturesForAddress", (account, options), read)

    async def transaction(
        self, signature: str, *, commitment: Commitment = Commitment.FINALIZED
    ) -> ChainTransaction | None:
        """Return a transaction; None if the node does not know it."""
        options = {
            "encoding": "json",
            "commitment": commitment,
            "maxSupportedTransactionVersion": 0,
        }

        def read(value: object) -> ChainTransaction | None:
            found = None if value is None else decoder(ChainTransaction)(value)
            if found is not None and found.transaction.signatures[:1] != [signature]:
                raise AnswerInvalid("a transaction has another signature")
            if found is not None and not found.names_its_accounts:
                raise AnswerInvalid("a transaction changes an account that it does not name")
            return found

        return await self._ask("getTransaction", (signature, options), read)

    async def _ask(self, method: str, params: tuple[Any, ...], read: Callable[[object], T]) -> T:
        return await self._pool.call([RpcCall(method, params)], _first(read))


def _first(read: Callable[[object], T], *, raises: bool = False) -> Callable[[list[Any]], T]:
    """Return a function that parses the only answer; an error is raised, or the next node tried."""

    def read_answers(answers: list[Any]) -> T:
        answer = answers[0]
        if raises and isinstance(answer, NodeError):
            raise answer
        return read(_expected(answer))

    return read_answers


def _expected(answer: object) -> object:
    if isinstance(answer, NodeError):
        if answer.code == _NOT_REACHED:
            raise answer  # a node that is some slots behind is still good for other calls
        raise AnswerInvalid(f"error {answer.code}")
    return answer


def _text(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")
