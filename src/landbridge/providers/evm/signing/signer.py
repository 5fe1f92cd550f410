"""Signer: checks a request against the policy, derives the key, signs, and writes the log.

`ChainSigner` works without a process, for tests; `server.py` wraps it.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

import msgspec
from coincurve import PrivateKey

from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.db.sealing import Sealer
from landbridge.platform.formats.key_derivation import SOLANA_PATH
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.abi import TransferAuthorization
from landbridge.providers.evm.configuration import EvmChain
from landbridge.providers.evm.signer_limits import SignerLimits
from landbridge.providers.evm.signing.known_calls import Movement, SignatureKind, checked
from landbridge.providers.evm.signing.model import (
    AccountCall,
    AddressRequest,
    AuthorizationRequest,
    CallsRequest,
    DelegationRequest,
    KeyPath,
    MessageRequest,
    SealedSeed,
    SignedDelegation,
    SignedTransaction,
    SigningKey,
    SigningRefused,
    SigningRequest,
    SigningResult,
    TransactionRequest,
    UnsignedTransaction,
)
from landbridge.providers.evm.signing.policy import ChainPolicy, check_key, policies_of
from landbridge.providers.evm.signing.seeds import Seeds
from landbridge.providers.evm.signing.signature_log import (
    SignatureLog,
    day_of,
    movements_of,
    use_of,
)
from landbridge.providers.evm.signing.signed_amounts import (
    DayTotals,
    NonceUse,
    RecentDigests,
    SigningRates,
)
from landbridge.providers.evm.signing.transactions import (
    delegation_digest,
    raw_transaction,
    transaction_digest,
)
from landbridge.providers.evm.signing.typed_data import authorization_digest, calls_digest

T = TypeVar("T")

_WORD = 32
_V_OF_PARITY = 27
_TRANSACTIONS = "transaction"


class Signature(msgspec.Struct, frozen=True):
    """ECDSA signature on secp256k1."""

    r: int
    s: int
    y_parity: int

    @property
    def packed(self) -> bytes:
        """Return 65 bytes: r, s and v, which is 27 or 28."""
        v = self.y_parity + _V_OF_PARITY
        return self.r.to_bytes(_WORD) + self.s.to_bytes(_WORD) + bytes([v])


class SigningDraft(msgspec.Struct, frozen=True, kw_only=True):
    """Content to sign, and what the log says about it."""

    use: NonceUse
    kind: SignatureKind
    destination: str
    movements: Sequence[Movement]
    digest: bytes


class MessageSigner(Protocol):
    """Decodes and signs messages of a chain that is not an EVM chain; raises `SigningRefused`."""

    @property
    def name(self) -> Network:
        """Return the name of the chain."""
        ...

    @property
    def limits(self) -> SignerLimits:
        """Return the bounds of what is signed."""
        ...

    def read(self, key: SigningKey, message: bytes) -> SigningDraft:
        """Return the effect of a message; raises `SigningRefused` unless this key may sign it."""
        ...

    def sign(self, key: SigningKey, message: bytes) -> bytes:
        """Return the signature of a message that `read` has accepted."""
        ...

    def address(self, seed: SealedSeed, path: KeyPath) -> str:
        """Return the address of the key at a path."""
        ...


class ChainSigner:
    """Signs for the chains of an installation. For use in one thread.

    `messages` signs for the chain that is not an EVM chain.

    Every method raises `SigningRefused`, `SignerUnavailable` if the rate is exceeded, or
    `LogFailed`, after which nothing more is signed.
    """

    def __init__(
        self,
        sealer: Sealer,
        chains: Mapping[Network, EvmChain],
        log: SignatureLog,
        clock: Clock,
        *,
        messages: MessageSigner | None = None,
    ) -> None:
        self._messages = messages
        self._limits = {name: chain.signer for name, chain in chains.items()}
        if messages is not None:
            self._limits[messages.name] = messages.limits
        self._seeds = Seeds(sealer)
        self._policies = policies_of(chains)
        self._log = log
        self._clock = clock
        self._totals = DayTotals()
        self._digests = RecentDigests()
        self._rates = {
            name: SigningRates(per_key=limits.rate_per_key, in_all=limits.rate)
            for name, limits in self._limits.items()
        }
        for entry in log.take_recent():
            self._totals.add(entry.day, use_of(entry), movements_of(entry))
            self._digests.add(entry.day, _known_as(bytes.fromhex(entry.hash[2:]), entry.address))

    def sign_transaction(
        self, key: SigningKey, transaction: UnsignedTransaction
    ) -> SignedTransaction:
        """Sign a transaction."""
        signed = self._transaction(key, transaction)
        self._log.sync()
        return signed

    def sign_token_authorization(
        self, key: SigningKey, chain: Network, token: str, authorization: TransferAuthorization
    ) -> bytes:
        """Sign an EIP-3009 transfer; return 65 bytes r, s, v (27 or 28)."""
        signature = self._authorization(key, chain, token, authorization)
        self._log.sync()
        return signature

    def sign_account_calls(
        self,
        key: SigningKey,
        chain: Network,
        calls: Sequence[AccountCall],
        *,
        nonce: bytes,
        deadline_s: int,
    ) -> bytes:
        """Sign calls for the delegate contract; return 65 bytes.

        The deadline is in seconds since 1970.
        """
        signature = self._calls(key, chain, calls, nonce=nonce, deadline_s=deadline_s)
        self._log.sync()
        return signature

    def sign_delegation(self, key: SigningKey, chain: Network, *, nonce: int) -> SignedDelegation:
        """Sign the account's delegation to the delegate contract."""
        signed = self._delegation(key, chain, nonce)
        self._log.sync()
        return signed

    def address(self, seed: SealedSeed, path: KeyPath) -> str:
        """Return the address of the key at a path."""
        if tuple(path[: len(SOLANA_PATH)]) == SOLANA_PATH and self._messages is not None:
            return self._messages.address(seed, path)
        return self._seeds.key(seed, path).address

    def total(self, chain: Network, currency: str) -> int:
        """Return the units that were signed today (UTC)."""
        return self._totals.total(day_of(self._clock.now()), chain, currency)

    def answer(self, request: SigningRequest) -> SigningResult:
        """Carry out a request; its result may be passed on only after `sync` of the log."""
        match request:
            case TransactionRequest(key=key, transaction=transaction):
                return self._transaction(key, transaction)
            case AuthorizationRequest(key=key, chain=chain):
                return self._authorization(key, chain, request.token, request.authorization)
            case CallsRequest(key=key, chain=chain):
                return self._calls(
                    key, chain, request.calls, nonce=request.nonce, deadline_s=request.deadline_s
                )
            case DelegationRequest(key=key, chain=chain):
                return self._delegation(key, chain, request.nonce)
            case MessageRequest(key=key, chain=chain, message=message):
                return self._message(key, chain, message)
            case AddressRequest(seed=seed, path=path):
                return self.address(seed, path)

    def _transaction(self, key: SigningKey, transaction: UnsignedTransaction) -> SignedTransaction:
        policy = self._policy(transaction.chain)
        reading = policy.check_transaction(key.address, transaction)
        draft = SigningDraft(
            use=NonceUse(transaction.chain, key.address, _TRANSACTIONS, str(transaction.nonce)),
            kind=reading.kind,
            destination=checked(transaction.destination),
            movements=reading.movements,
            digest=transaction_digest(transaction),
        )
        signature = self._sign(key, draft)
        return raw_transaction(
            transaction, y_parity=signature.y_parity, r=signature.r, s=signature.s
        )

    def _authorization(
        self, key: SigningKey, chain: Network, token: str, authorization: TransferAuthorization
    ) -> bytes:
        policy = self._policy(chain)
        domain, movement = policy.check_authorization(key.address, token, authorization)
        digest = authorization_digest(
            domain, chain_id=policy.chain.chain_id, token=token, authorization=authorization
        )
        scope = f"{SignatureKind.AUTHORIZATION}:{movement.currency}"
        draft = SigningDraft(
            use=NonceUse(chain, key.address, scope, f"0x{authorization.nonce.hex()}"),
            kind=SignatureKind.AUTHORIZATION,
            destination=checked(token),
            movements=[movement],
            digest=digest,
        )
        return self._sign(key, draft).packed

    def _calls(
        self,
        key: SigningKey,
        chain: Network,
        calls: Sequence[AccountCall],
        *,
        nonce: bytes,
        deadline_s: int,
    ) -> bytes:
        policy = self._policy(chain)
        movements = policy.check_calls(key.address, calls, nonce=nonce, deadline_s=deadline_s)
        digest = calls_digest(
            calls,
            chain_id=policy.chain.chain_id,
            account=key.address,
            nonce=nonce,
            deadline_s=deadline_s,
        )
        draft = SigningDraft(
            use=NonceUse(chain, key.address, SignatureKind.CALLS, f"0x{nonce.hex()}"),
            kind=SignatureKind.CALLS,
            destination=key.address,
            movements=movements,
            digest=digest,
        )
        return self._sign(key, draft).packed

    def _delegation(self, key: SigningKey, chain: Network, nonce: int) -> SignedDelegation:
        policy = self._policy(chain)
        contract, chain_id = policy.delegate_contract(nonce), policy.chain.chain_id
        draft = SigningDraft(
            use=NonceUse(chain, key.address, SignatureKind.DELEGATION, str(nonce)),
            kind=SignatureKind.DELEGATION,
            destination=contract,
            movements=(),
            digest=delegation_digest(chain_id=chain_id, address=contract, nonce=nonce),
        )
        signature = self._sign(key, draft)
        return SignedDelegation(
            chain_id=chain_id,
            address=contract,
            nonce=nonce,
            y_parity=signature.y_parity,
            r=signature.r,
            s=signature.s,
        )

    def _message(self, key: SigningKey, chain: Network, message: bytes) -> bytes:
        signer = self._messages
        if signer is None or signer.name is not chain:
            raise SigningRefused(f"{chain} is not configured")
        draft = signer.read(key, message)
        return self._record(key.address, draft, lambda: signer.sign(key, message))

    def _policy(self, chain: Network) -> ChainPolicy:
        policy = self._policies.get(chain)
        if policy is None:
            raise SigningRefused(f"{chain} is not configured")
        return policy

    def _sign(self, key: SigningKey, draft: SigningDraft) -> Signature:
        check_key(key)
        opened = self._seeds.key(key.seed, key.path)
        if opened.address != key.address:
            raise SigningRefused(f"the path is of {opened.address}, not of {key.address}")
        return self._record(key.address, draft, lambda: _signature(opened.private, draft.digest))

    def _record(self, address: str, draft: SigningDraft, sign: Callable[[], T]) -> T:
        """Sign within rates and bounds, and append the log line."""
        now = self._clock.now()
        day = day_of(now)
        chain = draft.use.chain
        self._rates[chain].take(int(now.timestamp()), address)
        self._totals.check(day, draft.use, draft.movements, self._limits[chain].amounts)
        signature = sign()
        if self._digests.add(day, _known_as(draft.digest, address)):
            self._log.append(
                now,
                draft.use,
                kind=draft.kind,
                destination=draft.destination,
                movements=draft.movements,
                digest=draft.digest,
            )
        self._totals.add(day, draft.use, draft.movements)
        return signature


def _known_as(digest: bytes, address: str) -> bytes:
    # Digests of transactions and delegations do not contain the signer.
    return digest + address.encode()


def _signature(key: PrivateKey, digest: bytes) -> Signature:
    # The nonce of RFC 6979 makes the same request give the same signature.
    packed = key.sign_recoverable(digest, hasher=None)  # pyright: ignore[reportUnknownMemberType]
    if len(packed) != 2 * _WORD + 1:
        raise InvariantBroken(f"a signature of {len(packed)} bytes")
    return Signature(
        int.from_bytes(packed[:_WORD]), int.from_bytes(packed[_WORD : 2 * _WORD]), packed[-1]
    )
