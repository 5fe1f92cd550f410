"""Server of the signer: answers requests on a Unix socket.

Guarantees:
- A signature is answered only after its log line is durable. One sync serves all signatures made
  during the previous sync.
- Many requests are in flight on a connection; memory is bounded by the size of a frame, the number
  of connections and the number of waiting answers.
- A malformed frame ends its own connection only.
- If the log fails, the server ends without answering.
"""

import asyncio
import socket
from contextlib import suppress

import structlog

from landbridge.platform.core.errors import LandbridgeError
from landbridge.providers.evm.signing.frames import (
    AnswerStatus,
    FrameInvalid,
    decode_request,
    encode_answer,
    read_frame,
)
from landbridge.providers.evm.signing.model import SignerUnavailable, SigningRefused, SigningRequest
from landbridge.providers.evm.signing.signature_log import LogFailed, SignatureLog
from landbridge.providers.evm.signing.signer import ChainSigner

_log = structlog.stdlib.get_logger()

_CONNECTIONS_MAX = 100
# Maximum answers that wait for a sync; further requests are not read until then.
_WAITING_MAX = 2_000


class SignerServer:
    """Answers requests to a signer, until it is stopped or its log fails."""

    def __init__(self, signer: ChainSigner, log: SignatureLog) -> None:
        self._signer = signer
        self._signature_log = log
        self._waiting: list[tuple[asyncio.StreamWriter, bytes]] = []
        self._has_waiting = asyncio.Event()
        self._has_space = asyncio.Event()
        self._has_space.set()
        self._connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._failure: asyncio.Future[None] | None = None
        self._is_ending = False

    async def run(self, sock: socket.socket, stop: asyncio.Event) -> None:
        """Serve on a listening socket until `stop`; raises `LogFailed`."""
        self._failure = asyncio.get_running_loop().create_future()
        syncing = asyncio.create_task(self._sync_forever())
        stopping = asyncio.create_task(stop.wait())
        server = await asyncio.start_unix_server(self._accept, sock=sock)
        try:
            ends = {syncing, stopping, self._failure}
            done, _ = await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            for each in done:
                each.result()
        finally:
            server.close()
            stopping.cancel()
            self._failure.cancel()
            await self._finish(syncing)

    async def _finish(self, syncing: "asyncio.Task[None]") -> None:
        """Stop reading requests, and answer what was signed unless the log has failed."""
        self._is_ending = True
        connections = dict(self._connections)
        for task in connections:
            task.cancel()
        self._has_waiting.set()
        done, _ = await asyncio.wait([syncing, *connections])
        # `run` raises one of several failures. The others are retrieved, so that they are not
        # logged when their tasks are collected.
        for task in done:
            if not task.cancelled():
                task.exception()
        for writer in connections.values():
            writer.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is None or self._is_ending or len(self._connections) >= _CONNECTIONS_MAX:
            writer.close()
            return
        self._connections[task] = writer
        try:
            await self._serve(reader, writer)
        except FrameInvalid as invalid:
            _log.warning("signer.frame_invalid", reason=str(invalid))
        except LogFailed as failed:
            if self._failure is not None and not self._failure.done():
                self._failure.set_exception(failed)
        except OSError:
            pass  # the client has disconnected
        except asyncio.CancelledError:
            # `_finish` cancels this task; asyncio's streams would log that as an error.
            if not self._is_ending:
                raise
        finally:
            del self._connections[task]
            # During shutdown, signatures are still answered.
            if not self._is_ending:
                writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while (payload := await read_frame(reader)) is not None:
            number, request = decode_request(payload)
            status, frame = self._answer(number, request)
            if status is AnswerStatus.SIGNED:
                self._waiting.append((writer, frame))
                self._has_waiting.set()
                if len(self._waiting) >= _WAITING_MAX:
                    self._has_space.clear()
            else:
                writer.write(frame)
            # Let other tasks run, and stop reading from a client that does not read its answers.
            await asyncio.sleep(0)
            await writer.drain()
            await self._has_space.wait()

    def _answer(self, number: int, request: SigningRequest) -> tuple[AnswerStatus, bytes]:
        status = AnswerStatus.SIGNED
        try:
            body = self._signer.answer(request)
        except SigningRefused as refused:
            status, body = AnswerStatus.REFUSED, str(refused)
            # The sentence contains addresses and amounts, which are never logged; only the client
            # gets it.
            _log.warning("signer.refused", kind=type(request).__name__)
        except SignerUnavailable as unavailable:
            status, body = AnswerStatus.UNAVAILABLE, str(unavailable)
        except LogFailed:
            raise
        except (LandbridgeError, ValueError, ArithmeticError, LookupError):
            # A bug must not end the process for all other requests.
            _log.exception("signer.failed", kind=type(request).__name__)
            status, body = AnswerStatus.UNAVAILABLE, "the signer has failed; see its log"
        return status, encode_answer(number, status, body)

    async def _sync_forever(self) -> None:
        while not self._is_ending or self._waiting:
            await self._has_waiting.wait()
            self._has_waiting.clear()
            answers, self._waiting = self._waiting, []
            self._has_space.set()
            await asyncio.to_thread(self._signature_log.sync)
            for writer, frame in answers:
                with suppress(OSError):
                    if not writer.is_closing():
                        writer.write(frame)
