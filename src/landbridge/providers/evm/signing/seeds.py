"""Seeds of wallets and relayers: opened with the master key; the derived parent keys are cached."""

from collections import OrderedDict

import msgspec
from coincurve import PrivateKey

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.db.sealing import Sealer
from landbridge.platform.encryption.service import open_data_key
from landbridge.platform.formats.key_derivation import (
    EVM_RELAYERS,
    EVM_TREASURY,
    EVM_USERS,
    EvmKeys,
    KeyNode,
    evm_address_of,
    root_of,
)
from landbridge.providers.evm.signing.model import KeyPath, SealedSeed, SigningRefused
from landbridge.providers.evm.signing.policy import RELAYER_CONTEXT, check_path

# Opening a seed takes 2 ms and keeping it 1 KB; deriving a key takes up to 0.1 ms.
SEEDS_MAX = 500
_KEYS_MAX = 5_000


class OpenKey(msgspec.Struct, frozen=True):
    """Private key with its address. The repr does not show the key."""

    private: PrivateKey
    address: str

    def __repr__(self) -> str:
        return f"<OpenKey of {self.address}>"


class Seeds:
    """Derives keys from sealed seeds."""

    def __init__(self, sealer: Sealer) -> None:
        self._sealer = sealer
        self._parents: OrderedDict[SealedSeed, dict[KeyPath, EvmKeys]] = OrderedDict()
        self._keys: OrderedDict[tuple[SealedSeed, KeyPath], OpenKey] = OrderedDict()

    def key(self, seed: SealedSeed, path: KeyPath) -> OpenKey:
        """Return the key at a path.

        Raises:
            SigningRefused: The seed does not open here, or has no such path.
        """
        known = self._keys.get((seed, path))
        if known is not None:
            self._keys.move_to_end((seed, path))
            return known
        check_path(seed.context, path, has_org=seed.org_id is not None)
        private = self._parents_of(seed)[path[:-1]].private_key(path[-1])
        key = OpenKey(PrivateKey(private), evm_address_of(private))
        self._keys[seed, path] = key
        if len(self._keys) > _KEYS_MAX:
            self._keys.popitem(last=False)
        return key

    def _parents_of(self, seed: SealedSeed) -> dict[KeyPath, EvmKeys]:
        known = self._parents.get(seed)
        if known is not None:
            self._parents.move_to_end(seed)
            return known
        root = self._root(seed)
        prefixes: list[KeyPath] = (
            [EVM_RELAYERS] if seed.org_id is None else [EVM_USERS, EVM_TREASURY[:-1]]
        )
        parents = {each: EvmKeys.below(root, each) for each in prefixes}
        self._parents[seed] = parents
        if len(self._parents) > SEEDS_MAX:
            self._parents.popitem(last=False)
        return parents

    def _root(self, seed: SealedSeed) -> KeyNode:
        try:
            return root_of(open_seed(self._sealer, seed), curve="secp256k1")
        except InvariantBroken as error:
            raise SigningRefused(f"the seed does not open: {error}") from None


def open_seed(sealer: Sealer, seed: SealedSeed) -> bytes:
    """Return the bytes of a seed.

    The contexts are those of sealing (customers/wallets, platform/encryption), so that neither the
    seed nor the data key of another organisation opens.
    """
    if seed.org_id is None:
        if seed.context != RELAYER_CONTEXT or seed.sealed_data_key is not None:
            raise SigningRefused("a seed without an organisation must be that of relayers")
        return sealer.open(seed.sealed_seed, context=seed.context)
    if seed.context != f"wallet_seed:{seed.org_id}" or seed.sealed_data_key is None:
        raise SigningRefused("the seed is not that of its organisation's wallets")
    data_key = open_data_key(sealer, seed.sealed_data_key, org_id=seed.org_id, owner_id=seed.org_id)
    return data_key.open_bytes(seed.sealed_seed, context=seed.context)
