"""Hostile packages: a sentence at the start, or no answer; the caller is never held up."""

import asyncio
import fcntl
import os
import resource
import sys
import time
from pathlib import Path

import pytest
from msgspec import structs
from structlog.testing import capture_logs

from landbridge.app.container.provider_services import read_providers
from landbridge.app.settings import Settings, SettingsInvalid
from landbridge.platform.core.clock import ReadingClock
from landbridge.platform.core.errors import Unclear
from landbridge.platform.db.pool import Database
from landbridge.platform.db.sealing import Sealer, new_key
from landbridge.platform.encryption.service import Vault
from landbridge.providers.packages.client import CountedPackage
from landbridge.providers.packages.discovery import ProviderPackageFailed
from landbridge.providers.rails.none import NoRails
from landbridge.providers.rails.port import Rails
from landbridge.providers.sidecar.model import AnswerUnusable, NothingDone
from tests.matrices import part_of
from tests.providers.packages.kit import (
    install,
    install_module,
    install_template,
    package_client,
    process_of,
    put_on_path,
    write_file,
)
from tests.providers.sidecar.kit import payment
from tests.tenants import SETTINGS

PATIENCE_S = 60
MARKER = "Payee-Marker"
DESCRIBES = "class Adapter(MadeUpBank):\n  async def describe(self): "


LABELLED = """
class Adapter(MadeUpBank):
    async def describe(self):
        return SidecarDescription(name="Acme", protocol=1, never_run_live=True)
"""


