"""Server and client over a real socket, in one process."""

import asyncio
import socket
import stat
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.configuration import EvmChain
from landbridge.providers.evm.signer_limits import AmountLimits
from landbridge.providers.evm.signing.client import SignerClient
from landbridge.providers.evm.signing.frames import (
    FRAME_BYTES_MAX,
    FrameInvalid,
    decode_request,
    encode_request,
)
from landbridge.providers.evm.signing.known_calls import SignatureKind
from landbridge.providers.evm.signing.model import (
    AccountCall,
    AddressRequest,
    SignerUnavailable,
    SigningRefused,
    TransactionRequest,
)
from landbridge.providers.evm.signing.server import SignerServer
from landbridge.providers.evm.signing.signature_log import LogFailed, check_log, read_log
from landbridge.providers.evm.signing.signer import ChainSigner
from landbridge.providers.evm.signing.socket_path import (
    SocketPathInvalid,
    listen,
    short_path,
)
from tests.providers.evm.signing.kit import (
    STRANGER,
    USDC,
    authorization,
    chain_with,
    payment,
    signing,
    transaction,
    user_key,
)

USER = user_key()
HUGE = msgspec.structs.replace(payment(1), value_wei=2**256 - 1)


@asynccontextmanager
async def serving(
    folder: Path, chain: EvmChain | None = None
) -> AsyncGenerator[tuple[SignerClient, ChainSigner]]:
    """Serve in a folder; yield a client, and the signer behind the socket."""
    path = folder / "signer.sock"
    with signing(folder, chain) as (signer, log):
        stop = asyncio.Event()
        server = asyncio.create_task(SignerServer(signer, log).run(listen(path), stop))
        client = SignerClient(path)
        try:
            yield client, signer
        finally:
            await client.close()
            stop.set()
            await server


async def test_each_request_is_answered_as_by_the_signer(tmp_path: Path) -> None:
    async with serving(tmp_path) as (client, signer):
        assert await client.address(USER.seed, USER.path) == USER.address
        delegation = await client.sign_delegation(USER, Network.POLYGON, nonce=3)
        assert delegation == signer.sign_delegation(USER, Network.POLYGON, nonce=3)
        request = msgspec.structs.replace(payment(5), delegations=(delegation,))
        signed = await client.sign_transaction(USER, request)
        assert signed == signer.sign_transaction(USER, request)
        transfer = authorization(USER.address, 2**255)
        signature = await client.sign_token_authorization(USER, Network.POLYGON, USDC, transfer)
        assert signature == signer.sign_token_authorization(USER, Network.POLYGON, USDC, transfer)
        calls = [AccountCall(destination=STRANGER, value_wei=2**100, data=b"")]
        signature = await client.sign_account_calls(
            USER, Network.POLYGON, calls, nonce=bytes(32), deadline_s=2**200
        )
        assert signature == signer.sign_account_calls(
            USER, Network.POLYGON, calls, nonce=bytes(32), deadline_s=2**200
        )
    kinds = [entry.kind for entry in read_log(tmp_path / "signatures.jsonl")]
    assert kinds == [
        SignatureKind.DELEGATION,
        SignatureKind.TOKEN_TRANSFER,
        SignatureKind.AUTHORIZATION,
        SignatureKind.CALLS,
    ]


async def test_a_refusal_has_its_sentence_and_ends_nothing(tmp_path: Path) -> None:
    async with serving(tmp_path) as (client, _):
        with pytest.raises(SigningRefused, match="no known contract"):
            await client.sign_transaction(USER, transaction(b"1234", destination=STRANGER))
        with pytest.raises(SigningRefused, match="the value"):
            await client.sign_transaction(USER, HUGE)
        for value in (-(2**70), 2**256):
            wrong = msgspec.structs.replace(HUGE, value_wei=value)
            with pytest.raises(SigningRefused):
                await client.sign_transaction(USER, wrong)
        with pytest.raises(SigningRefused, match="a frame of"):
            await client.sign_transaction(USER, transaction(bytes(FRAME_BYTES_MAX)))
        assert await client.sign_transaction(USER, payment(1))


