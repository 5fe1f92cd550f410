"""Answers of Solana's nodes, parsed strictly; only the used members are declared."""

import base64
import binascii
from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from landbridge.providers.evm.quantities import AnswerInvalid

T = TypeVar("T")

# Upper bound of slots, heights and lamports: all lamports are less than a tenth of it.
_Number = Annotated[int, Meta(ge=0, le=2**63 - 1)]


class Commitment(StrEnum):
    """Degree to which the cluster agrees on a block."""

    CONFIRMED = "confirmed"  # two thirds of the stake have voted for it; a fork may still remove it
    FINALIZED = "finalized"  # can't be undone


class _CamelAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    pass


class AnswerContext(_CamelAnswer, frozen=True):
    """Slot to which a node's answer refers."""

    slot: _Number


class EpochInfo(_CamelAnswer, frozen=True):
    """Latest slot and block height at a commitment: slots count time, heights count blocks."""

    absolute_slot: _Number
    block_height: _Number


class SolanaBlock(_CamelAnswer, frozen=True):
    """Block without its transactions; only the blockhash is read."""

    blockhash: str


class LatestBlockhash(_CamelAnswer, frozen=True):
    """Latest blockhash, and the height of the last block that can have a transaction with it."""

    blockhash: str
    last_valid_block_height: _Number


class SignatureStatus(_CamelAnswer, frozen=True):
    """Status of a transaction: its slot, and its error; `err` is None if it succeeded."""

    slot: _Number
    err: Any
    confirmation_status: str | None

    @property
    def is_final(self) -> bool:
        """Return whether the transaction is finalized."""
        return self.confirmation_status == Commitment.FINALIZED


class SignatureInfo(_CamelAnswer, frozen=True):
    """Entry in the list of an account's transactions."""

    signature: str
    slot: _Number
    err: Any


class ChainAccount(_CamelAnswer, frozen=True):
    """Account as stored; `owner` is its program."""

    lamports: _Number
    owner: str
    data: tuple[str, str]
    executable: bool

    @property
    def content(self) -> bytes:
        """Return the data of the account, or the part that was requested."""
        text, encoding = self.data
        if encoding != "base64":
            raise AnswerInvalid("an account's data are not in base64")
        try:
            return base64.b64decode(text, validate=True)
        except binascii.Error:
            raise AnswerInvalid("an account's data are not in base64") from None


class Simulation(_CamelAnswer, frozen=True):
    """Result of a simulation; `err` is None if the transaction would succeed."""

    err: Any
    units_consumed: _Number | None = None


class PrioritizationFee(_CamelAnswer, frozen=True):
    """Lowest price per compute unit among the transactions of a slot's block."""

    slot: _Number
    prioritization_fee: Annotated[int, Meta(ge=0)]


class TokenAmount(_CamelAnswer, frozen=True):
    """Amount in smallest units, as text."""

    amount: Annotated[str, Meta(pattern=r"^[0-9]{1,20}\Z")]


class TokenBalance(_CamelAnswer, frozen=True, kw_only=True):
    """Balance of a token account before or after a transaction."""

    account_index: _Number
    mint: str
    owner: str | None = None
    ui_token_amount: TokenAmount

    @property
    def units(self) -> int:
        """Return the balance in smallest units."""
        return int(self.ui_token_amount.amount)


class LoadedAddresses(_CamelAnswer, frozen=True):
    """Addresses that a transaction takes from lookup tables."""

    writable: list[str] = []
    readonly: list[str] = []


class TransactionMeta(_CamelAnswer, frozen=True):
    """Effects of a transaction; lamports are by the position of the account."""

    err: Any
    fee: _Number
    pre_balances: Annotated[list[_Number], Meta(min_length=1)]
    post_balances: Annotated[list[_Number], Meta(min_length=1)]
    pre_token_balances: list[TokenBalance]
    post_token_balances: list[TokenBalance]
    loaded_addresses: LoadedAddresses = LoadedAddresses()


class TransactionMessage(_CamelAnswer, frozen=True):
    """Message of a transaction, with its own addresses."""

    account_keys: list[str]


class TransactionBody(_CamelAnswer, frozen=True):
    """Signatures and message of a transaction."""

    signatures: list[str]
    message: TransactionMessage


class ChainTransaction(_CamelAnswer, frozen=True):
    """Transaction in a block."""

    slot: _Number
    meta: TransactionMeta
    transaction: TransactionBody

    @property
    def addresses(self) -> list[str]:
        """Return the addresses of all accounts, by their positions."""
        loaded = self.meta.loaded_addresses
        return [*self.transaction.message.account_keys, *loaded.writable, *loaded.readonly]

    @property
    def names_its_accounts(self) -> bool:
        """Return whether all token balances belong to accounts of the transaction."""
        places = len(self.addresses)
        balances = (*self.meta.pre_token_balances, *self.meta.post_token_balances)
        return places > 0 and all(each.account_index < places for each in balances)

    @property
    def paid_lamports(self) -> int:
        """Return the lamports that the payer lost: the fee, and the rent of new accounts."""
        return self.meta.pre_balances[0] - self.meta.post_balances[0]


def decoder(kind: type[T]) -> Callable[[object], T]:
    """Return a function that decodes an answer as this type; it raises `AnswerInvalid`."""

    def read(value: object) -> T:
        try:
            return msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            raise AnswerInvalid(f"an answer is no {kind}: {error}") from None

    return read


def context_decoder(kind: type[T]) -> Callable[[object], tuple[int, T]]:
    """Return a function that decodes an answer with its context, to slot and value."""
    read_value = decoder(kind)

    def read(value: object) -> tuple[int, T]:
        if not isinstance(value, dict):
            raise AnswerInvalid("an object is missing")
        members = msgspec.convert(value, dict[str, Any])
        return decoder(AnswerContext)(members.get("context")).slot, read_value(members.get("value"))

    return read


def little_endian(data: bytes, start: int, size: int) -> int:
    """Return an unsigned little-endian number in an account's data."""
    if len(data) < start + size:
        raise AnswerInvalid("an account has too few bytes")
    return int.from_bytes(data[start : start + size], "little")
