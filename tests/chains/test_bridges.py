"""Bridge contracts and attestation service: two bridges on one node, as if on two chains."""

from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPConnection
from json import loads
from typing import Any
from urllib.parse import urlsplit

import pytest
from chains.artifacts import load_artifact
from chains.attestations import ATTESTERS, Attestations, Conduct, running_attestations
from chains.bridges import DOMAINS, attested_chains, connect_bridges
from chains.configuration import ChainConfiguration
from chains.deploy import deploy
from chains.rpc import Rpc, RpcError

from landbridge.providers.chains.tokens import Chain
from tests.chains.conftest import free_ports
from tests.chains.contracts import Contract, reverts

COIN = 10**6
RECIPIENT = "0x" + "12" * 20
FINALIZED = 2000
# In depth: the burn's own block is final at once.
FINAL_AT_ONCE = 1


@dataclass(frozen=True)
class TwoBridges:
    """POLYGON and BASE on one node, and the service that attests their messages."""

    rpc: Rpc
    source: ChainConfiguration
    destination: ChainConfiguration
    attestations: Attestations
    url: str

    def token(self, *, of: ChainConfiguration) -> Contract:
        return Contract(self.rpc, load_artifact("TestDollar"), of.tokens["usdc"].address)

    @property
    def messenger(self) -> Contract:
        assert self.source.bridge is not None
        artifact = load_artifact("LocalTokenMessenger")
        return Contract(self.rpc, artifact, self.source.bridge.token_messenger)

    @property
    def transmitter(self) -> Contract:
        assert self.destination.bridge is not None
        artifact = load_artifact("LocalMessageTransmitter")
        return Contract(self.rpc, artifact, self.destination.bridge.message_transmitter)

    def burn(self, owner: str, units: int = 5 * COIN, *, domain: int = 6) -> dict[str, Any]:
        """Burn coins of an account for the recipient; return the transaction's result."""
        token = self.token(of=self.source)
        token.send(owner, "approve", self.messenger.address, units)
        values = (units, domain, _word(RECIPIENT), token.address, bytes(32), 0, FINALIZED)
        return self.messenger.send(owner, "depositForBurn", *values)

    def get(self, transaction: str, *, domain: int = 7) -> tuple[int, dict[str, Any]]:
        """Return status and body of the service's answer."""
        parts = urlsplit(self.url)
        connection = HTTPConnection(parts.netloc, timeout=10)
        connection.request("GET", f"/v2/messages/{domain}?transactionHash={transaction}")
        answer = connection.getresponse()
        return answer.status, loads(answer.read())

    def attested(self, burn: dict[str, Any]) -> tuple[bytes, bytes]:
        """Return the message of a burn, and its attestation."""
        status, body = self.get(burn["transactionHash"])
        assert status == 200
        (message,) = body["messages"]
        assert message["status"] == "complete"
        return bytes.fromhex(message["message"][2:]), bytes.fromhex(message["attestation"][2:])


@pytest.fixture
def bridges(rpc: Rpc) -> Iterator[TwoBridges]:
    chains = {str(chain): deploy(rpc, chain) for chain in (Chain.POLYGON, Chain.BASE)}
    connect_bridges(chains)
    attested = attested_chains(chains)
    for chain in attested.values():
        object.__setattr__(chain, "finality", FINAL_AT_ONCE)
    attestations = Attestations(attested)
    with running_attestations(attestations, free_ports(1)) as url:
        yield TwoBridges(rpc, chains["POLYGON"], chains["BASE"], attestations, url)


def test_burned_coins_are_minted_once(bridges: TwoBridges, owner: str, relayer: str) -> None:
    before = bridges.token(of=bridges.source).read("totalSupply")
    burn = bridges.burn(owner)
    assert bridges.messenger.events(burn, "DepositForBurn") == 1
    assert bridges.token(of=bridges.source).read("totalSupply") == before - 5 * COIN
    message, attestation = bridges.attested(burn)
    minted = bridges.transmitter.send(relayer, "receiveMessage", message, attestation)
    assert bridges.transmitter.events(minted, "MessageReceived") == 1
    token = bridges.token(of=bridges.destination)
    assert token.read("balanceOf", RECIPIENT) == 5 * COIN
    assert bridges.transmitter.read("usedNonces", message[12:44]) == 1
    with pytest.raises(RpcError, match="Nonce already used"):
        bridges.transmitter.send(relayer, "receiveMessage", message, attestation)
    # The same burn has the same message again.
    assert bridges.attested(burn) == (message, attestation)


