"""Chains, seeds, keys and signers for the tests of signing."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import msgspec

from landbridge.platform.core.clock import Clock, FrozenClock
from landbridge.platform.db.sealing import Sealer
from landbridge.platform.encryption.model import DataKey
from landbridge.platform.formats.key_derivation import (
    EVM_RELAYERS,
    EVM_TREASURY,
    EVM_USERS,
    EvmKeys,
    evm_address_of,
    root_of,
)
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.abi import TransferAuthorization, encode_transfer
from landbridge.providers.evm.configuration import EvmChain, parse_chains
from landbridge.providers.evm.signer_limits import AmountLimits, SignerLimits
from landbridge.providers.evm.signing.model import (
    KeyPath,
    SealedSeed,
    SigningKey,
    UnsignedTransaction,
)
from landbridge.providers.evm.signing.signature_log import SignatureLog, day_of
from landbridge.providers.evm.signing.signer import ChainSigner

MASTER_KEY = bytes(range(32))
USDC = "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359"
USDT = "0xc2132D05D31c914a87C6611C10748AEb04B58e8F"
BATCHES = "0x" + "1" * 40
DELEGATE = "0x" + "2" * 40
STRANGER = "0x" + "5" * 40
RECIPIENT = "0x" + "4" * 40
CAP_WEI = 500 * 10**9
NOON = datetime(2026, 11, 25, 12, tzinfo=UTC)
ORG = UUID(int=1)
OTHER_ORG = UUID(int=2)
SEED = bytes(range(64))

CHAINS_FILE = f"""
[chains.POLYGON]
chain_id = 137
rpc_urls = ["http://127.0.0.1:8545"]
checkpoint_block = 0
checkpoint_hash = "0x{"a" * 64}"
confirmations = 1
finality = "finalized"
explorer = "https://polygonscan.com/tx/{{hash}}"
sponsor = ["eip3009", "eip7702"]
batch_contract = "{BATCHES}"
delegate_contract = "{DELEGATE}"
max_fee_gwei_cap = "500"

[chains.POLYGON.tokens.usdc]
address = "{USDC}"
decimals = 6
eip3009 = {{name = "USD Coin", version = "2"}}

[chains.POLYGON.tokens.usdt]
address = "{USDT}"
decimals = 6

[chains.POLYGON.signer]
rate_per_key = 10000
rate = 10000
"""


def chain_with(
    amounts: Mapping[str, AmountLimits] | None = None,
    *,
    rate_per_key: int = 10_000,
    rate: int = 10_000,
) -> EvmChain:
    """Return the chain of the file with other bounds."""
    chain = parse_chains(CHAINS_FILE)[Network.POLYGON]
    limits = SignerLimits(rate_per_key=rate_per_key, rate=rate, amounts=amounts or {})
    return msgspec.structs.replace(chain, signer=limits)


def org_seed(org_id: UUID = ORG, *, seed: bytes = SEED) -> SealedSeed:
    """Return an organisation's seed, sealed as it is stored."""
    data_key = bytes([org_id.int % 256]) * 32
    context = f"wallet_seed:{org_id}"
    return SealedSeed(
        context=context,
        sealed_seed=DataKey(data_key).seal_bytes(seed, context=context),
        org_id=org_id,
        sealed_data_key=Sealer(MASTER_KEY).seal(data_key, context=f"data_key:{org_id}:{org_id}"),
    )


def relayer_seed() -> SealedSeed:
    """Return the installation's seed of relayers, sealed as it is stored."""
    sealed = Sealer(MASTER_KEY).seal(SEED, context="relayer_seed")
    return SealedSeed(context="relayer_seed", sealed_seed=sealed)


def private_key(path: KeyPath) -> bytes:
    """Return the key at a path below `SEED`."""
    return EvmKeys.below(root_of(SEED, curve="secp256k1"), path[:-1]).private_key(path[-1])


def key_at(path: KeyPath, seed: SealedSeed) -> SigningKey:
    """Return the key of a request, with its right address."""
    return SigningKey(seed=seed, path=path, address=evm_address_of(private_key(path)))


def user_key(index: int = 0) -> SigningKey:
    """Return a user's key."""
    return key_at((*EVM_USERS, index), org_seed())


def treasury_key() -> SigningKey:
    """Return the key of the organisation's own address."""
    return key_at(EVM_TREASURY, org_seed())


def relayer_key(index: int = 0) -> SigningKey:
    """Return a relayer's key."""
    return key_at((*EVM_RELAYERS, index), relayer_seed())


def transaction(
    data: bytes = b"",
    *,
    destination: str = USDC,
    nonce: int = 0,
    value_wei: int = 0,
) -> UnsignedTransaction:
    """Return a transaction that the policy accepts, if its call is known."""
    return UnsignedTransaction(
        chain=Network.POLYGON,
        chain_id=137,
        nonce=nonce,
        max_fee_wei=100 * 10**9,
        tip_wei=30 * 10**9,
        gas=100_000,
        destination=destination,
        value_wei=value_wei,
        data=data,
    )


def payment(units: int, *, nonce: int = 0, destination: str = RECIPIENT) -> UnsignedTransaction:
    """Return a transfer of USDC."""
    data = encode_transfer(destination=destination, amount_units=units)
    return transaction(data, nonce=nonce)


def authorization(source: str, units: int = 5, *, nonce: int = 1) -> TransferAuthorization:
    """Return an EIP-3009 authorization."""
    return TransferAuthorization(
        source=source,
        destination=RECIPIENT,
        amount_units=units,
        valid_after_s=0,
        valid_before_s=2_000_000_000,
        nonce=nonce.to_bytes(32),
    )


@contextmanager
def signing(
    folder: Path, chain: EvmChain | None = None, *, clock: Clock | None = None
) -> Generator[tuple[ChainSigner, SignatureLog]]:
    """Yield a signer on the log in a folder."""
    clock = clock or FrozenClock(NOON)
    log = SignatureLog.open(folder / "signatures.jsonl", since=day_of(clock.now()))
    try:
        chains = {Network.POLYGON: chain or chain_with()}
        yield ChainSigner(Sealer(MASTER_KEY), chains, log, clock), log
    finally:
        log.close()