async def test_a_bound_holds_exactly_under_concurrency(tmp_path: Path) -> None:
    chain = chain_with({"usdc": AmountLimits(day_max_units=100)})

    async def pay(client: SignerClient, nonce: int) -> bool:
        try:
            await client.sign_transaction(USER, payment(1, nonce=nonce))
        except SigningRefused:
            return False
        return True

    async with serving(tmp_path, chain) as (client, signer):
        second = SignerClient(tmp_path / "signer.sock")
        results = await asyncio.gather(
            *(pay(each, nonce) for nonce in range(130) for each in (client, second))
        )
        await second.close()
        assert sum(results) == 200  # each payment by both clients: the same bytes count once
        assert signer.total(Network.POLYGON, "usdc") == 100
    assert check_log(tmp_path / "signatures.jsonl").count == 100


@pytest.mark.parametrize(
    "garbage",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        (FRAME_BYTES_MAX + 1).to_bytes(4) + b"x",
        (3).to_bytes(4) + b"\xc1\xc1\xc1",
        (2).to_bytes(4) + b"\x92\x01",
        (1).to_bytes(4) + b"\xc0",
        (5000).to_bytes(4) + b"\x91" * 5000,
        (0).to_bytes(4),
        # A number of more than 256 bits.
        (43).to_bytes(4) + b"\x92\xc7\x28\x01" + bytes(39),
    ],
)
async def test_garbage_ends_its_connection_and_no_other(tmp_path: Path, garbage: bytes) -> None:
    async with serving(tmp_path) as (client, _):
        assert await client.sign_transaction(USER, payment(1))
        reader, writer = await asyncio.open_unix_connection(tmp_path / "signer.sock")
        writer.write(garbage)
        await writer.drain()
        assert not await asyncio.wait_for(reader.read(), 5)
        writer.close()
        assert await client.sign_transaction(USER, payment(1, nonce=1))


async def test_half_a_frame_is_forgotten(tmp_path: Path) -> None:
    frame = encode_request(1, TransactionRequest(key=USER, transaction=payment(1)))
    async with serving(tmp_path) as (client, signer):
        _, writer = await asyncio.open_unix_connection(tmp_path / "signer.sock")
        writer.write(frame[:-1])
        await writer.drain()
        writer.close()
        await client.sign_transaction(USER, payment(2))
        assert signer.total(Network.POLYGON, "usdc") == 2


async def test_a_client_that_does_not_read_delays_nobody(tmp_path: Path) -> None:
    request = encode_request(1, AddressRequest(seed=USER.seed, path=USER.path))
    async with serving(tmp_path) as (client, _):
        _, writer = await asyncio.open_unix_connection(tmp_path / "signer.sock")
        writer.write(request * 20_000)
        for nonce in range(20):
            await client.sign_transaction(USER, payment(1, nonce=nonce))
        writer.transport.abort()


async def test_connections_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "signer.sock"
    async with serving(tmp_path):
        streams = [await asyncio.open_unix_connection(path) for _ in range(100)]
        # Each is accepted once it is answered.
        request = encode_request(1, AddressRequest(seed=USER.seed, path=USER.path))
        for reader, writer in streams:
            writer.write(request)
            assert await reader.read(1)
        reader, writer = await asyncio.open_unix_connection(path)
        assert not await asyncio.wait_for(reader.read(), 5)
        writer.close()
        for _, each in streams:
            each.close()