def test_messages_with_other_signatures_are_refused(
    bridges: TwoBridges, owner: str, relayer: str
) -> None:
    burn = bridges.burn(owner)
    message, attestation = bridges.attested(burn)
    for wrong in (
        attestation[65:] + attestation[:65],
        attestation[:65] * 2,
        attestation[:65],
        attestation[:-1] + bytes([attestation[-1] ^ 7]),
    ):
        with pytest.raises(RpcError):
            bridges.transmitter.send(relayer, "receiveMessage", message, wrong)
    altered = bytearray(message)
    altered[-1] ^= 1
    with pytest.raises(RpcError):
        bridges.transmitter.send(relayer, "receiveMessage", bytes(altered), attestation)
    for conduct in (Conduct.WRONG_SIGNER, Conduct.WRONG_MESSAGE):
        bridges.attestations.conduct = conduct
        assert bridges.attested(burn) != (message, attestation)
    bridges.attestations.conduct = Conduct.WRONG_SIGNER
    with pytest.raises(RpcError):
        bridges.transmitter.send(relayer, "receiveMessage", *bridges.attested(burn))


def test_message_for_another_chain_is_refused(
    bridges: TwoBridges, owner: str, relayer: str
) -> None:
    message, attestation = bridges.attested(bridges.burn(owner))
    assert bridges.source.bridge is not None
    other = bridges.transmitter.at(bridges.source.bridge.message_transmitter)
    with pytest.raises(RpcError, match="Invalid destination domain"):
        other.send(relayer, "receiveMessage", message, attestation)


def test_burn_for_an_unknown_chain_is_refused(bridges: TwoBridges, owner: str) -> None:
    with pytest.raises(RpcError, match="No TokenMessenger for domain"):
        bridges.burn(owner, domain=99)


def test_only_the_messenger_mints(bridges: TwoBridges, relayer: str) -> None:
    token = bridges.token(of=bridges.destination)
    with reverts("OwnableUnauthorizedAccount"):
        token.send(relayer, "mint", relayer, 1)
    with reverts("OwnableUnauthorizedAccount"):
        token.send(relayer, "burn", 1)


def test_burn_is_pending_until_its_block_is_final(bridges: TwoBridges, owner: str) -> None:
    for chain in bridges.attestations.chains.values():
        object.__setattr__(chain, "finality", 3)
    burn = bridges.burn(owner)
    status, body = bridges.get(burn["transactionHash"])
    assert (status, body["messages"][0]["status"]) == (200, "pending_confirmations")
    bridges.rpc.call("anvil_mine", "0x2")
    bridges.attested(burn)
    bridges.attestations.conduct = Conduct.SLOW
    assert bridges.get(burn["transactionHash"])[1]["messages"][0]["attestation"] == "PENDING"


def test_service_says_what_it_does_not_have(bridges: TwoBridges, owner: str) -> None:
    unknown = "0x" + "ab" * 32
    assert bridges.get(unknown)[0] == 404
    assert bridges.get("0x12")[0] == 400
    assert bridges.get(bridges.burn(owner)["transactionHash"], domain=99)[0] == 404
    bridges.attestations.conduct = Conduct.SILENT
    assert bridges.get(unknown)[0] == 503


def test_connected_bridges_are_left_as_they_are(bridges: TwoBridges) -> None:
    before = bridges.rpc.block("latest")
    connect_bridges({"POLYGON": bridges.source, "BASE": bridges.destination})
    assert bridges.rpc.block("latest") == before


def test_attesters_and_domains_are_known() -> None:
    assert sorted(ATTESTERS, key=lambda each: int(each, 16)) == list(ATTESTERS)
    assert DOMAINS == {Chain.ETHEREUM: 0, Chain.BASE: 6, Chain.POLYGON: 7}


def _word(address: str) -> bytes:
    return bytes.fromhex(address[2:]).rjust(32, b"\0")
