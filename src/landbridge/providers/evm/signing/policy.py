"""Policy of the signer: which transactions and messages it signs. Everything else is refused."""

from collections.abc import Mapping, Sequence

from coincurve import PublicKey

from landbridge.platform.formats.key_derivation import (
    EVM_RELAYERS,
    EVM_TREASURY,
    EVM_USERS,
    HARDENED,
    evm_address_of_point,
)
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.abi import TransferAuthorization
from landbridge.providers.evm.configuration import EvmChain
from landbridge.providers.evm.signing.delegate_calls import CALLS_MAX, ExecuteCall
from landbridge.providers.evm.signing.known_calls import CallReader, CallReading, Movement, checked
from landbridge.providers.evm.signing.model import (
    AccountCall,
    SignedDelegation,
    SigningKey,
    SigningRefused,
    UnsignedTransaction,
)
from landbridge.providers.evm.signing.signed_amounts import check_transaction_limits
from landbridge.providers.evm.signing.typed_data import calls_digest
from landbridge.providers.evm.token_configuration import Eip3009Domain

RELAYER_CONTEXT = "relayer_seed"
# Size of the largest transaction that nodes pass on.
_DATA_BYTES_MAX = 128 * 1024
# Gas of a block of Ethereum in 2024; a batch of a thousand transfers needs as much.
_GAS_MAX = 30_000_000
_DELEGATIONS_MAX = 10
# Largest nonce of EIP-2681, which excludes 2**64 - 1.
_NONCE_MAX = 2**64 - 2
_WEI_MAX = 2**128 - 1
_UINT256_MAX = 2**256 - 1
_NONCE_BYTES = 32
_SIGNATURE_BYTES = 65
_V_OF_PARITY = 27


def check_key(key: SigningKey) -> None:
    """Raise `SigningRefused` unless the path fits the kind of the seed; see `check_path`."""
    check_path(key.seed.context, key.path, has_org=key.seed.org_id is not None)
    if checked(key.address) != key.address:
        raise SigningRefused(f"{key.address} is not spelled with EIP-55 capitals")


def check_path(context: str, path: Sequence[int], *, has_org: bool) -> None:
    """Raise `SigningRefused` unless a path fits the kind of its seed.

    Relayers have a seed of their own without an organisation; wallets and treasuries have one with.
    """
    path = tuple(path)
    is_index = bool(path) and 0 <= path[-1] < HARDENED
    if has_org:
        is_known = path == EVM_TREASURY or (path[:-1] == EVM_USERS and is_index)
    else:
        is_known = context == RELAYER_CONTEXT and path[:-1] == EVM_RELAYERS and is_index
    if not is_known:
        raise SigningRefused("the path is not one of this kind of seed")


