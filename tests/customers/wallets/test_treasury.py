"""The organisation's own address, which belongs to no user."""

import base58
from hypothesis import given, settings

from landbridge.customers.wallets.keys import WalletKeys
from landbridge.platform.formats.evm_addresses import checked_evm_address
from landbridge.platform.formats.solana_addresses import checked_solana_address
from tests.customers.wallets.test_keys import INDEXES, JUNK, SEEDS, master


def test_the_treasury_is_where_any_wallet_finds_it() -> None:
    # A second Ethereum account (m/44'/60'/1'/0/0) and a second Solana wallet.
    derive = WalletKeys(JUNK)
    assert derive.evm_treasury_address() == "0x8C8d35429F74ec245F8Ef2f4Fd1e551cFF97d650"
    public = master(JUNK.hex(), "ed25519").get_pubkey_from_path("m/44'/501'/0'/1'")
    assert derive.solana_treasury_address() == base58.b58encode(public[1:]).decode()


@settings(max_examples=25)
@given(seed=SEEDS, index=INDEXES)
def test_no_user_has_the_treasurys_address(seed: bytes, index: int) -> None:
    derive = WalletKeys(seed)
    evm, solana = derive.evm_treasury_address(), derive.solana_treasury_address()
    assert evm == checked_evm_address(evm) != derive.evm_address(index)
    assert solana == checked_solana_address(solana) != derive.solana_address(index)
