"""Refusals of forms in Spanish: the sentence is translated, and names the field by its label."""

from collections.abc import Mapping
from uuid import UUID

import pytest

from landbridge.platform.formats.refusal_texts import FIELD_SENTENCES, refusal_text
from tests.dashboard.browsing import DashboardPage, visit
from tests.tenants import Tenant, make_user

WEBHOOK = {"url": "!", "eventTypes": "*", "createEventSpelling": "CREATE"}


def refusals(page: DashboardPage) -> list[str]:
    """Return the sentence above the form, and those beside its inputs."""
    shown = page.tree.xpath("//main//*[@role='alert']//strong | //main//*[@class='wrongs']")
    return [" ".join(str(each.text_content()).split()) for each in shown]


@pytest.mark.parametrize(
    ("path", "fields", "expected"),
    [
        ("/users/{user}/wallets/external", {}, "«Dirección» es obligatorio"),
        (
            "/webhooks/new",
            WEBHOOK,
            "«URL» debe ser una URL, por ejemplo https://example.com/webhooks",
        ),
        (
            "/settings/approvals",
            {"threshold": "99"},
            "«Aprobaciones necesarias por pago» debe ser un número entero de 1 a 20",
        ),
        (
            "/keys/new",
            {"name": "", "requestId": str(UUID(int=1))},
            "«Nombre» debe tener de 1 a 200 caracteres",
        ),
    ],
)
async def test_refusal_names_the_field_by_its_label(
    org: Tenant, path: str, fields: Mapping[str, str], expected: str
) -> None:
    admin = await visit(org, language="es")
    page = await admin.send(f"/dashboard{path.format(user=await make_user(org))}", fields)
    assert page.status in {400, 422}
    found = refusals(page)
    assert found
    assert set(found) == {expected}


@pytest.mark.parametrize("sentence", FIELD_SENTENCES)
def test_label_replaces_the_name_in_each_sentence_about_a_field(sentence: str) -> None:
    values = dict.fromkeys(("example", "rest", "value", "values", "country"), "abc")
    values |= dict.fromkeys(("source", "target", "key"), "'usd'")
    values |= dict.fromkeys(("least", "most", "count", "years"), "7")
    message = sentence % {**values, "name": "firstName"}
    text = refusal_text(message, "es", "Nombre")
    assert text.startswith("«Nombre»"), text
    assert "firstName" not in text
    assert "firstName" in refusal_text(message, "en", "Nombre")
