"""Bridge contracts of a chain, as configured in the chains file."""

import msgspec

from landbridge.providers.evm.configuration_table import ConfigurationTable
from landbridge.providers.evm.node_url import NodeUrl, NodeUrlError

_DOMAIN_MAX = 2**32 - 1
# Versions of messages and of their bodies that this code can read: those of contracts built on CCTP
# V2. The check at start compares them with the configured contracts.
MESSAGE_VERSIONS = (1, 1)


class BridgeContracts(msgspec.Struct, frozen=True, kw_only=True):
    """Contracts with the interface of CCTP V2, and the service that attests their messages.

    `domain` is the chain's number in messages. Source: circlefin/evm-cctp-contracts, src/v2
    (TokenMessengerV2, MessageTransmitterV2).
    """

    domain: int
    token_messenger: str
    message_transmitter: str
    attestation_url: NodeUrl


def read_bridge(table: ConfigurationTable | None) -> BridgeContracts | None:
    """Return the bridge in a chain's table `bridge`; None without that table.

    Raises:
        ChainsFileError: A value is not valid.
    """
    if table is None:
        return None
    url = table.text("attestation_url")
    try:
        attestation_url = NodeUrl.parse(url.rstrip("/"))
    except NodeUrlError as error:
        raise table.error("attestation_url", str(error)) from None
    if "?" in url:
        raise table.error("attestation_url", "must not have a query (?)")
    bridge = BridgeContracts(
        domain=table.whole("domain", least=0, most=_DOMAIN_MAX),
        token_messenger=table.address("token_messenger"),
        message_transmitter=table.address("message_transmitter"),
        attestation_url=attestation_url,
    )
    table.refuse_unknown()
    return bridge
