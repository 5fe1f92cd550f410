"""EIP-712 digests: transfers by authorization (EIP-3009), and calls for the delegate contract."""

from collections.abc import Sequence
from functools import lru_cache

from landbridge.platform.formats.evm_addresses import keccak256
from landbridge.providers.evm.abi import TransferAuthorization, encode_values
from landbridge.providers.evm.signing.model import AccountCall
from landbridge.providers.evm.token_configuration import Eip3009Domain

# Domain of chains/contracts/Delegate.sol; the account itself is the verifying contract.
DELEGATE_DOMAIN = Eip3009Domain("Landbridge Delegate", "1")

_PREFIX = b"\x19\x01"
_DOMAIN_TYPE = keccak256(
    b"EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
)
_AUTHORIZATION_TYPE = keccak256(
    b"TransferWithAuthorization(address from,address to,uint256 value,"
    b"uint256 validAfter,uint256 validBefore,bytes32 nonce)"
)
_CALL_TYPE = keccak256(b"Call(address target,uint256 value,bytes data)")
_EXECUTE_TYPE = keccak256(
    b"Execute(Call[] calls,bytes32 nonce,uint256 deadline)"
    b"Call(address target,uint256 value,bytes data)"
)
# Cached domain hashes: those of tokens and of recent accounts.
_DOMAINS_MAX = 1_000


def authorization_digest(
    domain: Eip3009Domain, *, chain_id: int, token: str, authorization: TransferAuthorization
) -> bytes:
    """Return the 32 bytes that the owner of tokens signs; `token` is the contract's address."""
    struct = encode_values(
        ("bytes32", "address", "address", "uint256", "uint256", "uint256", "bytes32"),
        (
            _AUTHORIZATION_TYPE,
            authorization.source,
            authorization.destination,
            authorization.amount_units,
            authorization.valid_after_s,
            authorization.valid_before_s,
            authorization.nonce,
        ),
    )
    return _digest(domain, chain_id, token, struct)


def calls_digest(
    calls: Sequence[AccountCall], *, chain_id: int, account: str, nonce: bytes, deadline_s: int
) -> bytes:
    """Return the 32 bytes that an account signs for `Delegate.execute`."""
    hashes = b"".join([_call_hash(each) for each in calls])
    struct = encode_values(
        ("bytes32", "bytes32", "bytes32", "uint256"),
        (_EXECUTE_TYPE, keccak256(hashes), nonce, deadline_s),
    )
    return _digest(DELEGATE_DOMAIN, chain_id, account, struct)


def _call_hash(call: AccountCall) -> bytes:
    values = (_CALL_TYPE, call.destination, call.value_wei, keccak256(call.data))
    return keccak256(encode_values(("bytes32", "address", "uint256", "bytes32"), values))


def _digest(domain: Eip3009Domain, chain_id: int, contract: str, struct: bytes) -> bytes:
    return keccak256(_PREFIX + _domain_hash(domain, chain_id, contract) + keccak256(struct))


@lru_cache(_DOMAINS_MAX)
def _domain_hash(domain: Eip3009Domain, chain_id: int, contract: str) -> bytes:
    values = (
        _DOMAIN_TYPE,
        keccak256(domain.name.encode()),
        keccak256(domain.version.encode()),
        chain_id,
        contract,
    )
    return keccak256(encode_values(("bytes32", "bytes32", "bytes32", "uint256", "address"), values))