async def test_a_failed_log_ends_the_server_unanswered(tmp_path: Path) -> None:
    path = tmp_path / "signer.sock"
    with signing(tmp_path) as (signer, log):
        server = asyncio.create_task(SignerServer(signer, log).run(listen(path), asyncio.Event()))
        client = SignerClient(path)
        await client.sign_transaction(USER, payment(1))
        # The descriptor of the log can't be written any more.
        reading = (tmp_path / "signatures.jsonl").open("rb")
        log._descriptor, descriptor = reading.fileno(), log._descriptor  # pyright: ignore[reportPrivateUsage]
        with pytest.raises(SignerUnavailable):
            await client.sign_transaction(USER, payment(1, nonce=1))
        with pytest.raises(LogFailed):
            await server
        log._descriptor = descriptor  # pyright: ignore[reportPrivateUsage]
        reading.close()
        await client.close()


async def test_a_client_connects_again_and_until_then_the_signer_is_unavailable(
    tmp_path: Path,
) -> None:
    client = SignerClient(tmp_path / "signer.sock")
    for nonce in range(2):
        with pytest.raises(SignerUnavailable, match="can't be reached"):
            await client.sign_transaction(USER, payment(1, nonce=nonce))
        async with serving(tmp_path):
            assert await client.sign_transaction(USER, payment(1, nonce=nonce))
    await client.close()


async def test_a_given_up_request_is_signed_again_once(tmp_path: Path) -> None:
    async with serving(tmp_path) as (client, signer):
        given_up = asyncio.create_task(client.sign_transaction(USER, payment(5)))
        await asyncio.sleep(0)
        given_up.cancel()
        await asyncio.wait([given_up])
        assert await client.sign_transaction(USER, payment(5))
        assert signer.total(Network.POLYGON, "usdc") == 5


async def test_what_is_signed_when_the_server_stops_is_answered(tmp_path: Path) -> None:
    async with serving(tmp_path) as (client, _):
        requests = [
            asyncio.create_task(client.sign_transaction(USER, payment(1, nonce=nonce)))
            for nonce in range(50)
        ]
        await asyncio.wait(requests, return_when=asyncio.FIRST_COMPLETED)
    results = await asyncio.gather(*requests, return_exceptions=True)
    answered = [each for each in results if not isinstance(each, SignerUnavailable)]
    assert answered
    assert check_log(tmp_path / "signatures.jsonl").count >= len(answered)


async def test_the_socket_is_its_owners_only_also_at_a_long_path(tmp_path: Path) -> None:
    folder = tmp_path / ("d" * 120)
    folder.mkdir()
    async with serving(folder) as (client, _):
        assert await client.sign_transaction(USER, payment(1))
        status = (folder / "signer.sock").stat()
        assert stat.S_ISSOCK(status.st_mode)
        assert stat.S_IMODE(status.st_mode) == 0o600
    async with serving(folder) as (client, _):
        assert await client.sign_transaction(USER, payment(1))


def test_a_file_in_the_place_of_the_socket_is_not_removed(tmp_path: Path) -> None:
    path = tmp_path / "signer.sock"
    path.write_text("mine")
    with pytest.raises(SocketPathInvalid, match="is not a socket"):
        listen(path)
    assert path.read_text() == "mine"
    with pytest.raises(SocketPathInvalid, match="can't be listened on"):
        listen(tmp_path / "none" / "signer.sock")
    with (
        pytest.raises(SocketPathInvalid, match="LANDBRIDGE_SIGNER_SOCKET"),
        short_path(tmp_path / ("n" * 120)),
    ):
        pass


@given(st.binary(max_size=200))
def test_any_payload_is_read_or_invalid(payload: bytes) -> None:
    with pytest.raises(FrameInvalid):
        decode_request(payload)


def test_requests_are_read_as_written() -> None:
    for value in (0, 2**63, 2**64, 2**256 - 1):
        written = TransactionRequest(
            key=USER, transaction=msgspec.structs.replace(payment(1), value_wei=value)
        )
        assert decode_request(encode_request(7, written)[4:]) == (7, written)


def test_a_socket_of_another_process_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "signer.sock"
    client = socket.socket(socket.AF_UNIX)
    with closing(listen(path)), closing(listen(path)), closing(client):
        client.connect(str(path))
