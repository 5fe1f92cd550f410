"""Servers named by the address of a database, one or several (`postgresql://u@a,b/db`).

Guarantees:
- Each server has its own time to accept a connection, so a server without power does not use up the
  time of the next one. (asyncpg has one timeout for all.)
- A server that failed is tried last for a while, so that new connections do not wait for it.
- `target_session_attrs` of the address is respected; without it, only a server that accepts writes
  is suitable if there are several.
- Connections to a server that no longer answers are ended once another server accepts writes.
  Otherwise they would wait for an answer, because a server that lost its power closes no
  connection.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final, cast
from weakref import WeakKeyDictionary

import asyncpg
from asyncpg import connect_utils

from landbridge.platform.core.background_task import running
from landbridge.platform.db.retry import LOST_CONNECTION

Address = str | tuple[str, int]

# Seconds to connect to each server, if the DSN names several.
SERVER_TIMEOUT_S: Final = 3.0
# Seconds to connect when the DSN names a single server.
_TIMEOUT_S: Final = 10.0
# Seconds for which a server that failed is tried last.
_AVOIDED_S: Final = 30.0

_WATCH_EVERY_S: Final = 2.0
_RECONNECT_S: Final = 0.5
_IS_READ_ONLY: Final = """
select pg_is_in_recovery() or current_setting('transaction_read_only')::bool
"""

# Parameters of asyncpg that the DSN replaces.
_DSN_PARAMETERS = (
    *("host", "port", "user", "password", "passfile", "database", "ssl", "service", "servicefile"),
    *("direct_tls", "server_settings", "target_session_attrs", "krbsrvname", "gsslib"),
)


def parse_dsn(dsn: str) -> tuple[Sequence[Address], Any]:
    """Parse the addresses and parameters of a DSN and of the standard PG* variables.

    An address is the path of a socket, or a host and a port. Raises whatever asyncpg raises for an
    invalid DSN, with a message that quotes it.
    """
    # asyncpg has no public function for this, and a parser of our own might differ from it.
    read: Any = connect_utils._parse_connect_dsn_and_args  # noqa: SLF001  # pyright: ignore[reportPrivateUsage, reportUnknownMemberType, reportUnknownVariableType]
    addresses, params = read(dsn=dsn, **dict.fromkeys(_DSN_PARAMETERS))
    return cast("Sequence[Address]", addresses), params


class Servers:
    """Servers of one DSN, with the ones that failed lately."""

    def __init__(self, dsn: str, *, server_timeout_s: float | None = None) -> None:
        """Raise `ValueError` for a DSN that can't be read."""
        self._dsn = dsn
        self._server_timeout_s = server_timeout_s or SERVER_TIMEOUT_S
        self._single_timeout_s = server_timeout_s or _TIMEOUT_S
        self._addresses, params = parse_dsn(dsn)
        # asyncpg chooses among several standbys.
        prefers = params.target_session_attrs is connect_utils.SessionAttribute.prefer_standby
        self._is_single = len(self._addresses) == 1 or prefers
        attributes = connect_utils.SessionAttribute
        is_any = params.target_session_attrs in {None, attributes.any}
        self._wanted = attributes.read_write if is_any else params.target_session_attrs
        self._failed_at: dict[Address, float] = {}
        self._connections: WeakKeyDictionary[Any, Address] = WeakKeyDictionary()

    async def connect(self, *_: object, **options: Any) -> Any:
        """Connect to the first suitable server, passing `options` to `asyncpg.connect`.

        Raises the error of the last server.
        """
        connect = cast("Any", asyncpg).connect
        if self._is_single:
            return await connect(self._dsn, timeout=self._single_timeout_s, **options)
        error: Exception | None = None
        for address in self._in_order():
            host, port = _host_and_port(address)
            try:
                connection = await connect(
                    self._dsn,
                    host=host,
                    port=port,
                    timeout=self._server_timeout_s,
                    target_session_attrs=self._wanted.value,
                    **options,
                )
            except LOST_CONNECTION as failed:
                self._avoid(address)
                error = failed
            else:
                self._failed_at.pop(address, None)
                self._connections[connection] = address
                return connection
        assert error is not None
        raise error

    async def suitable_addresses(self) -> Sequence[Address]:
        """Return the address that `connect` chooses now; all of them if there is no choice."""
        if self._is_single:
            return self._addresses
        connection = await self.connect()
        address = self._connections[connection]
        await connection.close()
        return [address]

    @asynccontextmanager
    async def watched(self) -> AsyncGenerator[None]:
        """If the DSN names several servers, watch the one in use on a connection of its own."""
        if self._is_single:
            yield
            return
        async with running(self._watch()):
            yield

    async def _watch(self) -> None:
        while True:
            with suppress(*LOST_CONNECTION, asyncpg.PostgresError, asyncpg.InterfaceError):
                await self._watch_one()
            await asyncio.sleep(_RECONNECT_S)

    async def _watch_one(self) -> None:
        """Query one server for as long as it accepts writes; end connections to the others."""
        connection = await self.connect()
        address = self._connections[connection]
        try:
            while not await connection.fetchval(_IS_READ_ONLY, timeout=self._server_timeout_s):
                self._end_others(address)
                await asyncio.sleep(_WATCH_EVERY_S)
        except LOST_CONNECTION:
            self._avoid(address)
            raise
        finally:
            connection.terminate()

    def _end_others(self, address: Address) -> None:
        for connection, its_address in list(self._connections.items()):
            if its_address != address:
                connection.terminate()

    def _avoid(self, address: Address) -> None:
        self._failed_at[address] = asyncio.get_running_loop().time()

    def _in_order(self) -> list[Address]:
        """Return all servers in the order of the address, but the ones that failed lately last."""
        since = asyncio.get_running_loop().time() - _AVOIDED_S
        return sorted(self._addresses, key=lambda each: self._failed_at.get(each, since) > since)


def _host_and_port(address: Address) -> tuple[str, int]:
    if isinstance(address, str):
        # /DIRECTORY/.s.PGSQL.PORT
        return str(Path(address).parent), int(address.rpartition(".")[2])
    return address
