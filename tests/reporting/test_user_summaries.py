"""Names of account holders, compared with the user's."""

import pytest

from landbridge.reporting.user_summaries import differs


@pytest.mark.parametrize(
    "other", ["Ada Lovelace", "LOVELACE ADA", "Ada K. Lovelace", "Lovelace", "", "   "]
)
def test_same_holder(other: str) -> None:
    assert not differs("Ada Lovelace", other)
    assert not differs("", other)


@pytest.mark.parametrize("other", ["Ada Byron", "Mary Major", "Adam Lovelace"])
def test_other_holder(other: str) -> None:
    assert differs("Ada Lovelace", other)
