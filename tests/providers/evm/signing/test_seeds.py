"""Seeds and paths that the signer opens, and those of others."""

from pathlib import Path
from uuid import UUID

import msgspec
import pytest

from landbridge.platform.db.sealing import Sealer
from landbridge.platform.formats.key_derivation import EVM_RELAYERS, EVM_TREASURY, EVM_USERS
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.signing.model import (
    SealedSeed,
    SigningRefused,
)
from landbridge.providers.evm.signing.signer import ChainSigner
from tests.providers.evm.signing.kit import (
    MASTER_KEY,
    ORG,
    OTHER_ORG,
    SEED,
    STRANGER,
    key_at,
    org_seed,
    payment,
    relayer_seed,
    signing,
    treasury_key,
    user_key,
)

USER = user_key()
change = msgspec.structs.replace


@pytest.mark.parametrize(
    ("path", "seed"),
    [
        ((*EVM_RELAYERS, 0), org_seed()),
        ((*EVM_USERS, 0), relayer_seed()),
        (EVM_TREASURY, relayer_seed()),
        ((*EVM_TREASURY[:-1], 1), org_seed()),
        ((*EVM_USERS[:-1], 1, 0), org_seed()),
        ((*EVM_USERS, 2**31), org_seed()),
        ((*EVM_USERS, -1), org_seed()),
        ((), org_seed()),
        ((), relayer_seed()),
        ((0,), relayer_seed()),
    ],
)
def test_other_paths_are_refused(
    signer: ChainSigner, path: tuple[int, ...], seed: SealedSeed
) -> None:
    key = change(USER, seed=seed, path=path)
    with pytest.raises(SigningRefused, match="the path is not one of this kind of seed"):
        signer.sign_transaction(key, payment(1))
    with pytest.raises(SigningRefused, match="the path is not one of this kind of seed"):
        signer.address(seed, path)


@pytest.mark.parametrize(
    "seed",
    [
        # The data key or the seed of another organisation, or its names with our data.
        change(org_seed(), sealed_data_key=org_seed(OTHER_ORG).sealed_data_key),
        change(org_seed(), sealed_seed=org_seed(OTHER_ORG).sealed_seed),
        change(org_seed(), org_id=OTHER_ORG),
        change(org_seed(), org_id=OTHER_ORG, context=f"wallet_seed:{OTHER_ORG}"),
        change(org_seed(), context="relayer_seed"),
        change(org_seed(), context="users.card:1"),
        change(org_seed(), sealed_data_key=None),
        change(org_seed(), sealed_seed=b""),
        change(org_seed(), sealed_data_key=bytes(70)),
    ],
)
def test_a_seed_of_another_organisation_does_not_open(
    signer: ChainSigner, seed: SealedSeed
) -> None:
    with pytest.raises(SigningRefused):
        signer.address(seed, (*EVM_USERS, 0))
    with pytest.raises(SigningRefused):
        signer.sign_transaction(change(USER, seed=seed), payment(1))


@pytest.mark.parametrize(
    "seed",
    [
        change(org_seed(), org_id=None),
        change(relayer_seed(), context=f"wallet_seed:{ORG}"),
        change(relayer_seed(), sealed_data_key=org_seed().sealed_data_key),
        change(relayer_seed(), sealed_seed=Sealer(bytes(32)).seal(SEED, context="relayer_seed")),
        # A data key is sealed with the master key too, but for another use.
        change(relayer_seed(), sealed_seed=org_seed().sealed_data_key),
        change(relayer_seed(), sealed_seed=Sealer(MASTER_KEY).seal(b"x", context="relayer_seed")),
    ],
)
def test_nothing_but_the_seed_of_relayers_opens_as_one(
    signer: ChainSigner, seed: SealedSeed
) -> None:
    with pytest.raises(SigningRefused):
        signer.address(seed, (*EVM_RELAYERS, 0))


def test_the_address_must_be_that_of_the_path(signer: ChainSigner) -> None:
    for address in (STRANGER, user_key(1).address, USER.address.lower()):
        with pytest.raises(SigningRefused):
            signer.sign_transaction(change(USER, address=address), payment(1))
    assert signer.address(USER.seed, USER.path) == USER.address
    treasury = treasury_key()
    assert signer.address(treasury.seed, EVM_TREASURY) == treasury.address
    assert signer.sign_transaction(treasury, payment(1))


def test_nothing_refused_is_in_the_log_or_counted(tmp_path: Path) -> None:
    with signing(tmp_path) as (signer, _):
        for key in (change(USER, address=STRANGER), key_at((*EVM_USERS, 0), org_seed(OTHER_ORG))):
            wrong = change(key, seed=change(key.seed, org_id=UUID(int=3)))
            with pytest.raises(SigningRefused):
                signer.sign_transaction(wrong, payment(1))
        assert signer.total(Network.POLYGON, "usdc") == 0
    assert not (tmp_path / "signatures.jsonl").read_bytes()
