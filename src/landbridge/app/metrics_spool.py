"""Folder in which the processes of one `landbridge serve` count their metrics.

It is named after the process that made it, so that those of killed ones can be found.
"""

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

# The library of the metrics reads it at its import: without it, a process counts alone.
VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
_PREFIX = "landbridge-metrics-"


def make_spool() -> Path:
    """Make a folder, and have this process count there. Call it before metrics are imported."""
    made = Path(tempfile.mkdtemp(prefix=f"{_own_prefix()}"))
    os.environ[VARIABLE] = str(made)
    return made


def remove_spool(spool: Path) -> None:
    """Remove the folder; in other processes than the one that made it, do nothing."""
    if spool.name.startswith(_own_prefix()):
        shutil.rmtree(spool, ignore_errors=True)


def remove_old_spools() -> None:
    """Remove folders of killed processes from the temporary folder."""
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*-*"):
        pid = path.name.removeprefix(_PREFIX).partition("-")[0]
        with suppress(OSError):
            if pid.isdigit() and path.lstat().st_uid == os.geteuid() and not _is_alive(int(pid)):
                shutil.rmtree(path)


def _own_prefix() -> str:
    return f"{_PREFIX}{os.getpid()}-"


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
