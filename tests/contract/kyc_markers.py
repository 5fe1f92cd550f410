"""KYC data with a marker in every text, good and refused; for the canaries."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import httpx2

from landbridge.formats.people import check_email, check_name
from landbridge.formats.texts import check_text, check_url
from landbridge.kyc.fields import BUSINESS, DOCUMENT, INDIVIDUAL, OWNER, OWNERS
from landbridge.kyc.kinds import Kind, PostalAddress, Questionnaire, Several, Text, prose
from tests.kyc.samples import ADDRESS, document, sample

Send = Callable[[str, str, Any], Awaitable[httpx2.Response]]
Mark = Callable[[], str]

# A marker would be no such number, nor would it be a state.
_PLAIN = {"taxIdentificationNumber", "incorporationState"}


def marked(fields: Mapping[str, Kind], mark: Mark) -> dict[str, Any]:
    """Every field of a table, with markers where texts are free."""
    return {name: _value(name, kind, mark) for name, kind in fields.items()}


async def tell_kyc(send: Send, mark: Mark, *, person: str, company: str) -> None:
    """Tell everything about a person and a business, then the same with each part wrong."""
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
    told = {**marked(DOCUMENT, mark), "fileId": None, "issuedDate": None}
    made = (await send("POST", documents, [document("OTHER", **told)])).json()["data"][0]
    for name in ("type", "subType", "uboId", *DOCUMENT):
        await send("POST", documents, [document(**{name: mark()})])
        await send("POST", f"{documents}/{made['id']}", {name: mark()})


_MORE = {"shareProportion": 20}


def _value(name: str, kind: Kind, mark: Mark) -> Any:
    match kind:
        case PostalAddress():
            free = ("addressLine1", "addressLine2", "city", "postalCode")
            value = {**ADDRESS, **{each: mark() for each in free}}
        case Questionnaire():
            value = marked(kind.fields, mark)
        case Several(each=Text()):
            value = [mark(), mark()]
        case Text() if name not in _PLAIN and kind.check in {check_name, check_text, prose}:
            value = mark()
        case Text() if kind.check is check_url:
            value = f"https://{mark()}.example/{mark()}?{mark()}"
        case Text() if kind.check is check_email:
            value = f"{mark()}@{mark()}.com"
        case _:
            value = sample(name, kind)
    return value
