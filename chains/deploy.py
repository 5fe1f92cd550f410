"""Deployment of tokens and contracts on a local chain, by the node's first unlocked account.

That account, the deployer, owns every token and mints without limit. A chain that already has the
contracts of its configuration is left as it is.
"""

from msgspec import structs

from chains.artifacts import encode_call, encode_values, load_artifact
from chains.bridges import BRIDGEABLE, deploy_bridge
from chains.configuration import ChainConfiguration, Eip712Domain, TokenConfiguration
from chains.nodes import ATTESTATION_URL, CHAIN_IDS
from chains.rpc import Rpc
from landbridge.platform.formats.evm_addresses import checked_evm_address
from landbridge.providers.chains.tokens import Chain, Token, tokens_on

CONFIRMATIONS = 3
FINALITY = "finalized"
SPONSORS = ("eip3009", "eip7702", "top-up")

_NATIVE_CURRENCIES = {Chain.POLYGON: "POL"}

# In whole coins, for the deployer and for each account that is funded.
SUPPLY = 1_000_000_000
FUNDING = 1_000_000
_NATIVE_FUNDING = 1_000 * 10**18

# Tokens with USDT's habits; the others are dollars with permit and EIP-3009.
_TETHERS = {"usdt"}
# OpenZeppelin's contracts have this version in their EIP-712 domain.
_DOMAIN_VERSION = "1"


def token_contract(currency: str) -> str:
    """Return the name of the contract that a currency has on a local chain."""
    return "TestTether" if currency in _TETHERS else "TestDollar"


def deploy(rpc: Rpc, chain: Chain, *, attestation_url: str = ATTESTATION_URL) -> ChainConfiguration:
    """Deploy everything, mint for the deployer, and return the chain's configuration.

    The bridges of several chains are then connected by `connect_bridges`.

    Raises:
        RpcError: The node refused a transaction.
    """
    deployer = rpc.accounts()[0]
    tokens = tokens_on(chain)
    deployments = [
        rpc.send(deployer, load_artifact(name).bytecode + arguments)
        for name, arguments in [
            ("Disperse", ""),
            ("Delegate", ""),
            *((token_contract(each.asset.currency), _arguments(each)) for each in tokens),
        ]
    ]
    rpc.mine()
    batch, delegate, *addresses = [
        checked_evm_address(rpc.await_receipt(each)["contractAddress"]) for each in deployments
    ]
    configured = {
        token.asset.currency: _token(token, address)
        for token, address in zip(tokens, addresses, strict=True)
    }
    bridge = deploy_bridge(rpc, chain, attestation_url)
    checkpoint = _mint(rpc, configured, deployer, SUPPLY)
    block = rpc.block(checkpoint)
    assert block is not None
    return ChainConfiguration(
        chain_id=CHAIN_IDS[chain],
        rpc_urls=[rpc.url],
        checkpoint_block=checkpoint,
        checkpoint_hash=str(block["hash"]),
        confirmations=CONFIRMATIONS,
        finality=FINALITY,
        explorer=_explorer(rpc),
        sponsor=list(SPONSORS),
        batch_contract=batch,
        delegate_contract=delegate,
        native_currency=_NATIVE_CURRENCIES.get(chain, "ETH"),
        faucet=checked_evm_address(deployer),
        bridge=bridge,
        tokens=configured,
    )


def is_deployed(rpc: Rpc, chain: Chain, configuration: ChainConfiguration) -> bool:
    """Whether the node has the configuration's checkpoint and our contracts as now compiled."""
    expected = {each.asset.currency for each in tokens_on(chain)}
    bridge = configuration.bridge
    if configuration.tokens.keys() != expected or bridge is None:
        return False
    block = rpc.block(configuration.checkpoint_block)
    if block is None or block["hash"] != configuration.checkpoint_hash:
        return False
    contracts = {
        configuration.batch_contract: "Disperse",
        configuration.delegate_contract: "Delegate",
        bridge.token_messenger: "LocalTokenMessenger",
        bridge.message_transmitter: "LocalMessageTransmitter",
    } | {
        token.address: token_contract(currency) for currency, token in configuration.tokens.items()
    }
    return all(
        load_artifact(name).is_code_of(rpc.code(address)) for address, name in contracts.items()
    )


def move_configuration(
    rpc: Rpc, configuration: ChainConfiguration, *, attestation_url: str
) -> ChainConfiguration:
    """Return the configuration of the same chain at the addresses that its services have now."""
    bridge = configuration.bridge
    return structs.replace(
        configuration,
        rpc_urls=[rpc.url],
        explorer=_explorer(rpc),
        bridge=bridge and structs.replace(bridge, attestation_url=attestation_url),
    )


def fund(rpc: Rpc, configuration: ChainConfiguration, account: str) -> None:
    """Give an account native coins for gas, and mint every token for it.

    Raises:
        RpcError: The node refused.
    """
    balance = int(rpc.call("eth_getBalance", account, "latest"), 16)
    if balance < _NATIVE_FUNDING:
        rpc.call("anvil_setBalance", account, hex(_NATIVE_FUNDING))
    _mint(rpc, configuration.tokens, account, FUNDING)


def _explorer(rpc: Rpc) -> str:
    return f"{rpc.url}/tx/{{hash}}"


def _arguments(token: Token) -> str:
    return encode_values(token.name, token.symbol)


def _token(token: Token, address: str) -> TokenConfiguration:
    has_eip3009 = token_contract(token.asset.currency) == "TestDollar"
    return TokenConfiguration(
        address=address,
        decimals=token.asset.decimals,
        eip3009=Eip712Domain(token.name, _DOMAIN_VERSION) if has_eip3009 else None,
        bridgeable=token.asset.currency in BRIDGEABLE,
    )


def _mint(rpc: Rpc, tokens: dict[str, TokenConfiguration], account: str, coins: int) -> int:
    """Mint every token for an account; return the number of the last block with a mint."""
    deployer = rpc.accounts()[0]
    mints = [
        rpc.send(
            deployer,
            encode_call("mint(address,uint256)", account, coins * 10**token.decimals),
            to=token.address,
        )
        for token in tokens.values()
    ]
    rpc.mine()
    return max(int(rpc.await_receipt(each)["blockNumber"], 16) for each in mints)
