"""KYC data with a marker in every text, good and refused; for the canaries."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import httpx2

from landbridge.customers.kyc.field_types import (
    AddressFieldType,
    Kind,
    ListFieldType,
    QuestionnaireFieldType,
    TextFieldType,
    prose,
    url_or_file,
)
from landbridge.customers.kyc.fields import BUSINESS, DOCUMENT, INDIVIDUAL, OWNER, OWNERS
from landbridge.platform.formats.people import check_email, check_name
from landbridge.platform.formats.texts import check_text, check_url
from tests.customers.kyc.samples import ADDRESS, document, sample

Send = Callable[[str, str, Any], Awaitable[httpx2.Response]]
Mark = Callable[[], str]

# A marker would be neither a valid number nor a state.
_PLAIN = {"taxIdentificationNumber", "incorporationState"}


def marked(fields: Mapping[str, Kind], mark: Mark) -> dict[str, Any]:
    """Build every field of a table, with markers in free text."""
    return {name: _value(name, kind, mark) for name, kind in fields.items()}


async def submit_kyc(send: Send, mark: Mark, *, person: str, company: str) -> None:
    """Submit complete data of a person and a business, then the same with each part invalid."""
    for user, fields in ((person, INDIVIDUAL), (company, BUSINESS)):
        kyc = f"/v2/users/{user}/kyc"
        owners = {OWNERS: [marked(OWNER, mark)]} if fields is BUSINESS else {}
        assert (await send("POST", kyc, marked(fields, mark) | owners)).status_code == 200
        for name in (*fields, OWNERS, mark()):
            await send("POST", kyc, {name: mark()})
            await send("POST", kyc, {name: {mark(): mark()}})
        await send("POST", f"{kyc}?expand={mark()}", {})
        await send("GET", f"{kyc}/requirements?rails={mark()}", None)
        await send("GET", f"{kyc}/ubos/{mark()}", None)
        await send("GET", f"{kyc}/documents/{mark()}", None)
    ubo = (await send("POST", f"/v2/users/{company}/kyc/ubos", marked(OWNER, mark) | _MORE)).json()
    for name in OWNER:
        await send("POST", f"/v2/users/{company}/kyc/ubos/{ubo['id']}", {name: [mark()]})
    documents = f"/v2/users/{person}/kyc/documents"
    marked_document = {**marked(DOCUMENT, mark), "fileId": None, "issuedDate": None}
    created = (await send("POST", documents, [document("OTHER", **marked_document)])).json()[
        "data"
    ][0]
    for name in ("type", "subType", "uboId", *DOCUMENT):
        await send("POST", documents, [document(**{name: mark()})])
        await send("POST", f"{documents}/{created['id']}", {name: mark()})


_MORE = {"shareProportion": 20}


def _value(name: str, kind: Kind, mark: Mark) -> Any:
    match kind:
        case AddressFieldType():
            free = ("addressLine1", "addressLine2", "city", "postalCode")
            value = {**ADDRESS, **{each: mark() for each in free}}
        case QuestionnaireFieldType():
            value = marked(kind.fields, mark)
        case ListFieldType(each=TextFieldType()):
            value = [mark(), mark()]
        case TextFieldType() if name not in _PLAIN and kind.check in {
            check_name,
            check_text,
            prose,
        }:
            value = mark()
        case TextFieldType() if kind.check in {check_url, url_or_file}:
            value = f"https://{mark()}.example/{mark()}?{mark()}"
        case TextFieldType() if kind.check is check_email:
            value = f"{mark()}@{mark()}.com"
        case _:
            value = sample(name, kind)
    return value
