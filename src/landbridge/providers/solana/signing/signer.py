"""Signer of Solana: checks a message against the policy, derives the key and signs.

The policy: a message is signed if `build_message` builds it from a configured token, within the
bounds of fees and amounts. The owner's signature counts the amount transferred, the relayer's the
maximum cost. Users and treasuries sign only as owners, relayers only as payers.
"""

import hashlib

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.db.sealing import Sealer
from landbridge.platform.formats.key_derivation import (
    HARDENED,
    SOLANA_PATH,
    SOLANA_TREASURY,
    root_of,
    solana_user,
)
from landbridge.platform.formats.solana_addresses import solana_address_of
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.signer_limits import COIN, SignerLimits
from landbridge.providers.evm.signing.known_calls import Movement, SignatureKind
from landbridge.providers.evm.signing.model import KeyPath, SealedSeed, SigningKey, SigningRefused
from landbridge.providers.evm.signing.policy import RELAYER_CONTEXT
from landbridge.providers.evm.signing.seeds import SEEDS_MAX, open_seed
from landbridge.providers.evm.signing.signed_amounts import NonceUse, check_transaction_limits
from landbridge.providers.evm.signing.signer import SigningDraft
from landbridge.providers.solana.configuration import RECIPIENTS_MAX, SolanaChain
from landbridge.providers.solana.messages import MessageUnknown, TransferMessage, read_message

_SCOPE = "message"


class SolanaSigner:
    """Signs messages of Solana."""

    def __init__(self, sealer: Sealer, chain: SolanaChain) -> None:
        self._sealer = sealer
        self._chain = chain
        self._tokens = dict(chain.tokens)
        self._currencies = {token.address: name for name, token in chain.tokens.items()}
        self._keys: dict[tuple[SealedSeed, KeyPath], bytes] = {}

    @property
    def name(self) -> Network:
        """Return the name of the chain."""
        return self._chain.name

    @property
    def limits(self) -> SignerLimits:
        """Return the bounds of what is signed."""
        return self._chain.signer

    def read(self, key: SigningKey, message: bytes) -> SigningDraft:
        """Return the effect of a message; raises `SigningRefused` if this key may not sign it."""
        try:
            content = read_message(message, self._currencies, self._tokens)
        except MessageUnknown as unknown:
            raise SigningRefused(str(unknown)) from None
        self._check(content)
        is_payer = key.seed.org_id is None
        if key.address != (content.payer if is_payer else content.owner):
            raise SigningRefused("the key is not the one that signs this part of the message")
        movements = _costs(content) if is_payer else _transfers(content)
        check_transaction_limits(movements, self.limits.amounts)
        digest = hashlib.sha256(message).digest()
        return SigningDraft(
            # The signer can't know that two messages belong to one order, so both count.
            use=NonceUse(self.name, key.address, _SCOPE, f"0x{digest.hex()}"),
            kind=SignatureKind.SOLANA_FEE if is_payer else SignatureKind.SOLANA_TRANSFER,
            destination=self._tokens[content.currency].address,
            movements=movements,
            digest=digest,
        )

    def sign(self, key: SigningKey, message: bytes) -> bytes:
        """Return the signature; raises `SigningRefused` if the path has another address."""
        private = self._key(key.seed, key.path)
        address = solana_address_of(private)
        if address != key.address:
            raise SigningRefused(f"the path is of {address}, not of {key.address}")
        return Ed25519PrivateKey.from_private_bytes(private).sign(message)

    def address(self, seed: SealedSeed, path: KeyPath) -> str:
        """Return the address of the key at a path."""
        return solana_address_of(self._key(seed, tuple(path)))

    def _check(self, content: TransferMessage) -> None:
        chain = self._chain
        if content.payer == content.owner:
            raise SigningRefused("the owner would pay the fees itself")
        if not 1 <= len(content.legs) <= RECIPIENTS_MAX:
            raise SigningRefused(f"{len(content.legs)} recipients, at most {RECIPIENTS_MAX}")
        if any(leg.units <= 0 for leg in content.legs):
            raise SigningRefused("a transfer of nothing")
        if content.unit_limit > chain.compute_units_max:
            raise SigningRefused(
                f"{content.unit_limit} compute units, at most {chain.compute_units_max}"
            )
        if content.unit_price > chain.priority_fee_cap:
            raise SigningRefused(
                f"a priority fee of {content.unit_price}, above the cap of {chain.priority_fee_cap}"
            )

    def _key(self, seed: SealedSeed, path: KeyPath) -> bytes:
        known = self._keys.get((seed, path))
        if known is not None:
            return known
        _check_path(seed, path)
        try:
            root = root_of(open_seed(self._sealer, seed), curve="ed25519")
        except InvariantBroken as error:
            raise SigningRefused(f"the seed does not open: {error}") from None
        if len(self._keys) >= SEEDS_MAX:
            self._keys.clear()
        key = self._keys[seed, path] = root.get_privkey_from_path(path)
        return key


def _check_path(seed: SealedSeed, path: KeyPath) -> None:
    """Raise `SigningRefused` unless a path fits the kind of its seed."""
    index = path[len(SOLANA_PATH)] - HARDENED if len(path) == len(SOLANA_TREASURY) else -1
    is_user = 0 <= index < HARDENED and path == solana_user(index)
    is_owner = seed.org_id is not None and (is_user or path == SOLANA_TREASURY)
    is_relayer = seed.org_id is None and seed.context == RELAYER_CONTEXT and is_user
    if not is_owner and not is_relayer:
        raise SigningRefused("the path is not one of this kind of seed")


def _transfers(content: TransferMessage) -> list[Movement]:
    return [Movement(content.currency, leg.wallet, leg.units) for leg in content.legs]


def _costs(content: TransferMessage) -> list[Movement]:
    return [Movement(COIN, content.owner, content.cost_lamports_max)]
