"""Services of EVM chains: only where a chains file is configured."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from landbridge.app.settings import Settings, SettingsInvalid
from landbridge.customers.wallets.signing_keys import SigningKeys
from landbridge.ledger.service import Ledger
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.model import Mode
from landbridge.providers.chains.tokens import TOKENS, Network, Tokens
from landbridge.providers.evm.bridging.connected_bridges import ConnectedBridges
from landbridge.providers.evm.configuration import ChainsFileError, EvmChain, read_chains_file
from landbridge.providers.evm.faucet import Faucet
from landbridge.providers.evm.gas.service import GasCosts
from landbridge.providers.evm.outbox.chain_context import ChainContext
from landbridge.providers.evm.outbox.local_funds import LocalFunds
from landbridge.providers.evm.outbox.order_closing import OrderClosing
from landbridge.providers.evm.outbox.screening import DestinationScreening
from landbridge.providers.evm.outbox.service import ChainOutbox
from landbridge.providers.evm.rpc import ChainClient
from landbridge.providers.evm.signing.client import SignerClient


@dataclass(frozen=True, slots=True, kw_only=True)
class EvmServices:
    """Configured chains, by name: clients, outboxes, and faucets of local chains.

    `gas_costs` books the gas of all of them; `bridges` connect them.
    """

    chains: Mapping[Network, EvmChain]
    clients: Mapping[Network, ChainClient]
    signer: SignerClient
    outboxes: Mapping[Network, ChainOutbox]
    faucets: Mapping[Network, Faucet]
    local_funds: Mapping[Network, LocalFunds]
    gas_costs: GasCosts
    bridges: ConnectedBridges

    @property
    def order_closing(self) -> OrderClosing:
        """Closes orders on the decision of people."""
        return OrderClosing({name.value: each for name, each in self.outboxes.items()})

    async def close(self) -> None:
        """Close all connections to nodes, attestation services and signer."""
        for client in self.clients.values():
            await client.close()
        await self.bridges.close()
        await self.signer.close()


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


def wallet_tokens(chains: Mapping[Network, EvmChain]) -> Tokens:
    """Return the tokens that wallets hold; those of these chains with the contracts of the file."""
    return dict(TOKENS) | {
        (name.chain, currency): replace(TOKENS[name.chain, currency], address=token.address)
        for name, chain in chains.items()
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
) -> EvmServices:
    """Wire the services of these chains. Nothing is connected before it is used."""
    owner, bridges = new_id(), ConnectedBridges(chains, clock)
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
    )
