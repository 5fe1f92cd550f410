"""Signer of the soak: `python -m tests.providers.evm.outbox.soak_signer FILE SOCKET FOLDER`.

It signs for the chain in FILE until it is killed; its log is in FOLDER.
"""

import asyncio
import sys
from pathlib import Path

import msgspec

from tests.chain_world import running_signer
from tests.tenants import SETTINGS


async def main(chains_file: str, signer_socket: str, folder: str) -> None:
    """Sign for ever."""
    settings = msgspec.structs.replace(
        SETTINGS, chains_file=chains_file, signer_socket=signer_socket
    )
    async with running_signer(settings, Path(folder)):
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:4]))
