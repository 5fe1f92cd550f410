"""Title of a forked process: the command line that `ps` shows.

Linux shows the memory where the arguments of the program stood. A forked process has those of its
parent, so it writes others over them.
"""

import os
from pathlib import Path

_SELF = Path("/proc/self")
# Fields of /proc/self/stat behind the name of the program: start of the arguments, their end, and
# the end of the environment, which follows them.
_ARGUMENTS, _ARGUMENTS_END, _ENVIRONMENT_END = 45, 46, 48


def set_title(title: str) -> None:
    """Show this title. Call it only after `os.environ` was written anew.

    A long title reaches into the memory where the environment stood; the C library has copies of
    variables that were written. Raises `OSError` where the system forbids it.
    """
    fields = _SELF.joinpath("stat").read_text(encoding="utf-8", errors="replace")
    numbers = fields.rpartition(")")[2].split()
    start, end, limit = (
        int(numbers[each]) for each in (_ARGUMENTS, _ARGUMENTS_END, _ENVIRONMENT_END)
    )
    written = title.encode()[: limit - start - 1]
    # The kernel shows more than the original length only if the last byte of that is not zero.
    written = written.ljust(end - start, b"\0") + b"\0"
    file = os.open(_SELF / "mem", os.O_RDWR | os.O_CLOEXEC)
    try:
        os.pwrite(file, written[: limit - start], start)
    finally:
        os.close(file)
