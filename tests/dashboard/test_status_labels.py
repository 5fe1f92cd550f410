"""Statuses have labels in one table, in every language, with the code in a tooltip."""

import pkgutil
from collections.abc import Iterator
from enum import StrEnum
from importlib import import_module
from typing import Any

import pytest

import landbridge
from landbridge.dashboard.reports.names import TITLES
from landbridge.dashboard.status_labels import STATUSES, Tone, status_label
from landbridge.dashboard.transactions.kinds import PARTY_NAMES
from landbridge.payments.engine.wait_states import WaitParty
from landbridge.payments.transactions.model import STATUSES as PAYMENT_STATUSES
from landbridge.platform.core.errors import FieldInvalid, Refused
from landbridge.platform.core.transitions import Transitions
from landbridge.platform.formats.refusal_texts import NAMES, refusal_text
from landbridge.platform.formats.translations import ENGLISH, LANGUAGES, catalogue
from landbridge.platform.orgs.model import KeyState
from tests.dashboard.browsing import visit
from tests.tenants import Tenant

OTHERS = [each for each in LANGUAGES if each != ENGLISH]
# Adapter statuses, which no page shows.
_INTERNAL = ("landbridge.providers.",)


def _statuses() -> Iterator[tuple[str, str]]:
    """Yield each status of each enumeration whose name ends in Status."""
    for module in pkgutil.walk_packages(landbridge.__path__, "landbridge."):
        if not module.name.endswith("__main__") and not module.name.startswith(_INTERNAL):
            import_module(module.name)
    found = list(StrEnum.__subclasses__())
    for each in found:
        if (
            each.__module__.startswith("landbridge.")
            and not each.__module__.startswith(_INTERNAL)
            and each.__name__.endswith("Status")
        ):
            yield from ((each.__name__, str(status.value)) for status in each)


def test_each_status_has_a_label() -> None:
    found = list(_statuses())
    names = {name for name, _ in found}
    assert {"OnrampStatus", "OfframpStatus", "SwapStatus", "BridgeStatus", "KycStatus"} <= names
    missing = {(name, code) for name, code in found if code not in STATUSES}
    assert not {each for each in missing if not each[0].startswith("_")}
    assert not {str(each) for each in PAYMENT_STATUSES} - set(STATUSES)
    assert not {str(each.value) for each in KeyState} - set(STATUSES)


def test_final_statuses_of_every_flow_look_final() -> None:
    """A status that nothing follows is good or bad; one that ended a payment otherwise is bad."""
    flows = {id(each): each for each in _transitions()}
    final = {str(status) for flow in flows.values() for status, to in flow.table.items() if not to}
    assert {"COMPLETED", "FIAT_RETURNED", "CRYPTO_FAILED", "QUOTE_FAILED"} <= final
    assert not {each for each in final if STATUSES[each].tone in {Tone.BUSY, Tone.NOW}}
    endings = ("FAILED", "REJECTED", "EXPIRED", "CANCELLED", "RETURNED", "NOT_INITIATED")
    assert not {
        each for each in final if each.endswith(endings) and STATUSES[each].tone is not Tone.BAD
    }


def _transitions() -> Iterator[Transitions[Any]]:
    """Yield the transition tables of all modules."""
    for module in pkgutil.walk_packages(landbridge.__path__, "landbridge."):
        if module.name.endswith(".model") and not module.name.startswith(_INTERNAL):
            for each in vars(import_module(module.name)).values():
                if isinstance(each, Transitions):
                    yield each


def test_labels_are_sentence_case_and_not_codes() -> None:
    for code, (label, _) in STATUSES.items():
        assert label[0].isupper(), code
        assert "_" not in label, code
        assert not label.isupper(), code


@pytest.mark.parametrize("language", OTHERS)
def test_each_label_and_error_is_translated(language: str) -> None:
    known = catalogue(language)
    labels = [each.label for each in STATUSES.values()]
    for table in (labels, TITLES.values(), NAMES.values()):
        for text in table:
            assert text in {str(key) for key in _messages(known)}, text


def test_unknown_status_keeps_its_code() -> None:
    assert status_label("CRYPTO_FAILED", "en") == "Failed on chain"
    assert status_label("CRYPTO_FAILED", "es") == "Fallido en la red"
    assert status_label("SOMETHING_NEW", "es") == "SOMETHING_NEW"


def test_refusal_is_translated_by_sentence_pattern_or_name() -> None:
    assert refusal_text("The file is empty.", "es") == "El archivo está vacío."
    assert refusal_text("amount is required", "es") == "amount es obligatorio"
    unknown = FieldInvalid("amount has an odd shape", field="amount")
    assert refusal_text(unknown, "es").startswith("Este dato falta o no es válido")
    assert refusal_text(unknown, "en") == "amount has an odd shape"


def test_each_catalogued_error_has_a_sentence() -> None:
    def below(kind: type[Refused]) -> Iterator[type[Refused]]:
        for each in kind.__subclasses__():
            yield each
            yield from below(each)

    named = {each.name for each in below(Refused) if each.__module__.startswith("landbridge.")}
    assert named <= set(NAMES)


async def test_status_has_its_code_in_a_tooltip(org: Tenant) -> None:
    admin = await visit(org)
    page = await admin.load("/dashboard/keys")
    assert 'title="active">Active</span>' in page.response.text


def _messages(known: object) -> Iterator[object]:
    yield from getattr(known, "_catalog", {})


def test_every_party_that_a_payment_waits_for_has_a_name() -> None:
    assert PARTY_NAMES.keys() == set(WaitParty)
