"""Generation of signing keys, away from the threads that other work of a process takes.

Guarantees: one key at a time is generated in a process, and the organisations that wait for one
take turns. So an organisation that creates endpoints or rotates keys without pause takes a part of
one core, and delays nothing else.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

from landbridge.developers.webhooks.keys import KeyPair, new_pair
from landbridge.platform.http.fair_semaphore import FairSemaphore

_AT_ONCE = 1
_threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="webhook-keys")


class KeyGeneration:
    """Generates signing keys for all organisations."""

    def __init__(self) -> None:
        self._turns = FairSemaphore(_AT_ONCE, each=_AT_ONCE)

    async def new_pair(self, org_id: UUID) -> KeyPair:
        """Generate a key for an organisation, when it is its turn."""
        await self._turns.acquire(org_id)
        try:
            return await asyncio.get_running_loop().run_in_executor(_threads, new_pair)
        finally:
            self._turns.release(org_id)
