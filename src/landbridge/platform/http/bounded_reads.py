"""Reads of bounded size, because hundreds of connections each keep what they have read.

Otherwise uvloop would deliver a quarter of a megabyte at once, before the client is authenticated.
"""

import asyncio
from typing import Final

from typing_extensions import override

READ_BYTES_MAX: Final = 32 * 1024
# Buffer for all connections of the process: its content is copied before the next read.
_buffer = memoryview(bytearray(READ_BYTES_MAX))


class BoundedReads(asyncio.BufferedProtocol):
    """Passes each read on to an ordinary protocol."""

    def __init__(self, protocol: asyncio.Protocol) -> None:
        self._protocol = protocol
        self.pause_writing = protocol.pause_writing
        self.resume_writing = protocol.resume_writing
        self.connection_made = protocol.connection_made
        self.connection_lost = protocol.connection_lost
        self.eof_received = protocol.eof_received

    @override
    def get_buffer(self, sizehint: int) -> memoryview:
        return _buffer

    @override
    def buffer_updated(self, nbytes: int) -> None:
        self._protocol.data_received(bytes(_buffer[:nbytes]))
