"""Fixtures of the tests of signing."""

from collections.abc import Generator
from pathlib import Path

import pytest

from landbridge.providers.evm.signing.signer import ChainSigner
from tests.providers.evm.signing.kit import signing


@pytest.fixture
def signer(tmp_path: Path) -> Generator[ChainSigner]:
    with signing(tmp_path) as (signer, _):
        yield signer
