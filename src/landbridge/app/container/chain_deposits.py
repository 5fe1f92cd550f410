"""Wires the deposits on real chains."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from landbridge.customers.chain_deposits.matching import TransferMatcher
from landbridge.customers.chain_deposits.service import ChainDeposits
from landbridge.customers.chain_deposits.steps import ChainDepositSteps
from landbridge.customers.deposit_screening.service import DepositScreenings
from landbridge.customers.users.system_freeze import SystemFreeze
from landbridge.customers.wallets.service import Wallets
from landbridge.ledger.service import Ledger
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.encryption.service import Vault
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.bridging.mint_owners import other_messengers
from landbridge.providers.evm.configuration import EvmChain
from landbridge.providers.evm.following.reader import ChainReader
from landbridge.providers.evm.rpc import ChainClient

if TYPE_CHECKING:
    from landbridge.app.container.solana_services import SolanaServices


def build_chain_deposits(
    database: Database,
    ledger: Ledger,
    wallets: Wallets,
    vault: Vault,
    clock: Clock,
    *,
    screenings: DepositScreenings,
    chains: Mapping[Network, EvmChain],
    clients: Mapping[Network, ChainClient],
    start_blocks: Mapping[Network, int] | None = None,
    solana: "SolanaServices | None" = None,
) -> ChainDepositSteps:
    """Wire the steps that follow these chains; chains without user wallets are left out.

    A new chain is followed from its confirmed head on, or from its entry in `start_blocks`.
    """
    freeze = SystemFreeze(database, wallets, vault).freeze
    deposits = ChainDeposits(database, ledger, clock, freeze_user=freeze, screenings=screenings)
    matcher = TransferMatcher(database, wallets)
    return ChainDepositSteps(
        database,
        deposits,
        matcher,
        clock,
        [
            (
                name.chain,
                ChainReader(chain, clients[name], messengers=other_messengers(chains, name)),
            )
            for name, chain in chains.items()
            if name.chain is not None
        ],
        start_blocks=start_blocks or {},
        others=None
        if solana is None
        else solana.deposit_steps(database, deposits, matcher, wallets, clock),
    )
