"""A public demo's story: documents as `data:` URIs, the rail as `USD_EURO`, and a paid offramp."""

from tests.customers.kyc.samples import person
from tests.customers.kyc.test_inline_files import uri
from tests.payouts import accept, make_account, make_offramp, shown
from tests.platform.files.sample_files import GOOD
from tests.tenants import Tenant, make_user, run_due


async def test_inline_documents_and_the_older_rail_lead_to_a_payout(org: Tenant) -> None:
    user = await make_user(org, lastName="Approval", funds="500")
    sides = {
        "govIdFrontUrl": uri(GOOD["photo.png"], "image/png"),
        "govIdBackUrl": uri(GOOD["photo.jpg"], "image/jpeg"),
    }
    await org.post(f"/v2/users/{user}/kyc", person(lastName="Approval", **sides))
    await org.post(f"/v2/users/{user}/kyc/submit", {"rails": "USD_EURO"})
    assert (await org.get(f"/v2/users/{user}/kyc/status", rails="USD_EURO"))["status"] == "ACTIVE"
    payout = await make_offramp(org, user, await make_account(org, user))
    await accept(org, payout)
    await org.post("/v2/sandbox/clock/advance", {"seconds": 60})
    await run_due(org)
    assert (await shown(org, payout))["status"] == "COMPLETED"
