"""Local chains: start the nodes, deploy, write the configuration, and run until interrupted.

`start` (the default) runs one node per EVM chain of the platform, and the attestation service of
their bridges on the port after those of the nodes. `fund` works on nodes that
another process started. Accounts given with either get native coins and a million of each token.
"""

import argparse
import os
import re
import signal
import sys
import time
from pathlib import Path
from types import FrameType

from chains.attestations import Attestations, running_attestations
from chains.bridges import attested_chains, connect_bridges
from chains.configuration import (
    DEFAULT_PATH,
    ChainConfiguration,
    ConfigurationError,
    read_configuration,
    write_configuration,
)
from chains.deploy import deploy, fund, is_deployed, move_configuration
from chains.markets import deploy_market, has_market
from chains.nodes import (
    ATTESTATION_PORT_OFFSET,
    FIRST_PORT,
    HOST,
    Node,
    NodeError,
    check_port,
    plan_nodes,
    run_nodes,
    watch,
)
from chains.packages import CACHE, ROOT, MissingRequirement, fetch_anvil
from chains.rpc import Rpc, RpcError
from landbridge.providers.chains.tokens import Chain

STATE = ROOT / ".landbridge" / "chains"

# Swaps are between tokens of one of these chains.
_WITH_MARKETS = {Chain.POLYGON, Chain.ETHEREUM}
_LAST_PORT = 65_535
# Ctrl-C, a supervisor, and a terminal that is closed.
_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main() -> int:
    """Run one command; return its exit code."""
    given = _parse_arguments()
    for number in _STOP_SIGNALS:
        signal.signal(number, _interrupt)
    try:
        if given.command == "fund":
            _fund_running(given)
        else:
            _run(given)
    except KeyboardInterrupt:
        return 0
    except (MissingRequirement, NodeError, ConfigurationError, RpcError, TimeoutError) as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m chains", description=__doc__)
    parser.add_argument("command", nargs="?", choices=["start", "fund"], default="start")
    parser.add_argument(
        "accounts", nargs="*", type=_address, help="addresses to fund on every chain"
    )
    parser.add_argument("--port", type=_port, default=FIRST_PORT, help="of the first of the nodes")
    parser.add_argument("--out", type=Path, default=DEFAULT_PATH, help="configuration file")
    parser.add_argument("--state", type=Path, default=STATE, help="folder of the chains' state")
    parser.add_argument("--fresh", action="store_true", help="begin new chains; drop the state")
    parser.add_argument("--block-time", type=_seconds, default=1, help="seconds between two blocks")
    parser.add_argument("--cache", type=Path, default=CACHE, help="folder of the node's binary")
    given = parser.parse_args()
    if given.command == "fund" and not given.accounts:
        parser.error("fund needs an address")
    return given


def _address(text: str) -> str:
    if not re.fullmatch(r"0x[0-9a-fA-F]{40}", text):
        raise argparse.ArgumentTypeError(f"{text} is not an address")
    return text


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= _LAST_PORT - ATTESTATION_PORT_OFFSET:
        raise argparse.ArgumentTypeError(f"{text} is not a port with free ones after it")
    return int(text)


def _seconds(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds")
    return int(text)


def _run(given: argparse.Namespace) -> None:
    earlier = read_configuration(given.out)
    binary = fetch_anvil(given.cache)
    planned = plan_nodes(
        first_port=given.port, block_time_s=given.block_time, folder=given.state.resolve()
    )
    if given.fresh:
        for options in planned:
            if options.state is not None:
                options.state.unlink(missing_ok=True)
    attestation_port = given.port + ATTESTATION_PORT_OFFSET
    check_port(attestation_port)
    with run_nodes(binary, planned, logs=given.state.resolve()) as nodes:
        url = f"http://{HOST}:{attestation_port}"
        chains = {
            str(node.options.chain): _prepare(node, earlier, url, given.cache) for node in nodes
        }
        connect_bridges(chains)
        with running_attestations(Attestations(attested_chains(chains)), attestation_port):
            write_configuration(given.out, chains)
            for chain in chains.values():
                _fund(chain, given.accounts)
            print(f"Configuration: {_relative(given.out)}. Press Ctrl-C to stop.", flush=True)
            watch(nodes)


def _prepare(
    node: Node, earlier: dict[str, ChainConfiguration], attestation_url: str, cache: Path
) -> ChainConfiguration:
    """Return the configuration of a node; deploy if it lacks the contracts.

    A market is added where its packages can be had.
    """
    chain, rpc = node.options.chain, node.rpc
    began_s = time.monotonic()
    configuration = earlier.get(chain)
    if configuration is not None and is_deployed(rpc, chain, configuration):
        configuration = move_configuration(rpc, configuration, attestation_url=attestation_url)
        outcome = "contracts are there"
    else:
        configuration = deploy(rpc, chain, attestation_url=attestation_url)
        outcome = f"deployed in {1_000 * (time.monotonic() - began_s):.0f} ms"
    if chain in _WITH_MARKETS and not has_market(rpc, configuration):
        try:
            configuration = deploy_market(rpc, configuration, cache=cache)
        except MissingRequirement as missing:
            print(f"{chain} has no market: {missing}", file=sys.stderr, flush=True)
    tokens = ", ".join(configuration.tokens)
    print(
        f"{chain:<9} chain id {configuration.chain_id:<5} {rpc.url}  {outcome}: {tokens}",
        flush=True,
    )
    return configuration


def _fund_running(given: argparse.Namespace) -> None:
    chains = read_configuration(given.out)
    if not chains:
        raise ConfigurationError(f"{given.out} is missing: run `make chains` first.")
    for name, chain in chains.items():
        try:
            _fund(chain, given.accounts)
        except OSError as failure:
            raise NodeError(f"The node of {name} does not answer: run `make chains`.") from failure


def _fund(chain: ChainConfiguration, accounts: list[str]) -> None:
    for account in accounts:
        fund(Rpc(chain.rpc_urls[0]), chain, account)
        print(f"Funded {account} on chain {chain.chain_id}.", flush=True)


def _relative(path: Path) -> str:
    return os.path.relpath(path)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    # A second signal must not interrupt the stop of the nodes, which write their state.
    for number in _STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
