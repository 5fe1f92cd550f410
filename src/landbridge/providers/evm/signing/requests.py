"""Requests to the signer, as they go over its socket, and answers."""

from typing import TypeAlias

import msgspec

from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.abi import TransferAuthorization
from landbridge.providers.evm.signing.model import (
    AccountCall,
    KeyPath,
    SealedSeed,
    SignedDelegation,
    SignedTransaction,
    SigningKey,
    UnsignedTransaction,
)


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