class ChainPolicy:
    """Policy of one chain."""

    def __init__(self, chain: EvmChain, chains: Mapping[Network, EvmChain]) -> None:
        """`chain` is the chain that signs; `chains` are all chains that bridges may reach."""
        self.chain = chain
        self._reader = CallReader(chain, chains)

    def check_transaction(self, sender: str, transaction: UnsignedTransaction) -> CallReading:
        """Return the decoded call of a transaction; raises `SigningRefused` if not allowed."""
        self._check_numbers(transaction)
        for delegation in transaction.delegations:
            self._check_delegation(delegation)
        call = AccountCall(
            destination=transaction.destination,
            value_wei=transaction.value_wei,
            data=transaction.data,
        )
        reading = self._reader.read(sender, call)
        if reading.execute is not None:
            self._check_signed(call.destination, reading.execute)
        self._check_amounts((*reading.movements, *reading.submitted))
        return reading

    def check_authorization(
        self, sender: str, token: str, authorization: TransferAuthorization
    ) -> tuple[Eip3009Domain, Movement]:
        """Return the token's domain and the authorization's movement; raises `SigningRefused`."""
        currency = self._reader.currency_of(token)
        domain = self.chain.tokens[currency].eip3009
        if domain is None:
            raise SigningRefused(f"{currency} on {self.chain.name} has no authorizations")
        if checked(authorization.source) != sender:
            raise SigningRefused("the authorization is of another account than the key's")
        _check_range("the time", authorization.valid_after_s, _UINT256_MAX)
        _check_range("the time", authorization.valid_before_s, _UINT256_MAX)
        _check_range("the amount", authorization.amount_units, _UINT256_MAX)
        _check_nonce(authorization.nonce)
        movement = Movement(
            currency, checked(authorization.destination), authorization.amount_units
        )
        self._check_amounts([movement])
        return domain, movement

    def check_calls(
        self, account: str, calls: Sequence[AccountCall], *, nonce: bytes, deadline_s: int
    ) -> tuple[Movement, ...]:
        """Return what the calls of an account move; raises `SigningRefused`."""
        if len(calls) > CALLS_MAX:
            raise SigningRefused(f"{len(calls)} calls, and at most {CALLS_MAX} are signed")
        for call in calls:
            _check_range("the value", call.value_wei, _WEI_MAX)
        _check_range("the deadline", deadline_s, _UINT256_MAX)
        _check_nonce(nonce)
        movements = self._reader.read_all(account, calls)
        self._check_amounts(movements)
        return movements

    def delegate_contract(self, nonce: int) -> str:
        """Return the only contract to which accounts may delegate; raises `SigningRefused`."""
        _check_range("the nonce", nonce, _NONCE_MAX)
        if self.chain.delegate_contract is None:
            raise SigningRefused(f"{self.chain.name} has no delegate_contract")
        return self.chain.delegate_contract

    def _check_numbers(self, transaction: UnsignedTransaction) -> None:
        if transaction.chain_id != self.chain.chain_id:
            raise SigningRefused(
                f"chain id {transaction.chain_id}, and {self.chain.name} has {self.chain.chain_id}"
            )
        _check_range("the nonce", transaction.nonce, _NONCE_MAX)
        _check_range("the gas", transaction.gas, _GAS_MAX)
        _check_range("the value", transaction.value_wei, _WEI_MAX)
        _check_range("the fee", transaction.max_fee_wei, _WEI_MAX)
        _check_range("the tip", transaction.tip_wei, transaction.max_fee_wei)
        cap = self.chain.max_fee_cap_wei
        if cap is not None and transaction.max_fee_wei > cap:
            raise SigningRefused(
                f"a fee of {transaction.max_fee_wei} wei per gas, above the cap of {cap}"
            )
        if len(transaction.data) > _DATA_BYTES_MAX:
            raise SigningRefused(f"data of {len(transaction.data)} bytes")
        if len(transaction.delegations) > _DELEGATIONS_MAX:
            raise SigningRefused(f"{len(transaction.delegations)} delegations in a transaction")

    def _check_delegation(self, delegation: SignedDelegation) -> None:
        if delegation.chain_id != self.chain.chain_id:
            raise SigningRefused("a delegation is for another chain")
        if checked(delegation.address) != self.delegate_contract(delegation.nonce):
            raise SigningRefused(f"a delegation is to {delegation.address}")
        _check_range("the parity", delegation.y_parity, 1)
        _check_range("the signature", delegation.r, _UINT256_MAX)
        _check_range("the signature", delegation.s, _UINT256_MAX)

    def _check_signed(self, account: str, execute: ExecuteCall) -> None:
        """Raise `SigningRefused` unless `account` has signed the calls."""
        digest = calls_digest(
            execute.calls,
            chain_id=self.chain.chain_id,
            account=account,
            nonce=execute.nonce,
            deadline_s=execute.deadline_s,
        )
        if _signer_of(digest, execute.signature) != checked(account):
            raise SigningRefused(f"{account} has not signed the calls")

    def _check_amounts(self, movements: Sequence[Movement]) -> None:
        check_transaction_limits(movements, self.chain.signer.amounts)


def policies_of(chains: Mapping[Network, EvmChain]) -> dict[Network, ChainPolicy]:
    """Return a policy for each chain."""
    return {name: ChainPolicy(chain, chains) for name, chain in chains.items()}


def _signer_of(digest: bytes, signature: bytes) -> str | None:
    if len(signature) != _SIGNATURE_BYTES or signature[-1] not in (27, 28):
        return None
    recoverable = signature[:-1] + bytes([signature[-1] - _V_OF_PARITY])
    try:
        public_key = PublicKey.from_signature_and_message(recoverable, digest, hasher=None)
    except ValueError:
        return None
    return evm_address_of_point(public_key.format(compressed=False))


def _check_range(name: str, value: int, most: int) -> None:
    if not 0 <= value <= most:
        raise SigningRefused(f"{name} {value} is not between 0 and {most}")


def _check_nonce(nonce: bytes) -> None:
    if len(nonce) != _NONCE_BYTES:
        raise SigningRefused(f"a nonce of {len(nonce)} bytes, and not {_NONCE_BYTES}")
