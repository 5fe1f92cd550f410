"""Model of signing: data to sign, signing keys, and requests to the signer over its socket."""

from typing import TypeAlias
from uuid import UUID

import msgspec

from landbridge.platform.core.errors import Rejected, Unavailable
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.abi import TransferAuthorization

# Path of BIP-32; hardened indexes have bit 31 set.
KeyPath: TypeAlias = tuple[int, ...]


class SignerUnavailable(Unavailable):
    """The signer did not answer, or signs too much at once. Send the same request again later."""


class SigningRefused(Rejected):
    """The signer refuses to sign the request. The sentence is for operators, not for customers."""


class SealedSeed(msgspec.Struct, frozen=True, kw_only=True):
    """Seed as stored, with what the signer needs to open it with the master key.

    An organisation's seed is sealed with its data key, in the context `wallet_seed:<org id>`; the
    data key is sealed with the master key. The installation's seed of relayers is sealed with the
    master key itself, in the context `relayer_seed`; it has no organisation and no data key.
    """

    context: str
    sealed_seed: bytes
    org_id: UUID | None = None
    sealed_data_key: bytes | None = None


class SigningKey(msgspec.Struct, frozen=True, kw_only=True):
    """Key that signs: a path below a seed, and the address that the key must have.

    An EVM address has EIP-55 capital letters.
    """

    seed: SealedSeed
    path: KeyPath
    address: str


class SignedDelegation(msgspec.Struct, frozen=True, kw_only=True):
    """EIP-7702 authorization tuple: its signer delegates to the code at `address`."""

    chain_id: int
    address: str
    nonce: int
    y_parity: int
    r: int
    s: int


class UnsignedTransaction(msgspec.Struct, frozen=True, kw_only=True):
    """Transaction of type 2 (EIP-1559), or of type 4 (EIP-7702) if it has delegations.

    Fees are in wei per gas: `max_fee_wei` is the maximum in total, including the tip.
    """

    chain: Network
    chain_id: int
    nonce: int
    max_fee_wei: int
    tip_wei: int
    gas: int
    destination: str
    value_wei: int
    data: bytes
    delegations: tuple[SignedDelegation, ...] = ()


class SignedTransaction(msgspec.Struct, frozen=True, kw_only=True):
    """Transaction in the form sent to nodes, and its hash: 0x and 64 digits in lower case."""

    raw: bytes
    hash: str


class AccountCall(msgspec.Struct, frozen=True, kw_only=True):
    """Call of an account, carried out by `Delegate.execute`."""

    destination: str
    value_wei: int
    data: bytes


class TransactionRequest(msgspec.Struct, frozen=True, kw_only=True, tag="transaction"):
    """Request to sign a transaction."""

    key: SigningKey
    transaction: UnsignedTransaction


class AuthorizationRequest(msgspec.Struct, frozen=True, kw_only=True, tag="authorization"):
    """Request to sign an EIP-3009 transfer of the token at address `token`."""

    key: SigningKey
    chain: Network
    token: str
    authorization: TransferAuthorization


class CallsRequest(msgspec.Struct, frozen=True, kw_only=True, tag="calls"):
    """Request to sign calls for the delegate contract; the deadline is in seconds since 1970."""

    key: SigningKey
    chain: Network
    calls: tuple[AccountCall, ...]
    nonce: bytes
    deadline_s: int


class DelegationRequest(msgspec.Struct, frozen=True, kw_only=True, tag="delegation"):
    """Request to sign an account's delegation to the delegate contract."""

    key: SigningKey
    chain: Network
    nonce: int


class MessageRequest(msgspec.Struct, frozen=True, kw_only=True, tag="message"):
    """Request to sign the message of a Solana transaction."""

    key: SigningKey
    chain: Network
    message: bytes


class AddressRequest(msgspec.Struct, frozen=True, kw_only=True, tag="address"):
    """Request to derive an address."""

    seed: SealedSeed
    path: KeyPath


SigningRequest: TypeAlias = (
    TransactionRequest
    | AuthorizationRequest
    | CallsRequest
    | DelegationRequest
    | MessageRequest
    | AddressRequest
)
SigningResult: TypeAlias = SignedTransaction | SignedDelegation | bytes | str
