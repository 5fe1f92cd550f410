"""Reads of a bounded size: a connection keeps what it has read, and there are hundreds of them.

uvloop would hand over a quarter of a megabyte at once, before anybody knows who sends it.
"""

import asyncio
from typing import Final

from typing_extensions import override

READ_BYTES_MAX: Final = 32 * 1024
# One for all connections of the process: what was read is copied before anything else is read.
_buffer = memoryview(bytearray(READ_BYTES_MAX))


class SmallReads(asyncio.BufferedProtocol):
    """Hands each read to a protocol of the usual kind."""

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
