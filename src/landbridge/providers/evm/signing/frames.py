"""Frames on the signer's socket: four bytes of length, then MessagePack of bounded size.

A request is `[id, request]`, an answer `[id, status, body]`. Numbers of MessagePack have at most 64
bits, so larger ones are an extension type with their big-endian bytes.
"""

import asyncio
from enum import IntEnum
from typing import Any, TypeVar, cast

import msgspec

from landbridge.providers.evm.signing.model import SigningRequest, SigningResult

T = TypeVar("T")

# Maximum size of a frame. A transaction has at most 128 KB of data; calls may have more in total.
FRAME_BYTES_MAX = 512 * 1024
_HEADER_BYTES = 4
_LARGE_NUMBER = 1
_LARGE_NUMBER_BYTES_MAX = 32
_SMALL_MIN, _SMALL_MAX = -(2**63), 2**64 - 1


class FrameInvalid(ValueError):
    """A frame is too large or malformed; its connection can't be used any more."""


class AnswerStatus(IntEnum):
    """Status of an answer; the body of the last two is a sentence."""

    SIGNED = 0
    REFUSED = 1
    UNAVAILABLE = 2


class SignerAnswer(msgspec.Struct, frozen=True, array_like=True):
    """Answer to the request with this id."""

    id: int
    status: AnswerStatus
    body: Any


def encode_request(number: int, request: SigningRequest) -> bytes:
    """Encode a request as a frame; raises `FrameInvalid` if it is too large."""
    return _frame([number, _plain(request)])


def encode_answer(number: int, status: AnswerStatus, body: SigningResult) -> bytes:
    """Encode an answer as a frame."""
    return _frame([number, int(status), _plain(body)])


def decode_request(payload: bytes) -> tuple[int, SigningRequest]:
    """Decode a request to its id and content; raises `FrameInvalid`."""
    return _converted(payload, tuple[int, SigningRequest])


def decode_answer(payload: bytes) -> SignerAnswer:
    """Decode an answer, except its body (see `read_body`); raises `FrameInvalid`."""
    return _converted(payload, SignerAnswer)


def read_body(answer: SignerAnswer, kind: type[T]) -> T:
    """Decode the body of an answer as `kind`; raises `FrameInvalid`."""
    try:
        return msgspec.convert(answer.body, kind)
    except msgspec.ValidationError as error:
        raise FrameInvalid("an answer of another kind than requested") from error


async def read_frame(reader: asyncio.StreamReader) -> bytes | None:
    """Return the payload of the next frame; None at the end of the connection.

    Raises `FrameInvalid` for a frame that is too large, without reading it.
    """
    try:
        length = int.from_bytes(await reader.readexactly(_HEADER_BYTES))
        if length > FRAME_BYTES_MAX:
            raise FrameInvalid(f"a frame of {length} bytes")
        return await reader.readexactly(length)
    except (asyncio.IncompleteReadError, OSError):
        return None


def _frame(value: Any) -> bytes:
    payload = msgspec.msgpack.encode(value)
    if len(payload) > FRAME_BYTES_MAX:
        raise FrameInvalid(f"a frame of {len(payload)} bytes, and at most {FRAME_BYTES_MAX}")
    return len(payload).to_bytes(_HEADER_BYTES) + payload


def _plain(value: object) -> object:
    return _narrow(msgspec.to_builtins(value, builtin_types=(bytes,)))


def _narrow(value: object) -> object:
    """Return a value of builtins with numbers above 64 bits as extension types."""
    if isinstance(value, dict):
        members = cast("dict[str, object]", value)
        return {name: _narrow(each) for name, each in members.items()}
    if isinstance(value, list | tuple):
        return [_narrow(each) for each in cast("list[object]", value)]
    if isinstance(value, int) and not _SMALL_MIN <= value <= _SMALL_MAX:
        size = (abs(value).bit_length() + 7) // 8
        if value < 0 or size > _LARGE_NUMBER_BYTES_MAX:
            raise FrameInvalid("a number of more than 256 bits, or a negative one")
        return msgspec.msgpack.Ext(_LARGE_NUMBER, value.to_bytes(size))
    return value


def _number(code: int, data: memoryview) -> int:
    if code != _LARGE_NUMBER or len(data) > _LARGE_NUMBER_BYTES_MAX:
        raise FrameInvalid("an extension type that is not known")
    return int.from_bytes(data)


_decoder = msgspec.msgpack.Decoder(ext_hook=_number)


def _converted(payload: bytes, kind: type[T]) -> T:
    try:
        return msgspec.convert(_decoder.decode(payload), kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FrameInvalid("a frame that is not a message of the signer") from error
