"""Flushing of file names, so that they survive a power failure."""

import os
from pathlib import Path


def sync_folder(folder: Path) -> None:
    """Flush the file names in a folder to disk. The content of each file is flushed separately."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
