"""Services of connected chains: only where a chains file is configured."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from landbridge.app.settings import Settings, SettingsInvalid
from landbridge.customers.chain_operations.model import ChainNodes, ConnectedChain
from landbridge.customers.wallets.signing_keys import SigningKeys
from landbridge.ledger.service import Ledger
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.extras import Extra, missing
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.model import Mode
from landbridge.providers.chains.tokens import TOKENS, Network, Tokens
from landbridge.providers.evm.bridging.connected_bridges import ConnectedBridges
from landbridge.providers.evm.configuration import ChainsFileError, EvmChain, read_chains_file
from landbridge.providers.evm.faucet import Faucet
from landbridge.providers.evm.gas.service import GasCosts
from landbridge.providers.evm.outbox.chain_context import ChainContext, DestinationScreening
from landbridge.providers.evm.outbox.local_funds import LocalFunds
from landbridge.providers.evm.outbox.order_closing import OrderClosing
from landbridge.providers.evm.outbox.service import ChainOutbox
from landbridge.providers.evm.rpc import ChainClient
from landbridge.providers.evm.signing.client import SignerClient
from landbridge.providers.solana.configuration import SolanaChain, read_solana

if TYPE_CHECKING:
    from landbridge.app.container.solana_services import SolanaServices


@dataclass(frozen=True, slots=True, kw_only=True)
class EvmServices:
    """Configured chains, by name: clients, outboxes, and faucets of local chains.

    `gas_costs` books the gas of all of them; `bridges` connect them. `solana` is None where it is
    not configured.
    """

    chains: Mapping[Network, EvmChain]
    clients: Mapping[Network, ChainClient]
    signer: SignerClient
    outboxes: Mapping[Network, ChainOutbox]
    faucets: Mapping[Network, Faucet]
    local_funds: Mapping[Network, LocalFunds]
    gas_costs: GasCosts
    bridges: ConnectedBridges
    solana: "SolanaServices | None" = None

    @property
    def order_closing(self) -> OrderClosing:
        """Closes orders on the decision of people."""
        closing = OrderClosing({name.value: each for name, each in self.outboxes.items()})
        return closing if self.solana is None else self.solana.order_closing(closing)

    @property
    def connected(self) -> Mapping[Network, tuple[ConnectedChain, ChainNodes]]:
        """Configuration and nodes of each chain."""
        found: dict[Network, tuple[ConnectedChain, ChainNodes]] = {
            name: (chain, self.clients[name]) for name, chain in self.chains.items()
        }
        if self.solana is not None:
            found[self.solana.chain.name] = (self.solana.chain, self.solana.client)
        return found

    async def close(self) -> None:
        """Close all connections to nodes, attestation services and signer."""
        for client in self.clients.values():
            await client.close()
        await self.bridges.close()
        if self.solana is not None:
            await self.solana.close()
        await self.signer.close()


def read_configured(settings: Settings) -> tuple[Mapping[Network, EvmChain], SolanaChain | None]:
    """Return the chains of the configured file; none without one. Raises `SettingsInvalid`."""
    return read_chains(settings), read_solana_chain(settings)


def read_chains(settings: Settings) -> Mapping[Network, EvmChain]:
    """Return the chains of the configured file; none without one. Raises `SettingsInvalid`."""
    if settings.chains_file is None:
        return {}
    try:
        chains = read_chains_file(Path(settings.chains_file))
    except ChainsFileError as error:
        raise SettingsInvalid(str(error)) from error
    if settings.mode is Mode.PRODUCTION:
        for name, chain in chains.items():
            if chain.faucet is not None:
                raise SettingsInvalid(f"chains.{name}.faucet is only for a sandbox")
    return chains


def read_solana_chain(settings: Settings) -> SolanaChain | None:
    """Return Solana as the file configures it; None without it. Raises `SettingsInvalid`."""
    if settings.chains_file is None:
        return None
    try:
        chain = read_solana(Path(settings.chains_file))
    except ChainsFileError as error:
        raise SettingsInvalid(str(error)) from error
    if chain is not None and (reason := missing(Extra.SOLANA)):
        raise SettingsInvalid(f"chains.SOLANA {reason}")
    return chain


def wallet_tokens(chains: Mapping[Network, EvmChain], solana: SolanaChain | None) -> Tokens:
    """Return the tokens that wallets hold; those of these chains with the contracts of the file."""
    connected: dict[Network, EvmChain | SolanaChain] = dict(chains)
    if solana is not None:
        connected[solana.name] = solana
    return dict(TOKENS) | {
        (name.chain, currency): replace(TOKENS[name.chain, currency], address=token.address)
        for name, chain in connected.items()
        if name.chain is not None
        for currency, token in chain.tokens.items()
        if (name.chain, currency) in TOKENS
    }


def build_evm_services(
    chains: Mapping[Network, EvmChain],
    database: Database,
    clock: Clock,
    keys: SigningKeys,
    signer: SignerClient,
    *,
    ledger: Ledger,
    screening: DestinationScreening,
    solana: SolanaChain | None = None,
) -> EvmServices:
    """Wire the services of these chains. Nothing is connected before it is used."""
    owner, bridges = new_id(), ConnectedBridges(chains, clock)
    services = None
    if solana is not None:
        # An extra, needed only where Solana is configured.
        from landbridge.app.container.solana_services import build_solana_services  # noqa: PLC0415

        services = build_solana_services(
            solana, database, clock, keys, signer, ledger=ledger, screening=screening
        )
    contexts = {
        name: ChainContext(
            chain=chain,
            client=ChainClient.of(chain, clock),
            database=database,
            clock=clock,
            signer=signer,
            wallet_keys=keys,
            relayer_seeds=keys,
            screening=screening,
            bridges=bridges,
            notifier=ledger.notifier,
        )
        for name, chain in chains.items()
    }
    outboxes = {name: ChainOutbox(context, owner=owner) for name, context in contexts.items()}
    faucets = {
        name: Faucet(context.chain, context.client)
        for name, context in contexts.items()
        if context.chain.faucet is not None
    }
    return EvmServices(
        chains=chains,
        signer=signer,
        clients={name: context.client for name, context in contexts.items()},
        outboxes=outboxes,
        faucets=faucets,
        local_funds={
            name: LocalFunds(contexts[name], outboxes[name].relayers, faucet)
            for name, faucet in faucets.items()
        },
        gas_costs=GasCosts(database, ledger, clock),
        bridges=bridges,
        solana=services,
    )
