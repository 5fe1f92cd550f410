"""Run pg_dump, pg_restore and psql, which are installed with Landbridge.

Guarantees:
- A program reads its target from the environment, never from its arguments.
- A program that fails raises `ProgramFailed` with its output.
- `load` commits only after pg_restore has read the whole dump: an interruption leaves the database
  unchanged.
"""

import asyncio
import asyncio.subprocess
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager, suppress

from landbridge.platform.core.errors import LandbridgeError
from landbridge.platform.db.embedded.runner import (
    clean_environment,
    client_directory,
    wheel_directory,
)
from landbridge.platform.db.program_target import ProgramTarget

_CHUNK_BYTES = 256 * 1024
# Bounds of the error output that is kept; usually it is a line or two.
_STDERR_BYTES_MAX = 16 * 1024
_STDERR_LINES_MAX = 5

# Options of pg_dump that leave out what an administrator added, and another database may lack.
_LEFT_OUT = (
    *("--no-owner", "--no-privileges", "--no-comments", "--no-security-labels"),
    *("--no-tablespaces", "--no-publications", "--no-subscriptions", "--no-table-access-method"),
)

# Settings at the beginning of pg_dump 18's scripts that older servers do not know, with the server
# version that introduced each.
_NEW_SETTINGS = {b"SET transaction_timeout = 0;\n": 17_00_00}
# The settings come before the script's first object, within this many lines.
_HEADER_LINES_MAX = 60


class ProgramFailed(LandbridgeError):
    """A program of PostgreSQL failed; the message contains its output."""


async def dump(target: ProgramTarget, *, snapshot: str, write: Callable[[bytes], None]) -> None:
    """Dump Landbridge's tables as of a snapshot, in pg_dump's custom format.

    Owners and privileges are left out: a restored database belongs to the role that restores it.
    """
    args = ["--format=custom", "--no-password", f"--snapshot={snapshot}", *_LEFT_OUT]
    args += ["--exclude-extension=*", "--no-toast-compression"]
    async with _running("pg_dump", args, target.environ) as process:
        async for chunk in _read(process):
            write(chunk)


async def check_dump(chunks: AsyncIterator[bytes]) -> None:
    """Read a dump to its end, every row; raises `ProgramFailed` if it is incomplete."""
    async with (
        _running("pg_restore", [f"--file={os.devnull}"], {}) as process,
        _fed(process, chunks),
    ):
        await process.wait()


async def load(target: ProgramTarget, chunks: AsyncIterator[bytes], *, server_version: int) -> None:
    """Load a dump into an empty database, in one transaction."""
    args = ["--no-psqlrc", "--no-password", "--quiet", "--set=ON_ERROR_STOP=1", "--file=-"]
    async with _running("psql", [*args, f"--output={os.devnull}"], target.environ) as psql:
        # psql may end before it has read all input: then its context manager raises its error.
        with suppress(BrokenPipeError, ConnectionResetError):
            await _write(psql, b"begin;\n")
            async with (
                _running("pg_restore", ["--file=-", *_LEFT_OUT], {}) as script,
                _fed(script, chunks),
            ):
                async for chunk in _known_settings(_read(script), server_version):
                    await _write(psql, chunk)
            await _write(psql, b"commit;\n")
            _input(psql).close()
        await psql.wait()


@asynccontextmanager
async def _running(
    program: str, args: list[str], environ: Mapping[str, str]
) -> AsyncGenerator[asyncio.subprocess.Process]:
    """Run a program during the block; raises `ProgramFailed` if it failed."""
    process = await asyncio.create_subprocess_exec(
        str(client_directory(wheel_directory()) / program),
        *args,
        env=clean_environment(environ),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    stderr_task = asyncio.create_task(_read_stderr(process))
    try:
        yield process
        code = await process.wait()
    except BaseException:
        with suppress(ProcessLookupError):
            process.kill()
        # `wait` returns only after all output was read: a full pipe pauses the program.
        async for _ in _read(process):
            pass
        await process.wait()
        raise
    finally:
        stderr = await stderr_task
    if code != 0:
        raise ProgramFailed(f"{program} failed (exit code {code}): {stderr}")


@asynccontextmanager
async def _fed(
    process: asyncio.subprocess.Process, chunks: AsyncIterator[bytes]
) -> AsyncGenerator[None]:
    """Write a program's input during the block; the program may end before it has read all."""

    async def feed() -> None:
        with suppress(BrokenPipeError, ConnectionResetError):
            async for chunk in chunks:
                await _write(process, chunk)
            _input(process).close()

    feeding = asyncio.create_task(feed())
    try:
        yield
        await feeding
    finally:
        feeding.cancel()
        await asyncio.gather(feeding, return_exceptions=True)


async def _read_stderr(process: asyncio.subprocess.Process) -> str:
    """Return the first lines that a program wrote to standard error."""
    assert process.stderr is not None
    stderr = b""
    while chunk := await process.stderr.read(_CHUNK_BYTES):
        stderr = (stderr + chunk)[:_STDERR_BYTES_MAX]
    return "\n".join(stderr.decode(errors="replace").splitlines()[:_STDERR_LINES_MAX])


async def _read(process: asyncio.subprocess.Process) -> AsyncIterator[bytes]:
    assert process.stdout is not None
    while chunk := await process.stdout.read(_CHUNK_BYTES):
        yield chunk


def _input(process: asyncio.subprocess.Process) -> asyncio.StreamWriter:
    assert process.stdin is not None
    return process.stdin


async def _write(process: asyncio.subprocess.Process, chunk: bytes) -> None:
    if _input(process).is_closing():
        raise BrokenPipeError  # the program ended; asyncio ignores a write, uvloop refuses it
    _input(process).write(chunk)
    await _input(process).drain()


async def _known_settings(
    script: AsyncIterator[bytes], server_version: int
) -> AsyncIterator[bytes]:
    """Remove the settings that a server of this version does not know from a script."""
    unknown = {line for line, since in _NEW_SETTINGS.items() if server_version < since}
    header: bytes | None = b""
    async for chunk in script:
        if header is None:
            yield chunk
        else:
            header += chunk
            if header.count(b"\n") > _HEADER_LINES_MAX:
                yield _without(header, unknown)
                header = None
    if header:
        yield _without(header, unknown)


def _without(header: bytes, lines: Collection[bytes]) -> bytes:
    *first, remaining = header.split(b"\n", _HEADER_LINES_MAX)
    return b"".join(b"%b\n" % line for line in first if b"%b\n" % line not in lines) + remaining
