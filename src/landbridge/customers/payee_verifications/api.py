"""Route to verify a payee: ours; the contract has none."""

from litestar import Controller, post
from litestar.di import NamedDependency
from litestar.params import FromPath
from msgspec import UNSET, UnsetType

from landbridge.customers.bank_accounts.api import known_account
from landbridge.customers.payee_verifications.service import PayeeVerifications
from landbridge.customers.users.path_params import known_user
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.responses import Moment, WireStruct, moment, or_unset
from landbridge.providers.rails.port import PayeeMatch


class PayeeVerificationReply(WireStruct, frozen=True):
    """Whether the payee's bank knows the account under the name of its holder.

    `name` is the name that the bank has; only a close match has it.
    """

    match: PayeeMatch
    checked_at: Moment
    name: str | UnsetType = UNSET


class PayeeVerificationRoutes(Controller):
    """Verify payees."""

    path = "/v2/users/{userId:str}/accounts/{accountId:str}/payee-verification"
    tags = ("Accounts",)

    @post(
        status_code=200,
        summary="Verify the payee of a bank account",
        operation_id="accounts.verifyPayee",
    )
    async def verify(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        accountId: FromPath[str],
        payee_verifications: NamedDependency[PayeeVerifications],
    ) -> PayeeVerificationReply:
        """Asks the bank now, before a payout; moves no money, and blocks none.

        `unavailable` if the rail or the provider can't say: that is nothing against the payee.
        """
        found = await payee_verifications.verify(
            request.user, known_user(userId), known_account(accountId)
        )
        return PayeeVerificationReply(
            match=found.verification.match,
            checked_at=moment(found.at),
            name=or_unset(found.verification.name),
        )
