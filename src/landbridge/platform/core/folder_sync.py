"""Names of files that survive a power failure."""

import os
from pathlib import Path


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder to disk; a file's content is flushed by itself."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
