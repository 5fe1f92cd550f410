"""Answers of nodes of Solana that no validator gives: unusable, whatever they say."""

from typing import Any

import pytest

from landbridge.providers.evm.quantities import AnswerInvalid
from landbridge.providers.solana.chain_data import ChainTransaction, EpochInfo, decoder

_META: dict[str, Any] = {
    "err": None,
    "fee": 5000,
    "preBalances": [10, 0],
    "postBalances": [5, 5],
    "preTokenBalances": [],
    "postTokenBalances": [],
}


def _balance(**changes: Any) -> list[dict[str, Any]]:
    return [{"accountIndex": 1, "mint": "m", "uiTokenAmount": {"amount": "7"}, **changes}]


def _transaction(keys: list[str], **meta: Any) -> dict[str, Any]:
    body = {"signatures": ["s"], "message": {"accountKeys": keys}}
    return {"slot": 7, "meta": {**_META, **meta}, "transaction": body}


@pytest.mark.parametrize(
    "meta",
    [
        {"preBalances": []},
        {"preBalances": [2**63]},
        {"postBalances": [-1]},
        {"fee": 2**63},
        {"postTokenBalances": _balance(uiTokenAmount={"amount": "9" * 5000})},
        {"postTokenBalances": _balance(uiTokenAmount={"amount": "-1"})},
        {"postTokenBalances": _balance(uiTokenAmount={"amount": "\u0661"})},
        {"postTokenBalances": _balance(accountIndex=-1)},
    ],
)
def test_numbers_that_no_validator_writes_are_no_answer(meta: dict[str, Any]) -> None:
    read = decoder(ChainTransaction)
    assert read(_transaction(["a", "b"])).paid_lamports == 5
    with pytest.raises(AnswerInvalid):
        read(_transaction(["a", "b"], **meta))


@pytest.mark.parametrize(("keys", "is_named"), [(["a", "b"], True), (["a"], False), ([], False)])
def test_balances_are_of_accounts_that_the_transaction_names(
    keys: list[str], *, is_named: bool
) -> None:
    found = decoder(ChainTransaction)(_transaction(keys, postTokenBalances=_balance()))
    assert found.names_its_accounts == is_named


@pytest.mark.parametrize("slot", [-1, 2**63, 1.5])
def test_slots_are_those_of_a_chain(slot: float) -> None:
    with pytest.raises(AnswerInvalid):
        decoder(EpochInfo)({"absoluteSlot": slot, "blockHeight": 1})
