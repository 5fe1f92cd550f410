"""Worker process of the soak: `python -m tests.providers.evm.outbox.soak_worker DSN FILE SOCKET`.

It runs the outbox of the chain in FILE and follows its deposits until it is killed.
"""

import asyncio
import sys
from contextlib import suppress

import msgspec

from landbridge.app.container import wire
from landbridge.app.settings import Settings
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import LandbridgeError
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from tests.chain_world import NETWORK
from tests.tenants import SETTINGS

_PAUSE_S = 0.05


async def main(dsn: str, chains_file: str, signer_socket: str) -> None:
    """Run the outbox for ever."""
    settings: Settings = msgspec.structs.replace(
        SETTINGS, chains_file=chains_file, signer_socket=signer_socket
    )
    database = await Database.connect(dsn, name="soak", size_max=4)
    container = wire(settings, database, Clock(await take_node(database)))
    assert container.evm is not None
    assert container.chain_deposit_steps is not None
    outbox, steps = container.evm.outboxes[NETWORK], container.chain_deposit_steps
    while True:
        with suppress(LandbridgeError):
            await outbox.run_once()
            await steps.run_once(await container.orgs.clock_offsets())
        await asyncio.sleep(_PAUSE_S)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:4]))