async def start_error(path: Path) -> str:
    process = process_of(path)
    with pytest.raises(ProviderPackageFailed) as failed:
        await process.start()
    await process.close()
    return str(failed.value)


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("import no_such_module", "can't be imported: ModuleNotFoundError"),
        ("sys.exit(3)", "can't be imported: SystemExit at acme_bank.py"),
        ("os._exit(3)", "its package ended while it started"),
        (
            "class Adapter:\n  def __init__(self, s): raise ValueError('Payee-Marker')",
            "acme_bank:Adapter can't be created: ValueError at acme_bank.py",
        ),
        (
            "def Adapter(s): raise PackageSettingsInvalid('options must have bank')",
            "provider acme: options must have bank",
        ),
        ("def Adapter(s): return 7", "returned int, which has no verb describe"),
        (
            "class Adapter(MadeUpBank):\n  def pay(self, r): return None",
            "pay of acme_bank:Adapter is not an async function",
        ),
        (
            DESCRIBES + "return {'protocol': 1}",
            "describe of acme_bank:Adapter returned dict, not SidecarDescription",
        ),
        (
            DESCRIBES + "raise ValueError('Payee-Marker')",
            "describe of acme_bank:Adapter failed: ValueError at acme_bank.py",
        ),
        (
            DESCRIBES + "return SidecarDescription(name='x', protocol=2)",
            "is written for version 2 of the interface; this is version 1",
        ),
    ],
)
async def test_a_package_that_is_no_adapter_is_a_sentence(
    body: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_module(tmp_path, monkeypatch, body)
    found = await start_error(write_file(tmp_path))
    assert sentence in found
    assert MARKER not in found


async def test_a_package_that_is_not_installed_is_a_sentence(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_file(tmp_path)
    with pytest.raises(SettingsInvalid, match="no installed package declares; there are none"):
        read_providers(*wired(path, database))
    put_on_path(monkeypatch, install(tmp_path, {"other": "x:Y"}, name="other"))
    with pytest.raises(SettingsInvalid, match="no installed package declares; there are other"):
        read_providers(*wired(path, database))


async def test_two_packages_of_one_name_are_a_sentence(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = [install(tmp_path, {"made-up-bank": "x:Y"}, name=each) for each in ("one", "two")]
    put_on_path(monkeypatch, *places)
    with pytest.raises(SettingsInvalid, match="several installed packages declare: one, two"):
        read_providers(*wired(write_file(tmp_path), database))


async def test_a_route_to_what_a_package_does_not_serve_is_a_sentence(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = """
    class Adapter(ProviderPackage):
        def __init__(self, settings): pass
        async def describe(self): return SidecarDescription(name="x", protocol=1)
        async def pay(self, request): raise NotDone
        async def find_payout(self, query): return None
    """
    install_module(tmp_path, monkeypatch, body)
    path = write_file(tmp_path, more='[[deposits]]\nprovider = "acme"\n')
    services = read_providers(*wired(path, database))
    assert services is not None
    with pytest.raises(ProviderPackageFailed, match="does not serve open_account, read_credits"):
        await services.start()
    await services.close()


async def pay_error(client: CountedPackage) -> Exception:
    began_s = time.monotonic()
    with pytest.raises((Unclear, NothingDone)) as failed:
        await client.pay(payment())
    assert time.monotonic() - began_s < PATIENCE_S / 2
    assert MARKER not in str(failed.value)
    return failed.value


@pytest.mark.parametrize(
    "body",
    part_of(
        [
            "raise ValueError('Payee-Marker ' + str(request.payee))",
            "return None",
            "return {'state': 'settled'}",
            "return PayoutAnswer(key=0, state=0, amount=0, currency=0, provider_reference=time)",
            "return 'settled'",
        ],
        0,
        2,
    ),
)
async def test_an_exception_or_another_type_is_no_answer(
    body: str,
    database: Database,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    method = f"class Adapter(MadeUpBank):\n  async def pay(self, request):\n    {body}\n"
    install_module(tmp_path, monkeypatch, "print('{\"port\": 1}')\n" + method)
    async with package_client(write_file(tmp_path), database) as client:
        await until_answered(client)
        assert isinstance(await pay_error(client), AnswerUnusable)
        # It is asked again, and a query is answered.
        sent = payment()
        assert await client.find(sent.org_id, sent.key, sent.money, "wire") is None
    logged = capfd.readouterr().err
    assert "provider.package_error" in logged
    assert MARKER not in logged


async def test_a_call_that_hangs_is_no_answer_and_holds_up_nothing(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = """
    class Adapter(MadeUpBank):
        async def pay(self, request): await asyncio.sleep(1000)
    """
    install_module(tmp_path, monkeypatch, body)
    async with package_client(write_file(tmp_path, timeout_s=1), database) as client:
        await until_answered(client)
        paying = asyncio.ensure_future(pay_error(client))
        await client.describe()
        assert not isinstance(await paying, NothingDone)


async def test_a_call_that_blocks_is_no_answer_and_its_process_is_replaced(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = """
    class Adapter(MadeUpBank):
        async def pay(self, request): time.sleep(1000)
    """
    install_module(tmp_path, monkeypatch, body)
    async with package_client(write_file(tmp_path, timeout_s=1), database) as client:
        await until_answered(client)
        ticks = 0
        paying = asyncio.ensure_future(pay_error(client))
        while not paying.done():
            await asyncio.sleep(0.05)
            ticks += 1
        assert ticks > 5, "the caller's loop was blocked"
        assert not isinstance(paying.result(), NothingDone)
        await until_answered(client)


async def test_a_process_that_dies_is_no_answer_and_is_started_again(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = """
    class Adapter(MadeUpBank):
        async def pay(self, request): os._exit(3)
    """
    install_module(tmp_path, monkeypatch, body)
    async with package_client(write_file(tmp_path), database) as client:
        await until_answered(client)
        assert not isinstance(await pay_error(client), NothingDone)
        await until_answered(client)


async def test_a_package_that_never_starts_certainly_did_nothing(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_module(tmp_path, monkeypatch, "import no_such_module")
    async with package_client(write_file(tmp_path), database, is_started=False) as client:
        for _ in range(3):
            failed = await pay_error(client)
            assert isinstance(failed, NothingDone)
            assert failed.is_unsent


async def test_a_package_sees_nothing_of_ours(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = """
    class Adapter(MadeUpBank):
        def __init__(self, settings):
            super().__init__(settings)
            files = [os.readlink(f"/proc/self/fd/{n}") for n in os.listdir("/proc/self/fd")
                     if os.path.exists(f"/proc/self/fd/{n}")]
            seen = [*os.environ.values(), *os.environ, *files, repr(settings)]
            open(settings.options["data"] + ".seen", "w").write("\\n".join(seen))
    """
    install_module(tmp_path, monkeypatch, body)
    monkeypatch.setenv("LANDBRIDGE_MASTER_KEY", "a-master-key")
    monkeypatch.setenv("DATABASE_PASSWORD", "a-password")
    path = write_file(tmp_path)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    with (tmp_path / "ours").open("w") as ours:
        os.set_inheritable(ours.fileno(), True)  # noqa: FBT003  its only name
        # A file stays open if the limit is lowered below its number.
        above = fcntl.fcntl(ours, fcntl.F_DUPFD, limits[0] - 1)
        resource.setrlimit(resource.RLIMIT_NOFILE, (limits[0] - 1, limits[1]))
        try:
            async with package_client(path, database) as client:
                await until_answered(client)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
            os.close(above)
    seen = (tmp_path / "orders.db.seen").read_text()
    assert "PATH" in seen
    for secret in ("LANDBRIDGE", "a-master-key", "a-password", str(tmp_path / "ours")):
        assert secret not in seen
    assert "a secret of the made-up bank" not in seen


async def test_its_process_ends_with_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_template(tmp_path, monkeypatch)
    path = write_file(tmp_path)
    program = (
        "import asyncio, sys\nfrom pathlib import Path\n"
        "from tests.providers.packages.kit import process_of\n"
        "async def run():\n"
        "    process = process_of(Path(sys.argv[1]))\n"
        "    await process.start()\n"
        "    print(process._process.pid, flush=True)\n"
        "    await asyncio.sleep(1000)\n"
        "asyncio.run(run())\n"
    )
    parent = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", program, str(path)), stdout=asyncio.subprocess.PIPE
    )
    assert parent.stdout is not None
    child = int(await asyncio.wait_for(parent.stdout.readline(), PATIENCE_S))
    assert is_running(child)
    parent.kill()
    await parent.wait()
    async with asyncio.timeout(PATIENCE_S):
        while is_running(child):  # noqa: ASYNC110  another process
            await asyncio.sleep(0.05)


@pytest.mark.long
async def test_a_worker_does_not_start_with_a_package_that_fails(
    own_dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_module(tmp_path, monkeypatch, "import no_such_module")
    settings = {"DATABASE_URL": own_dsn, "PROVIDERS_FILE": str(write_file(tmp_path))}
    worker = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "landbridge", "worker"),
        env={**os.environ, **{f"LANDBRIDGE_{name}": value for name, value in settings.items()}},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    assert worker.stdout is not None
    output = (await asyncio.wait_for(worker.stdout.read(), 2 * PATIENCE_S)).decode()
    assert await worker.wait() == 1
    assert "provider acme: acme_bank:Adapter can't be imported: ModuleNotFoundError" in output
    assert "Traceback" not in output


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


def wired(path: Path, database: Database) -> tuple[Settings, Vault, Database, ReadingClock, Rails]:
    """Return the arguments of `read_providers`."""
    settings = structs.replace(SETTINGS, providers_file=str(path))
    return settings, Vault(Sealer(new_key())), database, ReadingClock(), NoRails()


async def until_answered(client: CountedPackage) -> None:
    """Wait until the package answers again."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                await client.describe()
            except (Unclear, NothingDone):
                await asyncio.sleep(0.2)
            else:
                return


@pytest.mark.parametrize(("body", "is_logged"), [(LABELLED, True), ("Adapter = MadeUpBank", False)])
async def test_a_package_that_was_never_run_live_is_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, *, is_logged: bool
) -> None:
    install_module(tmp_path, monkeypatch, body)
    process = process_of(write_file(tmp_path))
    with capture_logs() as logged:
        await process.start()
    await process.close()
    warning = {"event": "provider.never_run_live", "provider": "acme", "log_level": "warning"}
    assert (warning in logged) is is_logged
