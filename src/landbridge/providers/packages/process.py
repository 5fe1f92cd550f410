"""Starts the process of a package, and restarts it after it has ended.

Guarantees:
- the package inherits neither our environment nor our open files;
- a call without a running process certainly has no effect;
- a package that does not start, or ends again and again, is started at most once a minute.
"""

import asyncio
import os
import sys
from collections.abc import Collection
from contextlib import suppress

import msgspec
import structlog

from landbridge.providers.packages.discovery import ProviderPackageFailed
from landbridge.providers.packages.host import PackageStart, PackageStarted
from landbridge.providers.sidecar.configuration import PackageReference, SidecarSettings
from landbridge.providers.sidecar.model import NothingDone

_log = structlog.stdlib.get_logger()

# Variables with which a Python program finds its files, certificates and proxies; none of ours.
_VARIABLES = frozenset(
    {
        *("PATH", "HOME", "TMPDIR", "TZ", "LANG", "LC_ALL", "LC_CTYPE"),
        *("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "VIRTUAL_ENV"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE"),
        *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
    }
)
_START_TIMEOUT_S = 60
_STOP_TIMEOUT_S = 5
_DELAY_S, _DELAY_MAX_S = 1, 60
# Seconds after which a process that ends is restarted at once.
_CALM_S = 60


class PackageProcess:
    """Process of one package, used for calls of the current process."""

    def __init__(self, settings: SidecarSettings, package: PackageReference) -> None:
        self._settings = settings
        self._package = package
        self._process: asyncio.subprocess.Process | None = None
        self._started = PackageStarted()
        self._began_at_s = self._due_at_s = 0.0
        self._delay_s = _DELAY_S
        self._is_closed = False
        self._lock = asyncio.Lock()

    async def url(self) -> str:
        """Return the URL of the running process; starts it if there is none.

        Raises `NothingDone` if it is not running, or takes longer to start than a call may take.
        """
        starting = asyncio.ensure_future(self.start())
        # The start goes on without its callers; its error was logged, and is retrieved here.
        starting.add_done_callback(lambda task: task.cancelled() or task.exception())
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                return await asyncio.shield(starting)
        except ProviderPackageFailed as failed:
            raise NothingDone(str(failed), is_unsent=True) from failed
        except TimeoutError:
            sentence = f"provider {self._settings.name}: its package has not started yet"
            raise NothingDone(sentence, is_unsent=True) from None

    @property
    def serves(self) -> Collection[str]:
        """Return the names of the package's verbs, which are known once it has started."""
        return self._started.serves

    async def start(self) -> str:
        """Start the process unless it is running; return its URL.

        Raises:
            ProviderPackageFailed: It does not start, or has just ended.
        """
        async with self._lock:
            if self._process is None or self._process.returncode is not None:
                await self._restart()
            return f"http://127.0.0.1:{self._started.port}"

    async def close(self) -> None:
        """End the process, and do not start it again."""
        async with self._lock:
            self._is_closed = True
            process, self._process = self._process, None
            if process is not None:
                await _end(process)

    async def _restart(self) -> None:
        if self._is_closed:
            raise ProviderPackageFailed(f"provider {self._settings.name}: its package is closed")
        now_s = asyncio.get_running_loop().time()
        name, ended = self._settings.name, self._process
        if ended is not None:
            self._process = None
            _log.error("provider.package_died", provider=name, exit=ended.returncode)
            is_calm = now_s - self._began_at_s > _CALM_S
            self._delay_s = _DELAY_S if is_calm else min(self._delay_s * 2, _DELAY_MAX_S)
            self._due_at_s = now_s if is_calm else self._began_at_s + self._delay_s
        if now_s < self._due_at_s:
            raise ProviderPackageFailed(f"provider {name}: its package has ended")
        self._began_at_s = now_s
        try:
            self._process = await self._spawn()
        except ProviderPackageFailed as failed:
            self._delay_s = min(self._delay_s * 2, _DELAY_MAX_S)
            self._due_at_s = asyncio.get_running_loop().time() + self._delay_s
            _log.error("provider.package_failed", provider=name, reason=str(failed))
            raise

    async def _spawn(self) -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "landbridge.providers.packages.host"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={name: value for name, value in os.environ.items() if name in _VARIABLES},
            start_new_session=True,
        )
        try:
            self._started = await self._handshake(process)
        except BaseException:
            await _end(process)
            raise
        if self._started.never_run_live:
            _log.warning("provider.never_run_live", provider=self._settings.name)
        return process

    async def _handshake(self, process: asyncio.subprocess.Process) -> PackageStarted:
        name, key = self._settings.name, self._settings.keys[0]
        start = PackageStart(
            provider=name,
            package=self._package.name,
            options=self._package.options,
            secrets=self._package.secrets,
            key_id=key.id,
            key=key.secret.decode(),
            timeout_s=self._settings.timeout_s,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(OSError):
            process.stdin.write(msgspec.json.encode(start) + b"\n")
            await process.stdin.drain()
        try:
            async with asyncio.timeout(_START_TIMEOUT_S):
                line = await process.stdout.readline()
        except TimeoutError:
            raise ProviderPackageFailed(
                f"provider {name}: its package did not start within {_START_TIMEOUT_S} s"
            ) from None
        try:
            started = msgspec.json.decode(line, type=PackageStarted)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            raise ProviderPackageFailed(
                f"provider {name}: its package ended while it started"
            ) from None
        if started.error is not None:
            raise ProviderPackageFailed(started.error)
        return started


async def _end(process: asyncio.subprocess.Process) -> None:
    """Close a process's standard input, wait for its end, and kill it if it does not end."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        async with asyncio.timeout(_STOP_TIMEOUT_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
