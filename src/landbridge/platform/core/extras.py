"""Extras of the package: optional libraries, each needed by one feature.

`pip install landbridge` leaves them out because of their size; `landbridge[parquet]` adds one.
"""

from enum import StrEnum
from importlib.util import find_spec


class Extra(StrEnum):
    """Extra of pyproject.toml; the value is its name there."""

    HEIC = "heic"
    PARQUET = "parquet"
    PDF = "pdf"
    S3 = "s3"
    SFTP = "sftp"
    SOLANA = "solana"
    VAULT = "vault"


_LIBRARIES = {
    Extra.HEIC: "pillow_heif",
    Extra.PARQUET: "pyarrow",
    Extra.PDF: "reportlab",
    Extra.S3: "boto3",
    Extra.SFTP: "asyncssh",
    Extra.SOLANA: "solders",
    Extra.VAULT: "hvac",
}


def missing(extra: Extra) -> str | None:
    """Return how to install the extra, as the end of a sentence; None if it is installed."""
    library = _LIBRARIES[extra]
    if find_spec(library) is not None:
        return None
    return f'needs {library}, which is not installed; run: pip install "landbridge[{extra}]"'
