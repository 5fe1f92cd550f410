"""Client of the signer process, on its Unix socket."""

import asyncio
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.abi import TransferAuthorization
from landbridge.providers.evm.signing.frames import (
    AnswerStatus,
    FrameInvalid,
    SignerAnswer,
    decode_answer,
    encode_request,
    read_body,
    read_frame,
)
from landbridge.providers.evm.signing.model import (
    AccountCall,
    AddressRequest,
    AuthorizationRequest,
    CallsRequest,
    DelegationRequest,
    KeyPath,
    MessageRequest,
    SealedSeed,
    SignedDelegation,
    SignedTransaction,
    SignerUnavailable,
    SigningKey,
    SigningRefused,
    SigningRequest,
    TransactionRequest,
    UnsignedTransaction,
)
from landbridge.providers.evm.signing.socket_path import SocketPathInvalid, short_path

T = TypeVar("T")

TIMEOUT_S = 15
_IN_FLIGHT_MAX = 500


class SignerConnection:
    """Connection with its requests in flight, by id. It is not used again after it has ended."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._requests: dict[int, asyncio.Future[SignerAnswer]] = {}
        self._number = 0
        self.has_ended = False
        self._reading = asyncio.create_task(self._read(reader))

    @classmethod
    async def open(cls, path: Path) -> "SignerConnection":
        """Connect; raises `SignerUnavailable`."""
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        sock.setblocking(False)  # noqa: FBT003  the name of the call says which
        try:
            with short_path(path) as short:
                await asyncio.get_running_loop().sock_connect(sock, short)
            return cls(*await asyncio.open_unix_connection(sock=sock))
        except (OSError, SocketPathInvalid) as error:
            sock.close()
            raise SignerUnavailable(f"the signer can't be reached: {error}") from error

    async def request(self, request: SigningRequest) -> SignerAnswer:
        """Return the answer to a request.

        Raises `SignerUnavailable`, and `SigningRefused` if the request is too large.
        """
        self._number += 1
        number = self._number
        try:
            frame = encode_request(number, request)
        except FrameInvalid as invalid:
            raise SigningRefused(str(invalid)) from invalid
        answer: asyncio.Future[SignerAnswer] = asyncio.get_running_loop().create_future()
        self._requests[number] = answer
        try:
            self._writer.write(frame)
            await self._writer.drain()
            return await answer
        except OSError as error:
            self.has_ended = True
            raise SignerUnavailable(f"the signer can't be reached: {error}") from error
        finally:
            self._requests.pop(number, None)
            # The connection ended while the request was written: retrieve the error, so that it is
            # not logged.
            if answer.done() and not answer.cancelled():
                answer.exception()

    async def close(self) -> None:
        """Close the connection; requests in flight raise `SignerUnavailable`."""
        self._reading.cancel()
        await asyncio.wait([self._reading])
        # A task that is cancelled before its first step has not closed the writer.
        self._writer.close()

    async def _read(self, reader: asyncio.StreamReader) -> None:
        try:
            while (payload := await read_frame(reader)) is not None:
                answer = decode_answer(payload)
                waiting = self._requests.get(answer.id)
                # None means that the caller has stopped waiting.
                if waiting is not None and not waiting.done():
                    waiting.set_result(answer)
        except (FrameInvalid, OSError):
            pass  # the connection ends, as below
        finally:
            self.has_ended = True
            self._writer.close()
            for each in self._requests.values():
                if not each.done():
                    each.set_exception(SignerUnavailable("the signer has closed the connection"))


class SignerClient:
    """Signs for connected chains through the signer's socket, and reconnects when necessary.

    Every method raises `SigningRefused` (final) or `SignerUnavailable` (request the same again: it
    is signed and counted once). The same request gets the same answer. For one event loop.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: SignerConnection | None = None
        self._connecting = asyncio.Lock()
        self._slots = asyncio.Semaphore(_IN_FLIGHT_MAX)

    async def sign_transaction(
        self, key: SigningKey, transaction: UnsignedTransaction
    ) -> SignedTransaction:
        """Sign a transaction."""
        request = TransactionRequest(key=key, transaction=transaction)
        return await self._request(request, SignedTransaction)

    async def sign_token_authorization(
        self, key: SigningKey, chain: Network, token: str, authorization: TransferAuthorization
    ) -> bytes:
        """Sign an EIP-3009 transfer of the token at an address: 65 bytes r, s, v (27 or 28)."""
        request = AuthorizationRequest(
            key=key, chain=chain, token=token, authorization=authorization
        )
        return await self._request(request, bytes)

    async def sign_account_calls(
        self,
        key: SigningKey,
        chain: Network,
        calls: Sequence[AccountCall],
        *,
        nonce: bytes,
        deadline_s: int,
    ) -> bytes:
        """Sign calls for `Delegate.execute`: 65 bytes r, s, v.

        The deadline is in seconds since 1970. `nonce` has 32 bytes; each account uses it once.
        """
        request = CallsRequest(
            key=key, chain=chain, calls=tuple(calls), nonce=nonce, deadline_s=deadline_s
        )
        return await self._request(request, bytes)

    async def sign_delegation(
        self, key: SigningKey, chain: Network, *, nonce: int
    ) -> SignedDelegation:
        """Sign the account's delegation to the chain's `delegate_contract`; `nonce` is the next."""
        request = DelegationRequest(key=key, chain=chain, nonce=nonce)
        return await self._request(request, SignedDelegation)

    async def sign_message(self, key: SigningKey, chain: Network, message: bytes) -> bytes:
        """Sign the message of a Solana transaction; return 64 bytes."""
        return await self._request(MessageRequest(key=key, chain=chain, message=message), bytes)

    async def address(self, seed: SealedSeed, path: KeyPath) -> str:
        """Return the address at a path, on Solana or (with EIP-55 capital letters) an EVM chain."""
        return await self._request(AddressRequest(seed=seed, path=path), str)

    async def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            await self._connection.close()

    async def _request(self, request: SigningRequest, kind: type[T]) -> T:
        try:
            async with asyncio.timeout(TIMEOUT_S), self._slots:
                connection = await self._connected()
                answer = await connection.request(request)
            if answer.status is AnswerStatus.SIGNED:
                return read_body(answer, kind)
            sentence = read_body(answer, str)
        except FrameInvalid as invalid:
            raise SignerUnavailable(str(invalid)) from invalid
        except TimeoutError:
            raise SignerUnavailable(f"the signer has not answered in {TIMEOUT_S} s") from None
        if answer.status is AnswerStatus.REFUSED:
            raise SigningRefused(sentence)
        raise SignerUnavailable(sentence)

    async def _connected(self) -> SignerConnection:
        async with self._connecting:
            if self._connection is None or self._connection.has_ended:
                self._connection = await SignerConnection.open(self._path)
            return self._connection
