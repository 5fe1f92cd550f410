"""Answers of Solana's nodes: read strictly, and only what is used of them."""

import base64
import binascii
from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from landbridge.providers.evm.quantities import AnswerInvalid

T = TypeVar("T")

# No slot, height or amount of lamports reaches more: all coins are less than a tenth of it.
_Number = Annotated[int, Meta(ge=0, le=2**63 - 1)]


class Commitment(StrEnum):
    """How far the cluster has agreed on a block."""

    CONFIRMED = "confirmed"  # two thirds of the stake have voted for it; a fork may still remove it
    FINALIZED = "finalized"  # can't be undone


class _CamelAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    pass


class AnswerContext(_CamelAnswer, frozen=True):
    """Slot at which a node has answered."""

    slot: _Number


class EpochInfo(_CamelAnswer, frozen=True):
    """Latest block at a commitment: slots count time, block heights the blocks."""

    absolute_slot: _Number
    block_height: _Number


class SolanaBlock(_CamelAnswer, frozen=True):
    """Block without its transactions."""

    blockhash: str


class LatestBlockhash(_CamelAnswer, frozen=True):
    """Blockhash, and the height of the last block that can have a transaction with it."""

    blockhash: str
    last_valid_block_height: _Number


class SignatureStatus(_CamelAnswer, frozen=True):
    """Block of a transaction; `err` is None if the transaction has succeeded."""

    slot: _Number
    err: Any
    confirmation_status: str | None

    @property
    def is_final(self) -> bool:
        """Whether it can't be undone."""
        return self.confirmation_status == Commitment.FINALIZED


class SignatureInfo(_CamelAnswer, frozen=True):
    """Entry of the list of an account's transactions."""

    signature: str
    slot: _Number
    err: Any


class ChainAccount(_CamelAnswer, frozen=True):
    """Account as stored: its program is `owner`."""

    lamports: _Number
    owner: str
    data: tuple[str, str]
    executable: bool

    @property
    def content(self) -> bytes:
        """Data of the account, or the part that was requested."""
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
    """Lowest price per compute unit that a block of this slot has taken."""

    slot: _Number
    prioritization_fee: Annotated[int, Meta(ge=0)]


class TokenAmount(_CamelAnswer, frozen=True):
    """Units as text."""

    amount: Annotated[str, Meta(pattern=r"^[0-9]{1,20}\Z")]


class TokenBalance(_CamelAnswer, frozen=True, kw_only=True):
    """Units of a token account before or after a transaction."""

    account_index: _Number
    mint: str
    owner: str | None = None
    ui_token_amount: TokenAmount

    @property
    def units(self) -> int:
        """Smallest units."""
        return int(self.ui_token_amount.amount)


class LoadedAddresses(_CamelAnswer, frozen=True):
    """Addresses that a transaction has taken from lookup tables."""

    writable: list[str] = []
    readonly: list[str] = []


class TransactionMeta(_CamelAnswer, frozen=True):
    """What a transaction has changed; lamports are by the place of the account."""

    err: Any
    fee: _Number
    pre_balances: Annotated[list[_Number], Meta(min_length=1)]
    post_balances: Annotated[list[_Number], Meta(min_length=1)]
    pre_token_balances: list[TokenBalance]
    post_token_balances: list[TokenBalance]
    loaded_addresses: LoadedAddresses = LoadedAddresses()


class TransactionMessage(_CamelAnswer, frozen=True):
    """Addresses that the message itself has."""

    account_keys: list[str]


class TransactionBody(_CamelAnswer, frozen=True):
    """Signatures and message."""

    signatures: list[str]
    message: TransactionMessage


class ChainTransaction(_CamelAnswer, frozen=True):
    """Transaction in a block."""

    slot: _Number
    meta: TransactionMeta
    transaction: TransactionBody

    @property
    def addresses(self) -> list[str]:
        """Addresses of all accounts, in the order of their places."""
        loaded = self.meta.loaded_addresses
        return [*self.transaction.message.account_keys, *loaded.writable, *loaded.readonly]

    @property
    def names_its_accounts(self) -> bool:
        """Whether all balances are of accounts that it names."""
        places = len(self.addresses)
        balances = (*self.meta.pre_token_balances, *self.meta.post_token_balances)
        return places > 0 and all(each.account_index < places for each in balances)

    @property
    def paid_lamports(self) -> int:
        """Lamports that the payer has lost: the fee, and the rent of new accounts."""
        return self.meta.pre_balances[0] - self.meta.post_balances[0]


def reading(kind: type[T]) -> Callable[[object], T]:
    """Return what reads an answer of this type; it raises `AnswerInvalid`."""

    def read(value: object) -> T:
        try:
            return msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            raise AnswerInvalid(f"an answer is no {kind}: {error}") from None

    return read


def valued(kind: type[T]) -> Callable[[object], tuple[int, T]]:
    """Return what reads an answer with its context: slot and value."""
    read_value = reading(kind)

    def read(value: object) -> tuple[int, T]:
        if not isinstance(value, dict):
            raise AnswerInvalid("an object is missing")
        members = msgspec.convert(value, dict[str, Any])
        return reading(AnswerContext)(members.get("context")).slot, read_value(members.get("value"))

    return read


def little_endian(data: bytes, start: int, size: int) -> int:
    """Return an unsigned number in an account's data."""
    if len(data) < start + size:
        raise AnswerInvalid("an account has too few bytes")
    return int.from_bytes(data[start : start + size], "little")
