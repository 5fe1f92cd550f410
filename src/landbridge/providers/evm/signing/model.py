"""What is signed for EVM chains, and with which key; and requests to the signer over its socket."""

from typing import TypeAlias
from uuid import UUID

import msgspec

from landbridge.platform.core.errors import Rejected, Unavailable
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.abi import TransferAuthorization

# BIP-32 path; hardened steps have bit 31 set.
KeyPath: TypeAlias = tuple[int, ...]


class SignerUnavailable(Unavailable):
    """The signer did not answer, or signs too much at once. Request the same again later."""


class SigningRefused(Rejected):
    """The signer refuses to sign this. The sentence is for operators, not for customers."""


class SealedSeed(msgspec.Struct, frozen=True, kw_only=True):
    """Seed as stored, with what the signer needs to open it with the master key.

    An organisation's seed is sealed with its data key, in the context `wallet_seed:<org id>`; the
    data key is as stored, sealed with the master key. The installation's seed of relayers is sealed
    with the master key itself, in the context `relayer_seed`: without organisation and data key.
    """

    context: str
    sealed_seed: bytes
    org_id: UUID | None = None
    sealed_data_key: bytes | None = None


class SigningKey(msgspec.Struct, frozen=True, kw_only=True):
    """Key that signs: a path below a seed, and the address that it must have.

    An EVM address is in EIP-55 capitals.
    """

    seed: SealedSeed
    path: KeyPath
    address: str


class SignedDelegation(msgspec.Struct, frozen=True, kw_only=True):
    """EIP-7702 authorization tuple: its signer takes on the code at `address`."""

    chain_id: int
    address: str
    nonce: int
    y_parity: int
    r: int
    s: int


class UnsignedTransaction(msgspec.Struct, frozen=True, kw_only=True):
    """Transaction of type 2 (EIP-1559), or of type 4 (EIP-7702) if it has delegations.

    Fees are wei per gas: the most that is paid in all, and of that the tip.
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
    """Transaction as sent to nodes, and its hash: 0x and 64 digits in lower case."""

    raw: bytes
    hash: str


class AccountCall(msgspec.Struct, frozen=True, kw_only=True):
    """Call of an account, carried out by `Delegate.execute`."""

    destination: str
    value_wei: int
    data: bytes


class TransactionRequest(msgspec.Struct, frozen=True, kw_only=True, tag="transaction"):
    """Sign a transaction."""

    key: SigningKey
    transaction: UnsignedTransaction


class AuthorizationRequest(msgspec.Struct, frozen=True, kw_only=True, tag="authorization"):
    """Sign an EIP-3009 transfer of the token at an address."""

    key: SigningKey
    chain: Network
    token: str
    authorization: TransferAuthorization


class CallsRequest(msgspec.Struct, frozen=True, kw_only=True, tag="calls"):
    """Sign calls for the delegate contract; the deadline is seconds since 1970."""

    key: SigningKey
    chain: Network
    calls: tuple[AccountCall, ...]
    nonce: bytes
    deadline_s: int


class DelegationRequest(msgspec.Struct, frozen=True, kw_only=True, tag="delegation"):
    """Sign that an account takes on the delegate contract."""

    key: SigningKey
    chain: Network
    nonce: int


class MessageRequest(msgspec.Struct, frozen=True, kw_only=True, tag="message"):
    """Sign the message of a Solana transaction."""

    key: SigningKey
    chain: Network
    message: bytes


class AddressRequest(msgspec.Struct, frozen=True, kw_only=True, tag="address"):
    """Derive an address."""

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
