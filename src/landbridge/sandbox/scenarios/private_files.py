"""Files of the API clients that their owner alone may read."""

import os
from pathlib import Path


def create_private(file: Path, content: bytes) -> None:
    """Create a file; raises `OSError`, also if it exists."""
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as created:
        created.write(content)
