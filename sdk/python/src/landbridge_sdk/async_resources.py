"""Resources of the asynchronous client.

Written by `make sdk` from openapi.json; do not edit.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

import landbridge_sdk.replies as replies
import landbridge_sdk.requests as requests
from landbridge_sdk._calls import Call, AsyncSender, path_of


class AsyncAccountReviews:
    """Operations of `account_reviews`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> replies.AccountReviewPage:
        """List accounts that wait for a decision.

        Oldest first; needs a key that may review.
        """
        call = Call(
            "GET",
            path_of("/v2/reviews/accounts"),
            query={
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.AccountReviewPage)

    async def list_all(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.AccountReview]:
        """List accounts that wait for a decision, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list(
                limit=limit,
                created_before=created_before,
                created_after=created_after,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.reviews:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def decide(
        self,
        account_id: str,
        body: requests.AccountDecisionRequest,
        *,
        timeout: float | None = None,
    ) -> replies.AccountStatusReply:
        """Decide on a bank account.

        Approve (the account is then active) or reject; requires a key with the review role.
        """
        call = Call(
            "POST",
            path_of("/v2/reviews/accounts/{accountId}", account_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.AccountStatusReply)


class AsyncAccounts:
    """Operations of `accounts`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(
        self,
        user_id: str,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | datetime | None = None,
        rail: Literal["onramp", "offramp"] | None = None,
        type: Literal[
            "us",
            "brazil",
            "colombia",
            "argentina",
            "mexico",
            "africa",
            "brazilGlobalNetwork",
            "nigeriaGlobalNetwork",
            "mexicoGlobalNetwork",
            "hongKongGlobalNetwork",
            "chinaGlobalNetwork",
            "singaporeGlobalNetwork",
            "europeGlobalNetwork",
        ]
        | None = None,
        currency: Literal[
            "usd",
            "brl",
            "cop",
            "ars",
            "mxn",
            "ngn",
            "kes",
            "ghs",
            "tzs",
            "ugx",
            "bwp",
            "xaf",
            "mwk",
            "rwf",
            "zmw",
            "xof",
            "zar",
            "hkd",
            "cny",
            "sgd",
            "eur",
        ]
        | None = None,
        metadata: Sequence[str] | None = None,
        timeout: float | None = None,
    ) -> replies.BankAccountPageReply:
        """List bank accounts.

        List accounts, newest first, including deleted ones; account numbers are masked.
        """
        call = Call(
            "GET",
            path_of("/v2/users/{userId}/accounts", user_id),
            query={
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
                "rail": rail,
                "type": type,
                "currency": currency,
                "metadata": metadata,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.BankAccountPageReply)

    async def list_all(
        self,
        user_id: str,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        rail: Literal["onramp", "offramp"] | None = None,
        type: Literal[
            "us",
            "brazil",
            "colombia",
            "argentina",
            "mexico",
            "africa",
            "brazilGlobalNetwork",
            "nigeriaGlobalNetwork",
            "mexicoGlobalNetwork",
            "hongKongGlobalNetwork",
            "chinaGlobalNetwork",
            "singaporeGlobalNetwork",
            "europeGlobalNetwork",
        ]
        | None = None,
        currency: Literal[
            "usd",
            "brl",
            "cop",
            "ars",
            "mxn",
            "ngn",
            "kes",
            "ghs",
            "tzs",
            "ugx",
            "bwp",
            "xaf",
            "mwk",
            "rwf",
            "zmw",
            "xof",
            "zar",
            "hkd",
            "cny",
            "sgd",
            "eur",
        ]
        | None = None,
        metadata: Sequence[str] | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.ListedAccount]:
        """List bank accounts, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list(
                user_id,
                limit=limit,
                created_before=created_before,
                created_after=created_after,
                rail=rail,
                type=type,
                currency=currency,
                metadata=metadata,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.banks:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def create(
        self, user_id: str, body: requests.NewAccount, *, timeout: float | None = None
    ) -> replies.AccountStatusReply:
        """Add a bank account.

        Add an account; the user must be verified on its rail.

        A well-formed but inconsistent number (check digits, country, range) creates a
        `REJECTED` account and is named in `invalidFields`.
        """
        call = Call(
            "POST",
            path_of("/v2/users/{userId}/accounts", user_id),
            body=body,
            id_member="requestId",
            timeout=timeout,
        )
        return await self._sender.send(call, replies.AccountStatusReply)

    async def retrieve(
        self, user_id: str, account_id: str, *, timeout: float | None = None
    ) -> replies.AccountReply:
        """Retrieve a bank account.

        One account of this user, whole.
        """
        call = Call(
            "GET",
            path_of("/v2/users/{userId}/accounts/{accountId}", user_id, account_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.AccountReply)

    async def delete(
        self, user_id: str, account_id: str, *, timeout: float | None = None
    ) -> replies.AccountStatusReply:
        """Delete a bank account.

        Disable the account permanently; a repeated call returns the same response.
        """
        call = Call(
            "DELETE",
            path_of("/v2/users/{userId}/accounts/{accountId}", user_id, account_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.AccountStatusReply)

    async def change_metadata(
        self,
        user_id: str,
        account_id: str,
        body: requests.MetadataUpdate,
        *,
        timeout: float | None = None,
    ) -> replies.MetadataReply:
        """Change the metadata of a bank account.

        Set and remove keys; keys that are not named stay. Nothing else of the account changes.

        No event is sent.
        """
        call = Call(
            "POST",
            path_of("/v2/users/{userId}/accounts/{accountId}/metadata", user_id, account_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.MetadataReply)

    async def verify_payee(
        self, user_id: str, account_id: str, *, timeout: float | None = None
    ) -> replies.PayeeVerificationReply:
        """Verify the payee of a bank account.

        Asks the bank now, before a payout; moves no money, and blocks none.

        `unavailable` if the rail or the provider can't say: that is nothing against the payee.
        """
        call = Call(
            "POST",
            path_of(
                "/v2/users/{userId}/accounts/{accountId}/payee-verification", user_id, account_id
            ),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.PayeeVerificationReply)


class AsyncAddressPolicy:
    """Operations of `address_policy`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def retrieve(self, *, timeout: float | None = None) -> replies.AddressPolicyReply:
        """Retrieve the address policy.

        Return the organisation's policy on addresses outside the platform.
        """
        call = Call(
            "GET",
            path_of("/v2/organization/address-policy"),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.AddressPolicyReply)

    async def replace(
        self, body: requests.AddressPolicyRequest, *, timeout: float | None = None
    ) -> replies.AddressPolicyReply:
        """Set the address policy.

        Replace the policy; orders that are not signed yet follow its block list too.
        """
        call = Call(
            "PUT",
            path_of("/v2/organization/address-policy"),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.AddressPolicyReply)


class AsyncApprovals:
    """Operations of `approvals`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | datetime | None = None,
        status: Sequence[Literal["PENDING", "APPROVED", "REJECTED", "EXPIRED"]] | None = None,
        initiator_profile_id: str | None = None,
        timeout: float | None = None,
    ) -> replies.ListedApprovalPage:
        """List approvals.

        List approvals with their votes, newest first, whether or not the caller may vote.
        """
        call = Call(
            "GET",
            path_of("/v2/approvals"),
            query={
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
                "status": status,
                "initiatorProfileId": initiator_profile_id,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ListedApprovalPage)

    async def list_all(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        status: Sequence[Literal["PENDING", "APPROVED", "REJECTED", "EXPIRED"]] | None = None,
        initiator_profile_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.ListedApproval]:
        """List approvals, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list(
                limit=limit,
                created_before=created_before,
                created_after=created_after,
                status=status,
                initiator_profile_id=initiator_profile_id,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.approvals:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def retrieve(
        self, approval_id: str, *, timeout: float | None = None
    ) -> replies.ListedApproval:
        """Retrieve an approval in full.

        Get one approval in any status.
        """
        call = Call(
            "GET",
            path_of("/v2/approvals/{approvalId}", approval_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ListedApproval)


class AsyncAuditLog:
    """Operations of `audit_log`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | datetime | None = None,
        actor_type: Sequence[Literal["key", "member", "cli", "person", "worker", "bank", "rule"]]
        | None = None,
        actor_id: str | None = None,
        kind: str | None = None,
        object_id: str | None = None,
        timeout: float | None = None,
    ) -> replies.AuditLogReply:
        """List who did what.

        Newest first. Entries can't be edited.

        A page has some more entries than requested if several were recorded at the same time,
        and fewer if a search scanned very many; continue while there is a `nextCursor`.
        """
        call = Call(
            "GET",
            path_of("/v2/audit-log"),
            query={
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
                "actorType": actor_type,
                "actorId": actor_id,
                "kind": kind,
                "objectId": object_id,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.AuditLogReply)

    async def list_all(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        actor_type: Sequence[Literal["key", "member", "cli", "person", "worker", "bank", "rule"]]
        | None = None,
        actor_id: str | None = None,
        kind: str | None = None,
        object_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.AuditLogEntryReply]:
        """List who did what, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list(
                limit=limit,
                created_before=created_before,
                created_after=created_after,
                actor_type=actor_type,
                actor_id=actor_id,
                kind=kind,
                object_id=object_id,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.entries:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor


class AsyncBalances:
    """Operations of `balances`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def retrieve(self, *, timeout: float | None = None) -> replies.BalancesReply:
        """Retrieve balances.

        Show total user balances, house accounts, and amounts in transit.
        """
        call = Call(
            "GET",
            path_of("/v2/balances"),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.BalancesReply)


class AsyncBankLines:
    """Operations of `bank_lines`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | None = None,
        status: Sequence[Literal["NEW", "MATCHED", "UNMATCHED", "RESOLVED"]] | None = None,
        timeout: float | None = None,
    ) -> replies.BankLinePage:
        """List bank lines.

        List lines, the longest waiting first.
        """
        call = Call(
            "GET",
            path_of("/v2/reviews/bank-lines"),
            query={
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
                "status": status,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.BankLinePage)

    async def list_all(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        status: Sequence[Literal["NEW", "MATCHED", "UNMATCHED", "RESOLVED"]] | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.BankLine]:
        """List bank lines, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list(
                limit=limit,
                created_before=created_before,
                created_after=created_after,
                status=status,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.reviews:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def retrieve(self, line_id: str, *, timeout: float | None = None) -> replies.BankLine:
        """Retrieve a bank line.

        Return a line in any status.
        """
        call = Call(
            "GET",
            path_of("/v2/reviews/bank-lines/{lineId}", line_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.BankLine)

    async def resolve(
        self, line_id: str, body: requests.LineResolution, *, timeout: float | None = None
    ) -> replies.BankLine:
        """Resolve a bank line.

        Resolve a line. All but NO_ACTION, HANDLED and DUPLICATE have further effects.
        """
        call = Call(
            "POST",
            path_of("/v2/reviews/bank-lines/{lineId}/resolve", line_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.BankLine)


class AsyncBatches:
    """Operations of `batches`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | datetime | None = None,
        user_id: str | None = None,
        timeout: float | None = None,
    ) -> replies.BatchPage:
        """List batch transfers.

        List the batches sent by one user or by the whole organisation, newest first.
        """
        call = Call(
            "GET",
            path_of("/v2/wallets/transfers/batches"),
            query={
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
                "userId": user_id,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.BatchPage)

    async def list_all(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        user_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.BatchReply]:
        """List batch transfers, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list(
                limit=limit,
                created_before=created_before,
                created_after=created_after,
                user_id=user_id,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.records:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def create(
        self,
        body: requests.NewBatch,
        *,
        dry_run: bool | None = None,
        sandbox: str | None = None,
        timeout: float | None = None,
    ) -> replies.BatchReply:
        """Create a batch transfer.

        Hold the sum and send it (CREATED), or wait for an admin (PENDING_APPROVAL).

        The same `requestId` with the same body returns the same batch.
        """
        call = Call(
            "POST",
            path_of("/v2/wallets/transfers/batches"),
            body=body,
            query={"dryRun": dry_run},
            headers={"Landbridge-Sandbox": sandbox},
            id_member="requestId",
            timeout=timeout,
        )
        return await self._sender.send(call, replies.BatchReply)

    async def retrieve(
        self,
        transfer_id: str,
        *,
        expand: Literal["timeline"] | None = None,
        timeout: float | None = None,
    ) -> replies.BatchReply:
        """Retrieve a batch transfer.

        Return one batch.
        """
        call = Call(
            "GET",
            path_of("/v2/wallets/transfers/batches/{transferId}", transfer_id),
            query={"expand": expand},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.BatchReply)


class AsyncBridges:
    """Operations of `bridges`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | datetime | None = None,
        user_id: str | None = None,
        timeout: float | None = None,
    ) -> replies.BridgePage:
        """List bridges.

        List the bridges of one user or of the whole organisation, newest first.
        """
        call = Call(
            "GET",
            path_of("/v2/wallets/bridges"),
            query={
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
                "userId": user_id,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.BridgePage)

    async def list_all(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        user_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.BridgeReply]:
        """List bridges, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list(
                limit=limit,
                created_before=created_before,
                created_after=created_after,
                user_id=user_id,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.data:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def create(
        self,
        body: requests.NewBridge,
        *,
        dry_run: bool | None = None,
        sandbox: str | None = None,
        timeout: float | None = None,
    ) -> replies.BridgeReply:
        """Create a bridge.

        Quote a bridge (OPEN_QUOTE); accept it within 10 minutes.

        With `requireApproval` it waits for an admin first (PENDING_APPROVAL), and holds the
        money. The same `requestId` with the same body returns the same bridge.
        """
        call = Call(
            "POST",
            path_of("/v2/wallets/bridges"),
            body=body,
            query={"dryRun": dry_run},
            headers={"Landbridge-Sandbox": sandbox},
            id_member="requestId",
            timeout=timeout,
        )
        return await self._sender.send(call, replies.BridgeReply)

    async def retrieve(
        self,
        transfer_id: str,
        *,
        expand: Literal["timeline"] | None = None,
        timeout: float | None = None,
    ) -> replies.BridgeReply:
        """Retrieve a bridge.

        Return one bridge.
        """
        call = Call(
            "GET",
            path_of("/v2/wallets/bridges/{transferId}", transfer_id),
            query={"expand": expand},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.BridgeReply)

    async def accept(
        self, transfer_id: str, *, timeout: float | None = None
    ) -> replies.BridgeReply:
        """Accept a bridge.

        Hold the money and start the bridge. A repeated accept returns the same result.
        """
        call = Call(
            "POST",
            path_of("/v2/wallets/bridges/{transferId}/accept", transfer_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.BridgeReply)


class AsyncChains:
    """Operations of `chains`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(self, *, timeout: float | None = None) -> replies.ChainList:
        """List connected chains.

        Connected chains with head, open orders and treasury; for admins also the installation.

        Each call asks the nodes for their head, for at most three seconds.
        """
        call = Call(
            "GET",
            path_of("/v2/chains"),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ChainList)

    async def list_orders(
        self, record_id: str, *, timeout: float | None = None
    ) -> replies.ChainOrderList:
        """List a payment's orders on chains.

        Orders of a payment on connected chains, with every transaction signed for them.
        """
        call = Call(
            "GET",
            path_of("/v2/chains/orders/{recordId}", record_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ChainOrderList)

    async def retrieve(self, name: str, *, timeout: float | None = None) -> replies.ChainReply:
        """Retrieve a connected chain.

        One chain, as in the list.
        """
        call = Call(
            "GET",
            path_of("/v2/chains/{name}", name),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ChainReply)


class AsyncDepositReviews:
    """Operations of `deposit_reviews`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> replies.DepositReviewPage:
        """List unmatched deposits.

        List unmatched deposits, the longest waiting first.
        """
        call = Call(
            "GET",
            path_of("/v2/reviews/deposits"),
            query={
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.DepositReviewPage)

    async def list_all(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.DepositReview]:
        """List unmatched deposits, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list(
                limit=limit,
                created_before=created_before,
                created_after=created_after,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.reviews:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def retrieve(
        self, incoming_payment_id: str, *, timeout: float | None = None
    ) -> replies.DepositReview:
        """Retrieve a deposit.

        Get a deposit in any status.
        """
        call = Call(
            "GET",
            path_of("/v2/reviews/deposits/{incomingPaymentId}", incoming_payment_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.DepositReview)

    async def match(
        self, incoming_payment_id: str, body: requests.DepositMatch, *, timeout: float | None = None
    ) -> replies.DepositReview:
        """Match a deposit manually.

        Match a deposit with an onramp of exactly this amount, or with a virtual account.
        """
        call = Call(
            "POST",
            path_of("/v2/reviews/deposits/{incomingPaymentId}/match", incoming_payment_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.DepositReview)

    async def return_(
        self,
        incoming_payment_id: str,
        body: requests.DepositReturn,
        *,
        timeout: float | None = None,
    ) -> replies.DepositReview:
        """Send a deposit back.

        Return the whole deposit to its sender by its rail.
        """
        call = Call(
            "POST",
            path_of("/v2/reviews/deposits/{incomingPaymentId}/return", incoming_payment_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.DepositReview)

    async def settle(
        self,
        incoming_payment_id: str,
        body: requests.DepositSettlement,
        *,
        timeout: float | None = None,
    ) -> replies.DepositReview:
        """Settle a return outside.

        Record that the sender has the deposit back by means other than the bank's return.
        """
        call = Call(
            "POST",
            path_of("/v2/reviews/deposits/{incomingPaymentId}/settle", incoming_payment_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.DepositReview)


class AsyncDepositScreenings:
    """Operations of `deposit_screenings`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | None = None,
        status: Sequence[Literal["IN_SCREENING", "HELD", "RELEASED", "REJECTED", "LOST"]]
        | None = None,
        timeout: float | None = None,
    ) -> replies.DepositScreeningList:
        """List deposit screenings.

        List screenings, the oldest first. A held deposit is decided on by a resolution.
        """
        call = Call(
            "GET",
            path_of("/v2/reviews/deposit-screenings"),
            query={
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
                "status": status,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.DepositScreeningList)

    async def list_all(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        status: Sequence[Literal["IN_SCREENING", "HELD", "RELEASED", "REJECTED", "LOST"]]
        | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.DepositScreeningReply]:
        """List deposit screenings, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list(
                limit=limit,
                created_before=created_before,
                created_after=created_after,
                status=status,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.reviews:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def retrieve(
        self, screening_id: str, *, timeout: float | None = None
    ) -> replies.DepositScreeningReply:
        """Retrieve a deposit screening.

        Return a screening, open or closed.
        """
        call = Call(
            "GET",
            path_of("/v2/reviews/deposit-screenings/{screeningId}", screening_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.DepositScreeningReply)


class AsyncDeposits:
    """Operations of `deposits`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(
        self,
        user_id: str,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | datetime | None = None,
        chain: Literal["POLYGON", "ETHEREUM", "SOLANA", "BASE"],
        currency: Literal["usdHifi", "usdc", "usdg", "usdt"],
        status: Literal["CONFIRMED", "COMPLETED"] | None = None,
        min_amount: str | Decimal | None = None,
        timeout: float | None = None,
    ) -> replies.DepositPage:
        """List deposits.

        Newest first; coins from outside, from other users, from onramps and bridges.
        """
        call = Call(
            "GET",
            path_of("/v2/users/{userId}/wallets/deposits", user_id),
            query={
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
                "chain": chain,
                "currency": currency,
                "status": status,
                "minAmount": min_amount,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.DepositPage)

    async def list_all(
        self,
        user_id: str,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        chain: Literal["POLYGON", "ETHEREUM", "SOLANA", "BASE"],
        currency: Literal["usdHifi", "usdc", "usdg", "usdt"],
        status: Literal["CONFIRMED", "COMPLETED"] | None = None,
        min_amount: str | Decimal | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.DepositReply]:
        """List deposits, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list(
                user_id,
                limit=limit,
                created_before=created_before,
                created_after=created_after,
                chain=chain,
                currency=currency,
                status=status,
                min_amount=min_amount,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.records:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def retrieve(
        self, user_id: str, deposit_id: str, *, timeout: float | None = None
    ) -> replies.DepositReply:
        """Retrieve a deposit.

        One deposit of this user, however small.
        """
        call = Call(
            "GET",
            path_of("/v2/users/{userId}/wallets/deposits/{depositId}", user_id, deposit_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.DepositReply)


class AsyncDisbursements:
    """Operations of `disbursements`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | datetime | None = None,
        user_id: str | None = None,
        timeout: float | None = None,
    ) -> replies.DisbursementPage:
        """List disbursements.

        List the disbursements to one user or of the whole organisation, newest first.
        """
        call = Call(
            "GET",
            path_of("/v2/disbursements"),
            query={
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
                "userId": user_id,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.DisbursementPage)

    async def list_all(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        user_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.DisbursementReply]:
        """List disbursements, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list(
                limit=limit,
                created_before=created_before,
                created_after=created_after,
                user_id=user_id,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.records:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def retrieve(
        self,
        disbursement_id: str,
        *,
        expand: Literal["timeline"] | None = None,
        timeout: float | None = None,
    ) -> replies.DisbursementReply:
        """Retrieve a disbursement.

        Return one disbursement.
        """
        call = Call(
            "GET",
            path_of("/v2/disbursements/{disbursementId}", disbursement_id),
            query={"expand": expand},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.DisbursementReply)


class AsyncEvents:
    """Operations of `events`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(
        self,
        *,
        event_type: Sequence[str] | None = None,
        object_id: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        limit: int | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> replies.EventPage:
        """List events.

        Oldest first: a client that continues with `nextCursor` never misses an event.

        A page may have fewer events than its limit, or none, and still continue: where events
        of these types are rare it ends early, and at the end of the log `nextCursor` is for
        future events. It is null only if nothing can follow.
        """
        call = Call(
            "GET",
            path_of("/v2/events"),
            query={
                "eventType": event_type,
                "objectId": object_id,
                "order": order,
                "limit": limit,
                "createdAfter": created_after,
                "createdBefore": created_before,
                "cursor": cursor,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.EventPage)

    async def list_all(
        self,
        *,
        event_type: Sequence[str] | None = None,
        object_id: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        limit: int | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.Envelope]:
        """List events, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list(
                event_type=event_type,
                object_id=object_id,
                order=order,
                limit=limit,
                created_after=created_after,
                created_before=created_before,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.records:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def retrieve(
        self, event_id: str, *, timeout: float | None = None
    ) -> replies.EventWithDeliveries:
        """Retrieve an event.

        One event, with its deliveries to each endpoint.
        """
        call = Call(
            "GET",
            path_of("/v2/events/{eventId}", event_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.EventWithDeliveries)


class AsyncExternalWallets:
    """Operations of `external_wallets`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(
        self,
        user_id: str,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | datetime | None = None,
        timeout: float | None = None,
    ) -> replies.ExternalWalletPage:
        """List external wallets.

        List addresses, newest first; pass `nextCursor` as `createdBefore`.
        """
        call = Call(
            "GET",
            path_of("/v2/users/{userId}/wallets/external", user_id),
            query={
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ExternalWalletPage)

    async def list_all(
        self,
        user_id: str,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.ExternalWalletReply]:
        """List external wallets, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list(
                user_id,
                limit=limit,
                created_before=created_before,
                created_after=created_after,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.external_wallets:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def create(
        self,
        user_id: str,
        body: requests.NewExternalWallet,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> replies.ExternalWalletReply:
        """Register an external wallet.

        Registers an address outside the platform, to which the user may then send.
        """
        call = Call(
            "POST",
            path_of("/v2/users/{userId}/wallets/external", user_id),
            body=body,
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ExternalWalletReply)

    async def retrieve(
        self, user_id: str, external_wallet_id: str, *, timeout: float | None = None
    ) -> replies.ExternalWalletReply:
        """Retrieve an external wallet.

        One registered address of this user.
        """
        call = Call(
            "GET",
            path_of(
                "/v2/users/{userId}/wallets/external/{externalWalletId}",
                user_id,
                external_wallet_id,
            ),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ExternalWalletReply)


class AsyncFiles:
    """Operations of `files`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def create(
        self,
        file_name: str,
        content: bytes,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> replies.FileReply:
        """Upload a file.

        Keeps a pdf, jpeg, png, heic or tif of up to 10 MB, sent as the part `file`.
        """
        call = Call(
            "POST",
            path_of("/v2/files"),
            upload=(file_name, content),
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.FileReply)

    async def retrieve(self, file_id: str, *, timeout: float | None = None) -> replies.FileReply:
        """Retrieve a file.

        Metadata of a file, without its content.
        """
        call = Call(
            "GET",
            path_of("/v2/files/{fileId}", file_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.FileReply)

    async def delete(self, file_id: str, *, timeout: float | None = None) -> replies.FileReply:
        """Delete a file.

        Deletes a file that no document references, for good; returns its last state.
        """
        call = Call(
            "DELETE",
            path_of("/v2/files/{fileId}", file_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.FileReply)

    async def download(self, file_id: str, *, timeout: float | None = None) -> bytes:
        """Download a file.

        The bytes as they were uploaded; not for analysts and keys that only read.
        """
        call = Call(
            "GET",
            path_of("/v2/files/{fileId}/content", file_id),
            timeout=timeout,
        )
        return await self._sender.download(call)


class AsyncKyc:
    """Operations of `kyc`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list_statuses(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | datetime | None = None,
        user_id: str | None = None,
        user_name: str | None = None,
        user_email: str | None = None,
        rails: Sequence[
            Literal[
                "USD",
                "SOUTH_AMERICA_STANDARD",
                "AFRICA_GENERAL",
                "AFRICA_NIGERIA",
                "GLOBAL_NETWORK",
            ]
        ]
        | None = None,
        status: Sequence[
            Literal[
                "INACTIVE",
                "CREATED",
                "PENDING",
                "MANUAL_REVIEW",
                "RFI_PENDING",
                "INCOMPLETE",
                "ACTIVE",
                "REJECTED",
                "CONTACT_SUPPORT",
            ]
        ]
        | None = None,
        timeout: float | None = None,
    ) -> list[replies.ListedStatus]:
        """List KYC statuses.

        List statuses, newest first; name and e-mail match partially and ignore case.
        """
        call = Call(
            "GET",
            path_of("/v2/kyc/status"),
            query={
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
                "userId": user_id,
                "userName": user_name,
                "userEmail": user_email,
                "rails": rails,
                "status": status,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, list[replies.ListedStatus])

    async def retrieve(
        self,
        user_id: str,
        *,
        expand: Sequence[
            Literal["ultimateBeneficialOwners", "documents", "ultimateBeneficialOwners.documents"]
        ]
        | None = None,
        timeout: float | None = None,
    ) -> dict[str, Any]:
        """Retrieve KYC data.

        Return every member of the user's type; members without a value are null.
        """
        call = Call(
            "GET",
            path_of("/v2/users/{userId}/kyc", user_id),
            query={"expand": expand},
            timeout=timeout,
        )
        return await self._sender.send(call, dict[str, Any])

    async def update(
        self,
        user_id: str,
        body: requests.IndividualKycUpdate | requests.BusinessKycUpdate,
        *,
        expand: Sequence[
            Literal["ultimateBeneficialOwners", "documents", "ultimateBeneficialOwners.documents"]
        ]
        | None = None,
        timeout: float | None = None,
    ) -> dict[str, Any]:
        """Update KYC data.

        Change the given members; null removes a value.
        """
        call = Call(
            "POST",
            path_of("/v2/users/{userId}/kyc", user_id),
            body=body,
            query={"expand": expand},
            timeout=timeout,
        )
        return await self._sender.send(call, dict[str, Any])

    async def list_documents(
        self, user_id: str, *, timeout: float | None = None
    ) -> replies.KycDocumentList:
        """List documents.

        List all documents of the user, including documents of its owners.
        """
        call = Call(
            "GET",
            path_of("/v2/users/{userId}/kyc/documents", user_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.KycDocumentList)

    async def add_documents(
        self,
        user_id: str,
        body: Sequence[requests.IndividualDocumentAdd] | Sequence[requests.BusinessDocumentAdd],
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> replies.KycDocumentList:
        """Add documents.

        Add 1 to 20 documents, all or none, and return the added documents.
        """
        call = Call(
            "POST",
            path_of("/v2/users/{userId}/kyc/documents", user_id),
            body=body,
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.KycDocumentList)

    async def retrieve_document(
        self, user_id: str, document_id: str, *, timeout: float | None = None
    ) -> replies.KycDocument:
        """Retrieve a document.

        Return one document of the user or of one of its owners.
        """
        call = Call(
            "GET",
            path_of("/v2/users/{userId}/kyc/documents/{documentId}", user_id, document_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.KycDocument)

    async def update_document(
        self,
        user_id: str,
        document_id: str,
        body: requests.KycDocumentUpdate,
        *,
        timeout: float | None = None,
    ) -> replies.KycDocument:
        """Update a document.

        Changes the members that are given; type, subType and uboId never change.
        """
        call = Call(
            "POST",
            path_of("/v2/users/{userId}/kyc/documents/{documentId}", user_id, document_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.KycDocument)

    async def open_provider_link(
        self, user_id: str, body: requests.LinkRequest, *, timeout: float | None = None
    ) -> replies.ProviderLinkReply:
        """Open the page of the identity provider.

        Return a new address of the provider's page, on which the person continues.

        The user's case must be PENDING, INCOMPLETE or RFI_PENDING at a connected provider.
        """
        call = Call(
            "POST",
            path_of("/v2/users/{userId}/kyc/provider-links", user_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ProviderLinkReply)

    async def retrieve_requirements(
        self,
        user_id: str,
        *,
        rails: Sequence[
            Literal[
                "USD",
                "SOUTH_AMERICA_STANDARD",
                "AFRICA_GENERAL",
                "AFRICA_NIGERIA",
                "GLOBAL_NETWORK",
            ]
        ],
        timeout: float | None = None,
    ) -> dict[str, Any] | list[dict[str, Any]]:
        """Retrieve KYC requirements.

        Return the requirements of a rail and the missing data; an array for several rails.
        """
        call = Call(
            "GET",
            path_of("/v2/users/{userId}/kyc/requirements", user_id),
            query={"rails": rails},
            timeout=timeout,
        )
        return await self._sender.send(call, dict[str, Any] | list[dict[str, Any]])

    async def submit_shared(
        self, user_id: str, body: requests.SharedSubmission, *, timeout: float | None = None
    ) -> replies.SubmissionReplies:
        """Submit KYC with a share token.

        Submit the current data, and have the provider take over an earlier verification.

        Refused if no connected provider verifies for one of the rails.
        """
        call = Call(
            "POST",
            path_of("/v2/users/{userId}/kyc/shared-submissions", user_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.SubmissionReplies)

    async def retrieve_status(
        self,
        user_id: str,
        *,
        rails: Literal[
            "USD", "SOUTH_AMERICA_STANDARD", "AFRICA_GENERAL", "AFRICA_NIGERIA", "GLOBAL_NETWORK"
        ]
        | None = None,
        timeout: float | None = None,
    ) -> dict[str, Any]:
        """Retrieve the KYC status.

        Return the status with the findings; INACTIVE if no data was ever submitted.
        """
        call = Call(
            "GET",
            path_of("/v2/users/{userId}/kyc/status", user_id),
            query={"rails": rails},
            timeout=timeout,
        )
        return await self._sender.send(call, dict[str, Any])

    async def submit(
        self, user_id: str, body: requests.Submission, *, timeout: float | None = None
    ) -> replies.SubmissionReplies:
        """Submit KYC.

        Submit the current data; a rail already submitted keeps its status.
        """
        call = Call(
            "POST",
            path_of("/v2/users/{userId}/kyc/submissions", user_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.SubmissionReplies)

    async def list_owners(
        self, user_id: str, *, timeout: float | None = None
    ) -> replies.KycOwnerList:
        """List owners.

        List all ultimate beneficial owners of a business.
        """
        call = Call(
            "GET",
            path_of("/v2/users/{userId}/kyc/ubos", user_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.KycOwnerList)

    async def add_owner(
        self,
        user_id: str,
        body: requests.KycOwnerUpdate,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> replies.KycOwner:
        """Add an owner.

        Adds an ultimate beneficial owner to a business.
        """
        call = Call(
            "POST",
            path_of("/v2/users/{userId}/kyc/ubos", user_id),
            body=body,
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.KycOwner)

    async def retrieve_owner(
        self, user_id: str, ubo_id: str, *, timeout: float | None = None
    ) -> replies.KycOwner:
        """Retrieve an owner.

        One ultimate beneficial owner of this business.
        """
        call = Call(
            "GET",
            path_of("/v2/users/{userId}/kyc/ubos/{uboId}", user_id, ubo_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.KycOwner)

    async def update_owner(
        self,
        user_id: str,
        ubo_id: str,
        body: requests.KycOwnerUpdate,
        *,
        timeout: float | None = None,
    ) -> replies.KycOwner:
        """Update an owner.

        Change the given members; null removes a value.
        """
        call = Call(
            "POST",
            path_of("/v2/users/{userId}/kyc/ubos/{uboId}", user_id, ubo_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.KycOwner)


class AsyncKycLinks:
    """Operations of `kyc_links`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def create(
        self,
        body: requests.NewKycLink,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> replies.KycLinkCreatedReply:
        """Make a link to the hosted form.

        Create a link, which is valid for five days and can be completed once.
        """
        call = Call(
            "POST",
            path_of("/v2/kyc-link"),
            body=body,
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.KycLinkCreatedReply)


class AsyncKycReviews:
    """Operations of `kyc_reviews`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | None = None,
        status: Sequence[
            Literal[
                "INACTIVE",
                "CREATED",
                "PENDING",
                "MANUAL_REVIEW",
                "RFI_PENDING",
                "INCOMPLETE",
                "ACTIVE",
                "REJECTED",
                "CONTACT_SUPPORT",
            ]
        ]
        | None = None,
        timeout: float | None = None,
    ) -> replies.ReviewPage:
        """List KYC reviews.

        List summaries, longest waiting first; each review has the full content.
        """
        call = Call(
            "GET",
            path_of("/v2/reviews/kyc"),
            query={
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
                "status": status,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ReviewPage)

    async def list_all(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        status: Sequence[
            Literal[
                "INACTIVE",
                "CREATED",
                "PENDING",
                "MANUAL_REVIEW",
                "RFI_PENDING",
                "INCOMPLETE",
                "ACTIVE",
                "REJECTED",
                "CONTACT_SUPPORT",
            ]
        ]
        | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.ListedReview]:
        """List KYC reviews, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list(
                limit=limit,
                created_before=created_before,
                created_after=created_after,
                status=status,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.reviews:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def retrieve(self, case_id: str, *, timeout: float | None = None) -> replies.ReviewReply:
        """Retrieve a KYC review.

        Return one case in any status.
        """
        call = Call(
            "GET",
            path_of("/v2/reviews/kyc/{caseId}", case_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ReviewReply)

    async def decide(
        self, case_id: str, body: requests.DecisionBody, *, timeout: float | None = None
    ) -> replies.ReviewReply:
        """Decide a KYC review.

        Decide a case; of two concurrent decisions one succeeds, the other returns 409.
        """
        call = Call(
            "POST",
            path_of("/v2/reviews/kyc/{caseId}", case_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ReviewReply)


class AsyncLimits:
    """Operations of `limits`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def retrieve(
        self, *, user_id: str | None = None, timeout: float | None = None
    ) -> replies.LimitsReply:
        """Retrieve limits.

        Get the rules of the organisation and their remaining amounts.
        """
        call = Call(
            "GET",
            path_of("/v2/limits"),
            query={"userId": user_id},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.LimitsReply)

    async def simulate(
        self, body: requests.LimitSimulationRequest, *, timeout: float | None = None
    ) -> replies.LimitSimulationReply:
        """Simulate limits.

        Simulate other rules on the payments of the last days; changes nothing.
        """
        call = Call(
            "POST",
            path_of("/v2/limits/simulate"),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.LimitSimulationReply)


class AsyncMetrics:
    """Operations of `metrics`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(self, *, timeout: float | None = None) -> replies.MetricList:
        """List saved metrics.

        List all, newest first.
        """
        call = Call(
            "GET",
            path_of("/v2/reporting/metrics"),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.MetricList)

    async def create(
        self,
        body: requests.NewMetric,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> replies.MetricEnvelope:
        """Save a metric.

        Validate and save a metric without calculating it. At most 1,000 per organisation.
        """
        call = Call(
            "POST",
            path_of("/v2/reporting/metrics"),
            body=body,
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.MetricEnvelope)

    async def preview(
        self, body: requests.MetricPreview, *, timeout: float | None = None
    ) -> replies.MetricResultReply:
        """Calculate a metric.

        Calculate a metric without saving it.
        """
        call = Call(
            "POST",
            path_of("/v2/reporting/metrics/preview"),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.MetricResultReply)

    async def download_preview(
        self,
        body: requests.MetricPreview,
        *,
        format: Literal["csv", "parquet"] | None = None,
        content: Literal["results", "transactions"] | None = None,
        timeout: float | None = None,
    ) -> bytes:
        """Calculate a metric into a file.

        Download a preview, or the transactions behind it; nothing is saved.
        """
        call = Call(
            "POST",
            path_of("/v2/reporting/metrics/preview/download"),
            body=body,
            query={"format": format, "content": content},
            timeout=timeout,
        )
        return await self._sender.download(call)

    async def retrieve(
        self, metric_id: str, *, timeout: float | None = None
    ) -> replies.MetricEnvelope:
        """Retrieve a saved metric.

        Return one metric.
        """
        call = Call(
            "GET",
            path_of("/v2/reporting/metrics/{metricId}", metric_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.MetricEnvelope)

    async def update(
        self, metric_id: str, body: requests.MetricChange, *, timeout: float | None = None
    ) -> replies.MetricEnvelope:
        """Update a saved metric.

        Change the name or the given parameters; the template cannot change.
        """
        call = Call(
            "POST",
            path_of("/v2/reporting/metrics/{metricId}", metric_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.MetricEnvelope)

    async def delete(
        self, metric_id: str, *, timeout: float | None = None
    ) -> replies.MetricEnvelope:
        """Delete a saved metric.

        Delete permanently; returns the deleted metric.
        """
        call = Call(
            "DELETE",
            path_of("/v2/reporting/metrics/{metricId}", metric_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.MetricEnvelope)

    async def download(
        self,
        metric_id: str,
        *,
        format: Literal["csv", "parquet"] | None = None,
        content: Literal["results", "transactions"] | None = None,
        timeout: float | None = None,
    ) -> bytes:
        """Calculate a saved metric into a file.

        Download the results, or the transactions behind them.
        """
        call = Call(
            "GET",
            path_of("/v2/reporting/metrics/{metricId}/download", metric_id),
            query={"format": format, "content": content},
            timeout=timeout,
        )
        return await self._sender.download(call)

    async def retrieve_results(
        self, metric_id: str, *, timeout: float | None = None
    ) -> replies.MetricResultReply:
        """Calculate a saved metric.

        Calculate the metric now.
        """
        call = Call(
            "GET",
            path_of("/v2/reporting/metrics/{metricId}/results", metric_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.MetricResultReply)

    async def list_options(
        self,
        name: str,
        *,
        page: int | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> replies.OptionList:
        """List what a parameter may be.

        List a page of the values of `transactionTypes`, `userIds` and other template filters.
        """
        call = Call(
            "GET",
            path_of("/v2/reporting/params/{name}/options", name),
            query={"page": page, "limit": limit},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.OptionList)


class AsyncOfframps:
    """Operations of `offramps`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | datetime | None = None,
        user_id: str | None = None,
        timeout: float | None = None,
    ) -> replies.OfframpPage:
        """List offramps.

        Newest first, of one user or of the whole organisation.
        """
        call = Call(
            "GET",
            path_of("/v2/offramps"),
            query={
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
                "userId": user_id,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.OfframpPage)

    async def list_all(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        user_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.OfframpReply]:
        """List offramps, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list(
                limit=limit,
                created_before=created_before,
                created_after=created_after,
                user_id=user_id,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.records:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def create(
        self,
        body: requests.NewOfframp,
        *,
        dry_run: bool | None = None,
        sandbox: str | None = None,
        timeout: float | None = None,
    ) -> replies.OfframpReply:
        """Create an offramp.

        Quote a payout to a bank account (OPEN_QUOTE). Accept the quote within ten minutes.

        With `requireApproval` it first awaits an admin (PENDING_APPROVAL) for a day at most,
        and is quoted on approval. The same `requestId` with the same body returns the same
        offramp.
        """
        call = Call(
            "POST",
            path_of("/v2/offramps"),
            body=body,
            query={"dryRun": dry_run},
            headers={"Landbridge-Sandbox": sandbox},
            id_member="requestId",
            timeout=timeout,
        )
        return await self._sender.send(call, replies.OfframpReply)

    async def retrieve_rate(
        self, *, from_currency: str, to_currency: str, timeout: float | None = None
    ) -> replies.RateReply:
        """Rate of an offramp.

        Return the fiat per stablecoin; `usd-hka`, `usd-chn` and `usd-sgp` are dollars abroad.
        """
        call = Call(
            "GET",
            path_of("/v2/offramps/rates"),
            query={"fromCurrency": from_currency, "toCurrency": to_currency},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.RateReply)

    async def retrieve(
        self,
        transfer_id: str,
        *,
        expand: Literal["timeline"] | None = None,
        timeout: float | None = None,
    ) -> replies.OfframpReply:
        """Retrieve an offramp.

        Get an offramp.
        """
        call = Call(
            "GET",
            path_of("/v2/offramps/{transferId}", transfer_id),
            query={"expand": expand},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.OfframpReply)

    async def cancel(
        self, transfer_id: str, *, timeout: float | None = None
    ) -> replies.OfframpReply:
        """Cancel an offramp in review.

        Cancel an offramp that is IN_REVIEW. Received coins are returned.
        """
        call = Call(
            "POST",
            path_of("/v2/offramps/{transferId}/cancel", transfer_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.OfframpReply)

    async def accept(
        self, transfer_id: str, *, timeout: float | None = None
    ) -> replies.OfframpReply:
        """Accept an offramp's quote.

        Accept the offramp at its quote. A repeated accept returns the same reply.

        Coins of a registered external wallet are then awaited: `depositInformation` gives the
        address and the deadline.
        """
        call = Call(
            "POST",
            path_of("/v2/offramps/{transferId}/quote/accept", transfer_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.OfframpReply)

    async def renew_quote(
        self, transfer_id: str, *, timeout: float | None = None
    ) -> replies.OfframpReply:
        """Renew an offramp's expired quote.

        Quote an expired offramp again, as a new one. A repeated call returns the same one.

        An approval of the last day is kept if the policy has not changed since, no more is
        debited and at most 1% less arrives. Otherwise the new offramp awaits an approval.
        """
        call = Call(
            "POST",
            path_of("/v2/offramps/{transferId}/quote/renew", transfer_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.OfframpReply)


class AsyncOnramps:
    """Operations of `onramps`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | datetime | None = None,
        user_id: str | None = None,
        timeout: float | None = None,
    ) -> replies.OnrampPage:
        """List onramps.

        List transfers, newest first, of one user or of the whole organisation.
        """
        call = Call(
            "GET",
            path_of("/v2/onramps"),
            query={
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
                "userId": user_id,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.OnrampPage)

    async def list_all(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        user_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.OnrampReply]:
        """List onramps, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list(
                limit=limit,
                created_before=created_before,
                created_after=created_after,
                user_id=user_id,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.records:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def create(
        self,
        body: requests.NewOnramp,
        *,
        dry_run: bool | None = None,
        sandbox: str | None = None,
        timeout: float | None = None,
    ) -> replies.OnrampReply:
        """Create an onramp.

        Quote an onramp (OPEN_QUOTE). Accept the quote within 24 hours.

        The same `requestId` with the same body returns the same onramp.
        """
        call = Call(
            "POST",
            path_of("/v2/onramps"),
            body=body,
            query={"dryRun": dry_run},
            headers={"Landbridge-Sandbox": sandbox},
            id_member="requestId",
            timeout=timeout,
        )
        return await self._sender.send(call, replies.OnrampReply)

    async def retrieve_rate(
        self, *, from_currency: str, to_currency: str, timeout: float | None = None
    ) -> replies.RateReply:
        """Rate of an onramp.

        Return the stablecoins received per unit of fiat.
        """
        call = Call(
            "GET",
            path_of("/v2/onramps/rates"),
            query={"fromCurrency": from_currency, "toCurrency": to_currency},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.RateReply)

    async def retrieve(
        self,
        transfer_id: str,
        *,
        expand: Literal["timeline"] | None = None,
        timeout: float | None = None,
    ) -> replies.OnrampReply:
        """Retrieve an onramp.

        Get an onramp.
        """
        call = Call(
            "GET",
            path_of("/v2/onramps/{transferId}", transfer_id),
            query={"expand": expand},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.OnrampReply)

    async def cancel(
        self, transfer_id: str, *, timeout: float | None = None
    ) -> replies.OnrampReply:
        """Cancel an onramp in review.

        Cancel an onramp that is IN_REVIEW. A received deposit is returned to its sender.
        """
        call = Call(
            "POST",
            path_of("/v2/onramps/{transferId}/cancel", transfer_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.OnrampReply)

    async def accept(
        self, transfer_id: str, *, timeout: float | None = None
    ) -> replies.AcceptedOnrampReply:
        """Accept an onramp's quote.

        Accept the quote and return the deposit instructions.

        A repeated accept returns the same reply.
        """
        call = Call(
            "POST",
            path_of("/v2/onramps/{transferId}/quote/accept", transfer_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.AcceptedOnrampReply)

    async def refresh_quote(
        self, transfer_id: str, *, timeout: float | None = None
    ) -> replies.OnrampReply:
        """Refresh an onramp's quote.

        Refresh an open quote at the current price, valid for another 24 hours.
        """
        call = Call(
            "POST",
            path_of("/v2/onramps/{transferId}/quote/refresh", transfer_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.OnrampReply)


class AsyncPaymentScreenings:
    """Operations of `payment_screenings`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | None = None,
        status: Sequence[Literal["IN_SCREENING", "HELD", "RELEASED", "REJECTED", "VOID"]]
        | None = None,
        timeout: float | None = None,
    ) -> replies.PaymentScreeningList:
        """List payment screenings.

        List screenings, the oldest first. A held payment is decided on by a resolution.
        """
        call = Call(
            "GET",
            path_of("/v2/reviews/payment-screenings"),
            query={
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
                "status": status,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.PaymentScreeningList)

    async def list_all(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        status: Sequence[Literal["IN_SCREENING", "HELD", "RELEASED", "REJECTED", "VOID"]]
        | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.PaymentScreeningReply]:
        """List payment screenings, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list(
                limit=limit,
                created_before=created_before,
                created_after=created_after,
                status=status,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.reviews:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def retrieve(
        self, payment_screening_id: str, *, timeout: float | None = None
    ) -> replies.PaymentScreeningReply:
        """Retrieve a payment screening.

        Return a screening, open or closed.
        """
        call = Call(
            "GET",
            path_of("/v2/reviews/payment-screenings/{paymentScreeningId}", payment_screening_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.PaymentScreeningReply)


class AsyncProofs:
    """Operations of `proofs`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def retrieve_checkpoint(
        self, *, since: int | None = None, timeout: float | None = None
    ) -> bytes:
        """Retrieve the latest checkpoint.

        Return the signed root of all changes.

        With `since`, the proof precedes it that the tree begins with that many leaves
        unchanged. Answers 404 before the first checkpoint.
        """
        call = Call(
            "GET",
            path_of("/v2/proofs/checkpoint"),
            query={"since": since},
            timeout=timeout,
        )
        return await self._sender.download(call)

    async def retrieve_reserves(
        self, close_id: str, *, user_id: str | None = None, timeout: float | None = None
    ) -> bytes:
        """Prove reserves.

        Return what a confirmed close says is owed and held, with its proof.

        With `userId`, the proof follows that this user's balances are in what is owed; it hides
        those of all others. Answers 409 until a checkpoint covers the close.
        """
        call = Call(
            "GET",
            path_of("/v2/proofs/reserves/{closeId}", close_id),
            query={"userId": user_id},
            timeout=timeout,
        )
        return await self._sender.download(call)

    async def retrieve_transfer(
        self, transfer_id: str, *, user_id: str | None = None, timeout: float | None = None
    ) -> bytes:
        """Prove a payment.

        Return proofs that show one party its entries, and hide those of all others.

        Answers 409 until a checkpoint covers the payment.
        """
        call = Call(
            "GET",
            path_of("/v2/proofs/transfers/{transferId}", transfer_id),
            query={"userId": user_id},
            timeout=timeout,
        )
        return await self._sender.download(call)


class AsyncProviders:
    """Operations of `providers`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(self, *, timeout: float | None = None) -> replies.ProviderList:
        """List connected providers.

        Providers with what they serve, their health, and the oldest that wait for each.

        No provider is called for it. Admins of the only organisation also get the numbers of
        calls.
        """
        call = Call(
            "GET",
            path_of("/v2/providers"),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ProviderList)


class AsyncReceivables:
    """Operations of `receivables`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | None = None,
        status: Sequence[Literal["OPEN", "RECOVERED", "WRITTEN_OFF"]] | None = None,
        transfer_id: str | None = None,
        timeout: float | None = None,
    ) -> replies.ReceivableList:
        """List receivables.

        List receivables, the oldest first; with `transferId`, the receivable of that payment.
        """
        call = Call(
            "GET",
            path_of("/v2/reviews/receivables"),
            query={
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
                "status": status,
                "transferId": transfer_id,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ReceivableList)

    async def list_all(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        status: Sequence[Literal["OPEN", "RECOVERED", "WRITTEN_OFF"]] | None = None,
        transfer_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.ReceivableReply]:
        """List receivables, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list(
                limit=limit,
                created_before=created_before,
                created_after=created_after,
                status=status,
                transfer_id=transfer_id,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.reviews:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def retrieve(
        self, receivable_id: str, *, timeout: float | None = None
    ) -> replies.ReceivableReply:
        """Retrieve a receivable.

        Return a receivable, open or closed.
        """
        call = Call(
            "GET",
            path_of("/v2/reviews/receivables/{receivableId}", receivable_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ReceivableReply)


class AsyncReconciliation:
    """Operations of `reconciliation`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list_closes(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> replies.ClosePage:
        """List daily closes.

        List closes of any status, the latest signature first.
        """
        call = Call(
            "GET",
            path_of("/v2/reconciliation/closes"),
            query={
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ClosePage)

    async def list_closes_all(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.CloseReply]:
        """List daily closes, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list_closes(
                limit=limit,
                created_before=created_before,
                created_after=created_after,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.closes:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def sign_close(
        self, body: requests.CloseSignature, *, timeout: float | None = None
    ) -> replies.CloseWithContent:
        """Sign a day's close.

        Sign the close of a day that has ended; a second person confirms it.

        A day has one close: a repeated request is refused, unless it was rejected.
        """
        call = Call(
            "POST",
            path_of("/v2/reconciliation/closes"),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.CloseWithContent)

    async def retrieve_close(
        self, close_id: str, *, timeout: float | None = None
    ) -> replies.CloseWithContent:
        """Retrieve a daily close.

        Return a close with what was signed.
        """
        call = Call(
            "GET",
            path_of("/v2/reconciliation/closes/{closeId}", close_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.CloseWithContent)

    async def confirm_close(
        self, close_id: str, body: requests.CloseConfirmation, *, timeout: float | None = None
    ) -> replies.CloseReply:
        """Confirm a daily close.

        Confirm what another person has signed. It never changes again.
        """
        call = Call(
            "POST",
            path_of("/v2/reconciliation/closes/{closeId}/confirm", close_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.CloseReply)

    async def reject_close(
        self, close_id: str, body: requests.CloseRejection, *, timeout: float | None = None
    ) -> replies.CloseReply:
        """Reject a daily close.

        Reject a close that waits, or withdraw your own; the day can be signed again.
        """
        call = Call(
            "POST",
            path_of("/v2/reconciliation/closes/{closeId}/reject", close_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.CloseReply)

    async def list_differences(
        self,
        *,
        status: Sequence[Literal["TIMING", "OPEN", "PROPOSED", "RESOLVED"]] | None = None,
        kind: Sequence[
            Literal[
                "MISSING_OUTSIDE",
                "UNKNOWN_OUTSIDE",
                "AMOUNT",
                "DUPLICATE",
                "POSITION",
                "REORGED",
                "SOURCE_SILENT",
                "STATEMENT_GAP",
            ]
        ]
        | None = None,
        source: Sequence[
            Literal[
                "POLYGON",
                "ETHEREUM",
                "SOLANA",
                "BASE",
                "BANK_USD",
                "BANK_EUR",
                "BANK_BRL",
                "BANK_MXN",
                "BANK_COP",
                "BANK_ARS",
                "BANK_HKD",
                "BANK_CNY",
                "BANK_SGD",
                "BANK_NGN",
                "BANK_KES",
                "BANK_ZMW",
                "BANK_MWK",
                "BANK_TZS",
                "BANK_BWP",
                "BANK_CDF",
                "BANK_GHS",
                "BANK_ZAR",
                "BANK_UGX",
                "BANK_RWF",
                "BANK_XAF",
                "BANK_XOF",
            ]
        ]
        | None = None,
        assignee_id: str | None = None,
        record_id: str | None = None,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> replies.DifferencePage:
        """List differences.

        List differences, newest first; the bounds are those of `since`.
        """
        call = Call(
            "GET",
            path_of("/v2/reconciliation/differences"),
            query={
                "status": status,
                "kind": kind,
                "source": source,
                "assigneeId": assignee_id,
                "recordId": record_id,
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.DifferencePage)

    async def list_differences_all(
        self,
        *,
        status: Sequence[Literal["TIMING", "OPEN", "PROPOSED", "RESOLVED"]] | None = None,
        kind: Sequence[
            Literal[
                "MISSING_OUTSIDE",
                "UNKNOWN_OUTSIDE",
                "AMOUNT",
                "DUPLICATE",
                "POSITION",
                "REORGED",
                "SOURCE_SILENT",
                "STATEMENT_GAP",
            ]
        ]
        | None = None,
        source: Sequence[
            Literal[
                "POLYGON",
                "ETHEREUM",
                "SOLANA",
                "BASE",
                "BANK_USD",
                "BANK_EUR",
                "BANK_BRL",
                "BANK_MXN",
                "BANK_COP",
                "BANK_ARS",
                "BANK_HKD",
                "BANK_CNY",
                "BANK_SGD",
                "BANK_NGN",
                "BANK_KES",
                "BANK_ZMW",
                "BANK_MWK",
                "BANK_TZS",
                "BANK_BWP",
                "BANK_CDF",
                "BANK_GHS",
                "BANK_ZAR",
                "BANK_UGX",
                "BANK_RWF",
                "BANK_XAF",
                "BANK_XOF",
            ]
        ]
        | None = None,
        assignee_id: str | None = None,
        record_id: str | None = None,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.DifferenceReply]:
        """List differences, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list_differences(
                status=status,
                kind=kind,
                source=source,
                assignee_id=assignee_id,
                record_id=record_id,
                limit=limit,
                created_before=created_before,
                created_after=created_after,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.differences:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def retrieve_difference(
        self, difference_id: str, *, timeout: float | None = None
    ) -> replies.DifferenceWithHistory:
        """Retrieve a difference.

        Return a difference of any status, and what was decided on it.
        """
        call = Call(
            "GET",
            path_of("/v2/reconciliation/differences/{differenceId}", difference_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.DifferenceWithHistory)

    async def accept_difference(
        self,
        difference_id: str,
        body: requests.DifferenceAcceptance,
        *,
        timeout: float | None = None,
    ) -> replies.DifferenceReply:
        """Accept an explanation.

        Accept another person's explanation: later runs expect the amount.

        If the explanation adjusts the ledger, this posts the journal, and later runs find
        nothing.
        """
        call = Call(
            "POST",
            path_of("/v2/reconciliation/differences/{differenceId}/accept", difference_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.DifferenceReply)

    async def assign_difference(
        self,
        difference_id: str,
        body: requests.DifferenceAssignment,
        *,
        timeout: float | None = None,
    ) -> replies.DifferenceReply:
        """Assign a difference.

        Assign an unresolved difference to a member, or to nobody.
        """
        call = Call(
            "POST",
            path_of("/v2/reconciliation/differences/{differenceId}/assign", difference_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.DifferenceReply)

    async def reject_difference(
        self,
        difference_id: str,
        body: requests.ExplanationRejection,
        *,
        timeout: float | None = None,
    ) -> replies.DifferenceReply:
        """Reject an explanation.

        Reject an explanation, or withdraw your own: the difference is open again.
        """
        call = Call(
            "POST",
            path_of("/v2/reconciliation/differences/{differenceId}/reject", difference_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.DifferenceReply)

    async def resolve_difference(
        self,
        difference_id: str,
        body: requests.DifferenceExplanation,
        *,
        timeout: float | None = None,
    ) -> replies.DifferenceReply:
        """Explain a difference.

        Explain an open difference, which then waits for a second person.

        With `adjustLedger` their acceptance books it; otherwise nothing is booked.
        """
        call = Call(
            "POST",
            path_of("/v2/reconciliation/differences/{differenceId}/resolve", difference_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.DifferenceReply)

    async def list_halts(
        self,
        *,
        status: Sequence[Literal["HALTED", "PROPOSED", "LIFTED", "CLEARED"]] | None = None,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> replies.HaltPage:
        """List halts.

        List halts, newest first; the bounds are those of `haltedAt`.
        """
        call = Call(
            "GET",
            path_of("/v2/reconciliation/halts"),
            query={
                "status": status,
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.HaltPage)

    async def list_halts_all(
        self,
        *,
        status: Sequence[Literal["HALTED", "PROPOSED", "LIFTED", "CLEARED"]] | None = None,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.HaltReply]:
        """List halts, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list_halts(
                status=status,
                limit=limit,
                created_before=created_before,
                created_after=created_after,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.halts:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def accept_lift(
        self, halt_id: str, body: requests.LiftAcceptance, *, timeout: float | None = None
    ) -> replies.HaltReply:
        """Lift a halt.

        Lift a halt that another person has proposed to lift: its payments go on.
        """
        call = Call(
            "POST",
            path_of("/v2/reconciliation/halts/{haltId}/accept", halt_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.HaltReply)

    async def lift_halt(
        self, halt_id: str, body: requests.HaltLift, *, timeout: float | None = None
    ) -> replies.HaltReply:
        """Propose to lift a halt.

        Say why payments may go on; they wait for a second person.
        """
        call = Call(
            "POST",
            path_of("/v2/reconciliation/halts/{haltId}/lift", halt_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.HaltReply)

    async def reject_lift(
        self, halt_id: str, body: requests.LiftRejection, *, timeout: float | None = None
    ) -> replies.HaltReply:
        """Reject the lift of a halt.

        Reject a proposal to lift a halt, or withdraw your own: its payments wait on.
        """
        call = Call(
            "POST",
            path_of("/v2/reconciliation/halts/{haltId}/reject", halt_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.HaltReply)

    async def list_runs(
        self,
        *,
        source: Sequence[
            Literal[
                "POLYGON",
                "ETHEREUM",
                "SOLANA",
                "BASE",
                "BANK_USD",
                "BANK_EUR",
                "BANK_BRL",
                "BANK_MXN",
                "BANK_COP",
                "BANK_ARS",
                "BANK_HKD",
                "BANK_CNY",
                "BANK_SGD",
                "BANK_NGN",
                "BANK_KES",
                "BANK_ZMW",
                "BANK_MWK",
                "BANK_TZS",
                "BANK_BWP",
                "BANK_CDF",
                "BANK_GHS",
                "BANK_ZAR",
                "BANK_UGX",
                "BANK_RWF",
                "BANK_XAF",
                "BANK_XOF",
            ]
        ]
        | None = None,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> replies.ReconRunPage:
        """List runs.

        List the comparisons of the last 90 days, newest first.
        """
        call = Call(
            "GET",
            path_of("/v2/reconciliation/runs"),
            query={
                "source": source,
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ReconRunPage)

    async def list_runs_all(
        self,
        *,
        source: Sequence[
            Literal[
                "POLYGON",
                "ETHEREUM",
                "SOLANA",
                "BASE",
                "BANK_USD",
                "BANK_EUR",
                "BANK_BRL",
                "BANK_MXN",
                "BANK_COP",
                "BANK_ARS",
                "BANK_HKD",
                "BANK_CNY",
                "BANK_SGD",
                "BANK_NGN",
                "BANK_KES",
                "BANK_ZMW",
                "BANK_MWK",
                "BANK_TZS",
                "BANK_BWP",
                "BANK_CDF",
                "BANK_GHS",
                "BANK_ZAR",
                "BANK_UGX",
                "BANK_RWF",
                "BANK_XAF",
                "BANK_XOF",
            ]
        ]
        | None = None,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.ReconRunReply]:
        """List runs, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list_runs(
                source=source,
                limit=limit,
                created_before=created_before,
                created_after=created_after,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.runs:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def list_sources(self, *, timeout: float | None = None) -> replies.ReconSourcesReply:
        """List sources.

        Return each chain and bank account that is compared, with its last comparison.
        """
        call = Call(
            "GET",
            path_of("/v2/reconciliation/sources"),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ReconSourcesReply)


class AsyncReportRuns:
    """Operations of `report_runs`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def retrieve(self, run_id: str, *, timeout: float | None = None) -> replies.RunReply:
        """Retrieve a run.

        Return the run of a schedule for one period.
        """
        call = Call(
            "GET",
            path_of("/v2/reporting/runs/{runId}", run_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.RunReply)

    async def download(self, run_id: str, *, timeout: float | None = None) -> bytes:
        """Download a report.

        Download the file of a run, as CSV or Parquet.
        """
        call = Call(
            "GET",
            path_of("/v2/reporting/runs/{runId}/download", run_id),
            timeout=timeout,
        )
        return await self._sender.download(call)


class AsyncReportSchedules:
    """Operations of `report_schedules`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(self, *, timeout: float | None = None) -> replies.ScheduleList:
        """List schedules.

        List all, newest first.
        """
        call = Call(
            "GET",
            path_of("/v2/reporting/schedules"),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ScheduleList)

    async def create(
        self,
        body: requests.NewSchedule,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> replies.ScheduleReply:
        """Create a schedule.

        Schedule a report after each day, week or month. At most 100.
        """
        call = Call(
            "POST",
            path_of("/v2/reporting/schedules"),
            body=body,
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ScheduleReply)

    async def retrieve(
        self, schedule_id: str, *, timeout: float | None = None
    ) -> replies.ScheduleReply:
        """Retrieve a schedule.

        Return one schedule, with the time of its next report.
        """
        call = Call(
            "GET",
            path_of("/v2/reporting/schedules/{scheduleId}", schedule_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ScheduleReply)

    async def update(
        self, schedule_id: str, body: requests.ScheduleChange, *, timeout: float | None = None
    ) -> replies.ScheduleReply:
        """Update a schedule.

        Change the recipients, or the version of the organisation's own template.

        Both apply from the next report on.
        """
        call = Call(
            "POST",
            path_of("/v2/reporting/schedules/{scheduleId}", schedule_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ScheduleReply)

    async def delete(
        self, schedule_id: str, *, timeout: float | None = None
    ) -> replies.ScheduleReply:
        """Delete a schedule.

        Delete a schedule; existing reports can be downloaded as long as before.
        """
        call = Call(
            "DELETE",
            path_of("/v2/reporting/schedules/{scheduleId}", schedule_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ScheduleReply)

    async def list_runs(self, schedule_id: str, *, timeout: float | None = None) -> replies.RunList:
        """List runs.

        List the runs of a schedule in the last 90 days, newest period first.
        """
        call = Call(
            "GET",
            path_of("/v2/reporting/schedules/{scheduleId}/runs", schedule_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.RunList)


class AsyncReportTemplates:
    """Operations of `report_templates`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(self, *, timeout: float | None = None) -> replies.TemplateList:
        """List metric templates.

        List every template with its parameters: Landbridge's own first, then yours.
        """
        call = Call(
            "GET",
            path_of("/v2/reporting/templates"),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.TemplateList)

    async def create(
        self, body: requests.NewTemplate, *, timeout: float | None = None
    ) -> replies.TemplateEnvelope:
        """Create a metric template.

        Create a template of the organisation's own. At most 100.
        """
        call = Call(
            "POST",
            path_of("/v2/reporting/templates"),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.TemplateEnvelope)

    async def retrieve(
        self, name: str, *, timeout: float | None = None
    ) -> replies.TemplateEnvelope:
        """Retrieve a metric template.

        Return one template; your own with its definition, and as `NAME@2` in that version.
        """
        call = Call(
            "GET",
            path_of("/v2/reporting/templates/{name}", name),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.TemplateEnvelope)

    async def update(
        self, name: str, body: requests.TemplateChange, *, timeout: float | None = None
    ) -> replies.TemplateEnvelope:
        """Update a metric template.

        Add a version; saved metrics and schedules stay on theirs until they are moved.
        """
        call = Call(
            "POST",
            path_of("/v2/reporting/templates/{name}", name),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.TemplateEnvelope)

    async def delete(self, name: str, *, timeout: float | None = None) -> replies.TemplateEnvelope:
        """Delete a metric template.

        Delete all versions, unless a saved metric or a schedule uses one of them.
        """
        call = Call(
            "DELETE",
            path_of("/v2/reporting/templates/{name}", name),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.TemplateEnvelope)


class AsyncReportTimeZone:
    """Operations of `report_time_zone`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def retrieve(self, *, timeout: float | None = None) -> replies.TimeZoneReply:
        """Retrieve the time zone.

        Return the value of the parameter `timeZone` that is available besides UTC.
        """
        call = Call(
            "GET",
            path_of("/v2/reporting/time-zone"),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.TimeZoneReply)

    async def replace(
        self, body: requests.NewTimeZone, *, timeout: float | None = None
    ) -> replies.TimeZoneReply:
        """Set the time zone.

        Start building days of a zone; reports use the previous one until they are complete.

        Until then, setting another zone answers 409.
        """
        call = Call(
            "PUT",
            path_of("/v2/reporting/time-zone"),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.TimeZoneReply)


class AsyncRequestLog:
    """Operations of `request_log`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | datetime | None = None,
        method: Literal["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"] | None = None,
        status: str | None = None,
        path: str | None = None,
        x_request_id: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> replies.LoggedPage:
        """List requests.

        Newest first, kept for a week; the last second may still be missing.
        """
        call = Call(
            "GET",
            path_of("/v2/request-log"),
            query={
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
                "method": method,
                "status": status,
                "path": path,
                "xRequestId": x_request_id,
                "requestId": request_id,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.LoggedPage)

    async def list_all(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        method: Literal["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"] | None = None,
        status: str | None = None,
        path: str | None = None,
        x_request_id: str | None = None,
        request_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.LoggedRequest]:
        """List requests, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list(
                limit=limit,
                created_before=created_before,
                created_after=created_after,
                method=method,
                status=status,
                path=path,
                x_request_id=x_request_id,
                request_id=request_id,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.requests:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def retrieve(
        self, x_request_id: str, *, timeout: float | None = None
    ) -> replies.LoggedBodies:
        """Retrieve a request.

        The newest request that was answered with this X-Request-Id, with both bodies.
        """
        call = Call(
            "GET",
            path_of("/v2/request-log/{xRequestId}", x_request_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.LoggedBodies)


class AsyncRequests:
    """Operations of `requests`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def retrieve(
        self, request_id: str, *, timeout: float | None = None
    ) -> replies.RequestReply:
        """Find out what became of a request.

        Return the resource a request created, if its response was lost; 404 if none.
        """
        call = Call(
            "GET",
            path_of("/v2/requests/{requestId}", request_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.RequestReply)


class AsyncResolutions:
    """Operations of `resolutions`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | datetime | None = None,
        status: Sequence[
            Literal["PENDING_APPROVAL", "APPROVED", "COMPLETED", "VOID", "REJECTED", "EXPIRED"]
        ]
        | None = None,
        timeout: float | None = None,
    ) -> replies.ResolutionPage:
        """List resolutions.

        List resolutions of any status, newest first.
        """
        call = Call(
            "GET",
            path_of("/v2/reviews/resolutions"),
            query={
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
                "status": status,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ResolutionPage)

    async def list_all(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        status: Sequence[
            Literal["PENDING_APPROVAL", "APPROVED", "COMPLETED", "VOID", "REJECTED", "EXPIRED"]
        ]
        | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.ResolutionReply]:
        """List resolutions, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list(
                limit=limit,
                created_before=created_before,
                created_after=created_after,
                status=status,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.resolutions:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def create(
        self, body: requests.ResolutionRequest, *, timeout: float | None = None
    ) -> replies.ResolutionReply:
        """Request a resolution.

        Request a resolution, which waits for a second person at /v2/transfer-approvals.
        """
        call = Call(
            "POST",
            path_of("/v2/reviews/resolutions"),
            body=body,
            id_member="requestId",
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ResolutionReply)

    async def list_actions(
        self, transfer_id: str, *, timeout: float | None = None
    ) -> replies.ResolvableReply:
        """List possible actions on a payment.

        List the possible actions; none while the payment continues or waits for its owner.
        """
        call = Call(
            "GET",
            path_of("/v2/reviews/resolutions/actions/{transferId}", transfer_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ResolvableReply)

    async def retrieve(
        self, resolution_id: str, *, timeout: float | None = None
    ) -> replies.ResolutionReply:
        """Retrieve a resolution.

        Return a resolution of any status.
        """
        call = Call(
            "GET",
            path_of("/v2/reviews/resolutions/{resolutionId}", resolution_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ResolutionReply)


class AsyncSandbox:
    """Operations of `sandbox`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def advance_clock(
        self,
        body: requests.ClockAdvance,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> replies.ClockReply:
        """Move the organisation's clock on.

        Everything that falls due by the new time is done, in order, before the response.
        """
        call = Call(
            "POST",
            path_of("/v2/sandbox/clock/advance"),
            body=body,
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ClockReply)

    async def retrieve_latency(self, *, timeout: float | None = None) -> replies.LatencyReply:
        """Retrieve the latency.

        Latency of the organisation's simulated chains and banks.
        """
        call = Call(
            "GET",
            path_of("/v2/sandbox/latency"),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.LatencyReply)

    async def set_latency(
        self, body: requests.LatencyRequest, *, timeout: float | None = None
    ) -> replies.LatencyReply:
        """Set the latency.

        Instant, or realistic: confirmations, cut-off times, weekends and bank holidays.
        """
        call = Call(
            "POST",
            path_of("/v2/sandbox/latency"),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.LatencyReply)

    async def deposit_coins(
        self,
        transfer_id: str,
        body: requests.CoinDeposit,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> replies.CoinDepositReply:
        """Deposit for an offramp.

        Coins arrive from the external wallet that funds the offramp.
        """
        call = Call(
            "POST",
            path_of("/v2/sandbox/offramps/{transferId}/deposit", transfer_id),
            body=body,
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.CoinDepositReply)

    async def deposit_fiat(
        self,
        transfer_id: str,
        body: requests.FiatDeposit,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> replies.FiatDepositReply:
        """Deposit for an onramp.

        Fiat arrives at the bank, and is matched or returned as real fiat would be.
        """
        call = Call(
            "POST",
            path_of("/v2/sandbox/onramps/{transferId}/deposit", transfer_id),
            body=body,
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.FiatDepositReply)

    async def list_outcomes(self, *, timeout: float | None = None) -> replies.OutcomesReply:
        """List what can be forced.

        Every step=outcome that the header Landbridge-Sandbox of a create accepts.
        """
        call = Call(
            "GET",
            path_of("/v2/sandbox/outcomes"),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.OutcomesReply)

    async def change_rfi(
        self, transfer_id: str, body: requests.RfiCommand, *, timeout: float | None = None
    ) -> replies.TransferReview:
        """Simulate an RFI.

        Open a request for information on an onramp or offramp, or close it.
        """
        call = Call(
            "POST",
            path_of("/v2/sandbox/transfers/{transferId}/rfi", transfer_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.TransferReview)

    async def fund_wallet(
        self,
        user_id: str,
        body: requests.FundingRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> replies.FundingReply:
        """Fund a wallet.

        Credit coins to the user's wallet at once.
        """
        call = Call(
            "POST",
            path_of("/v2/sandbox/users/{userId}/wallets/fund", user_id),
            body=body,
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.FundingReply)


class AsyncService:
    """Operations of `service`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def ping(self, *, timeout: float | None = None) -> replies.Pong:
        """Check the connection and the key.

        Answers `pong` to a caller with a valid key.
        """
        call = Call(
            "GET",
            path_of("/v2/ping"),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.Pong)


class AsyncSettlementRules:
    """Operations of `settlement_rules`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | datetime | None = None,
        chain: Literal["POLYGON", "ETHEREUM", "SOLANA", "BASE"] | None = None,
        timeout: float | None = None,
    ) -> replies.RulePage:
        """List settlement rules.

        List rules, newest first; pass `nextCursor` as `createdBefore`.
        """
        call = Call(
            "GET",
            path_of("/v2/virtual-accounts/settlement-rules"),
            query={
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
                "chain": chain,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.RulePage)

    async def list_all(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        chain: Literal["POLYGON", "ETHEREUM", "SOLANA", "BASE"] | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.RuleReply]:
        """List settlement rules, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list(
                limit=limit,
                created_before=created_before,
                created_after=created_after,
                chain=chain,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.rules:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def create(
        self, body: requests.NewRule, *, timeout: float | None = None
    ) -> replies.RuleReply:
        """Create a settlement rule.

        Create a rule; it has no effect until it is applied to a virtual account.
        """
        call = Call(
            "POST",
            path_of("/v2/virtual-accounts/settlement-rules"),
            body=body,
            id_member="requestId",
            timeout=timeout,
        )
        return await self._sender.send(call, replies.RuleReply)

    async def retrieve(self, rule_id: str, *, timeout: float | None = None) -> replies.RuleReply:
        """Retrieve a settlement rule.

        Get a rule.
        """
        call = Call(
            "GET",
            path_of("/v2/virtual-accounts/settlement-rules/{ruleId}", rule_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.RuleReply)

    async def delete(
        self, rule_id: str, *, timeout: float | None = None
    ) -> replies.RuleDeletedReply:
        """Delete a settlement rule.

        Delete a rule; refused while the rule is applied to a virtual account.
        """
        call = Call(
            "DELETE",
            path_of("/v2/virtual-accounts/settlement-rules/{ruleId}", rule_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.RuleDeletedReply)

    async def update(
        self, rule_id: str, body: requests.NewRule, *, timeout: float | None = None
    ) -> replies.RuleReply:
        """Update a settlement rule.

        Replace the whole rule, for future deposits.
        """
        call = Call(
            "POST",
            path_of("/v2/virtual-accounts/settlement-rules/{ruleId}/update", rule_id),
            body=body,
            id_member="requestId",
            timeout=timeout,
        )
        return await self._sender.send(call, replies.RuleReply)


class AsyncStatements:
    """Operations of `statements`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def download(
        self,
        *,
        user_id: str,
        wallet_id: str | None = None,
        currency: Literal["usdHifi", "usdc", "usdg", "usdt"] | None = None,
        created_after: str | datetime,
        created_before: str | datetime,
        time_zone: str | None = None,
        format: Literal["json", "csv", "pdf"] | None = None,
        detail: Literal["payments", "steps"] | None = None,
        timeout: float | None = None,
    ) -> replies.StatementReply:
        """Make an account statement.

        Return the movements of a user's wallets between two balances that tie to the ledger.

        JSON and PDF hold at most 10,000 lines; CSV is unlimited.
        """
        call = Call(
            "GET",
            path_of("/v2/reporting/statements"),
            query={
                "userId": user_id,
                "walletId": wallet_id,
                "currency": currency,
                "createdAfter": created_after,
                "createdBefore": created_before,
                "timeZone": time_zone,
                "format": format,
                "detail": detail,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.StatementReply)

    async def download_file(
        self,
        *,
        user_id: str,
        wallet_id: str | None = None,
        currency: Literal["usdHifi", "usdc", "usdg", "usdt"] | None = None,
        created_after: str | datetime,
        created_before: str | datetime,
        time_zone: str | None = None,
        format: Literal["csv", "pdf"],
        detail: Literal["payments", "steps"] | None = None,
        timeout: float | None = None,
    ) -> bytes:
        """Make an account statement.

        Return the movements of a user's wallets between two balances that tie to the ledger.

        JSON and PDF hold at most 10,000 lines; CSV is unlimited.
        """
        call = Call(
            "GET",
            path_of("/v2/reporting/statements"),
            query={
                "userId": user_id,
                "walletId": wallet_id,
                "currency": currency,
                "createdAfter": created_after,
                "createdBefore": created_before,
                "timeZone": time_zone,
                "format": format,
                "detail": detail,
            },
            timeout=timeout,
        )
        return await self._sender.download(call)


class AsyncSwapProviders:
    """Operations of `swap_providers`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def retrieve(self, *, timeout: float | None = None) -> replies.SwapProvidersReply:
        """Retrieve the providers of swaps.

        Return the organisation's choices, and the pairs that have a market.
        """
        call = Call(
            "GET",
            path_of("/v2/organization/swap-providers"),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.SwapProvidersReply)

    async def replace(
        self, body: requests.SwapProvidersRequest, *, timeout: float | None = None
    ) -> replies.SwapProvidersReply:
        """Choose the providers of swaps.

        Replace the choices; they apply to new quotes.
        """
        call = Call(
            "PUT",
            path_of("/v2/organization/swap-providers"),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.SwapProvidersReply)


class AsyncSwaps:
    """Operations of `swaps`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | datetime | None = None,
        user_id: str | None = None,
        timeout: float | None = None,
    ) -> replies.SwapPage:
        """List swaps.

        List the swaps of one user or of the whole organisation, newest first.
        """
        call = Call(
            "GET",
            path_of("/v2/wallets/swaps"),
            query={
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
                "userId": user_id,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.SwapPage)

    async def list_all(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        user_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.SwapReply]:
        """List swaps, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list(
                limit=limit,
                created_before=created_before,
                created_after=created_after,
                user_id=user_id,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.data:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def create(
        self,
        body: requests.NewSwap,
        *,
        dry_run: bool | None = None,
        sandbox: str | None = None,
        timeout: float | None = None,
    ) -> replies.SwapReply:
        """Create a swap.

        Quote a swap (OPEN_QUOTE) after checking the balance; accept it within 30 seconds.

        The same `requestId` with the same body returns the same swap.
        """
        call = Call(
            "POST",
            path_of("/v2/wallets/swaps"),
            body=body,
            query={"dryRun": dry_run},
            headers={"Landbridge-Sandbox": sandbox},
            id_member="requestId",
            timeout=timeout,
        )
        return await self._sender.send(call, replies.SwapReply)

    async def retrieve(
        self,
        swap_id: str,
        *,
        expand: Literal["timeline"] | None = None,
        timeout: float | None = None,
    ) -> replies.SwapReply:
        """Retrieve a swap.

        Return one swap.
        """
        call = Call(
            "GET",
            path_of("/v2/wallets/swaps/{swapId}", swap_id),
            query={"expand": expand},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.SwapReply)

    async def accept(self, swap_id: str, *, timeout: float | None = None) -> replies.SwapReply:
        """Accept a swap.

        Execute the swap at its quote. A repeated accept returns the same result.
        """
        call = Call(
            "POST",
            path_of("/v2/wallets/swaps/{swapId}/accept", swap_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.SwapReply)


class AsyncTermsLinks:
    """Operations of `terms_links`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def create(
        self, body: requests.NewTermsLink, *, timeout: float | None = None
    ) -> replies.TermsLinkCreated:
        """Make a terms link.

        Create a link; the same key returns the same link.
        """
        call = Call(
            "POST",
            path_of("/v2/tos-link"),
            body=body,
            id_member="idempotencyKey",
            timeout=timeout,
        )
        return await self._sender.send(call, replies.TermsLinkCreated)

    async def retrieve(
        self, signed_agreement_id: str, *, timeout: float | None = None
    ) -> replies.TermsLinkReply:
        """Retrieve a terms link.

        Return the acceptance state of the terms, and the expiry of the link.

        The `sessionToken` accepts the terms, so it is empty for a key without the scope `pay`.
        """
        call = Call(
            "GET",
            path_of("/v2/tos-link/{signedAgreementId}", signed_agreement_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.TermsLinkReply)

    async def accept(
        self,
        signed_agreement_id: str,
        body: requests.TermsAcceptance,
        *,
        timeout: float | None = None,
    ) -> replies.TermsLinkReply:
        """Accept the terms.

        Accept the terms; a repeated call returns the first response.
        """
        call = Call(
            "POST",
            path_of("/v2/tos-link/{signedAgreementId}/accept", signed_agreement_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.TermsLinkReply)


class AsyncTransactions:
    """Operations of `transactions`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def search(self, *, q: str, timeout: float | None = None) -> replies.SearchReply:
        """Search.

        Find users, wallets and transfers that match the text, 20 at most.

        An amount matches what a transfer sends or delivers: any that has ended, and the 2,000
        under way that are due last.
        """
        call = Call(
            "GET",
            path_of("/v2/search"),
            query={"q": q},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.SearchReply)

    async def list_state_machines(
        self, *, timeout: float | None = None
    ) -> replies.StateMachineList:
        """List state machines.

        List the statuses of every kind of record, what follows each, and whom it waits for.

        The same for all organisations; it changes only with a new version of Landbridge. The
        OpenAPI document has it as `x-state-machines`.
        """
        call = Call(
            "GET",
            path_of("/v2/state-machines"),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.StateMachineList)

    async def list_stuck(
        self,
        *,
        cause: Sequence[
            Literal[
                "CHAIN",
                "TREASURY",
                "BANK",
                "PROVIDER",
                "APPROVAL",
                "INFORMATION",
                "DECISION",
                "CUSTOMER",
                "PLATFORM",
            ]
        ]
        | None = None,
        type: Sequence[str] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> replies.StuckList:
        """List stuck payments.

        List payments and deposits that take longer than they should, the longest first.
        """
        call = Call(
            "GET",
            path_of("/v2/stuck"),
            query={"cause": cause, "type": type, "limit": limit, "cursor": cursor},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.StuckList)

    async def list_stuck_all(
        self,
        *,
        cause: Sequence[
            Literal[
                "CHAIN",
                "TREASURY",
                "BANK",
                "PROVIDER",
                "APPROVAL",
                "INFORMATION",
                "DECISION",
                "CUSTOMER",
                "PLATFORM",
            ]
        ]
        | None = None,
        type: Sequence[str] | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.StuckReply]:
        """List stuck payments, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list_stuck(
                cause=cause, type=type, limit=limit, cursor=cursor, timeout=timeout
            )
            for each in page.stuck:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def list(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | None = None,
        sort: Literal["-createdAt", "createdAt", "-amountUsd", "amountUsd"] | None = None,
        id: Sequence[str] | None = None,
        expand: Literal["parties"] | None = None,
        type: Sequence[
            Literal[
                "WALLET.SWAP",
                "WALLET.TRANSFER",
                "WALLET.TRANSFER.BATCH",
                "WALLET.BRIDGE",
                "ONRAMP",
                "OFFRAMP",
                "DISBURSEMENT",
            ]
        ]
        | None = None,
        status: Sequence[
            Literal[
                "AWAITING_FUNDS",
                "COMPLETED",
                "CREATED",
                "CRYPTO_FAILED",
                "CRYPTO_INITIATED",
                "CRYPTO_PENDING",
                "CRYPTO_PROCESSED",
                "CRYPTO_RETURNED",
                "DESTINATION_FAILED",
                "DESTINATION_INITIATED",
                "DESTINATION_PENDING",
                "EXPIRED",
                "FAILED",
                "FIAT_FAILED",
                "FIAT_INITIATED",
                "FIAT_PENDING",
                "FIAT_PROCESSED",
                "FIAT_RETURNED",
                "INITIATED",
                "IN_REVIEW",
                "NOT_INITIATED",
                "OPEN_QUOTE",
                "PENDING",
                "PENDING_APPROVAL",
                "QUOTE_FAILED",
                "REJECTED",
                "SOURCE_FAILED",
                "SOURCE_INITIATED",
                "SOURCE_PENDING",
                "SOURCE_PROCESSED",
                "UNKNOWN",
            ]
        ]
        | None = None,
        user_id: str | None = None,
        currency: Literal[
            "ars",
            "brl",
            "bwp",
            "cdf",
            "cny",
            "cop",
            "eur",
            "ghs",
            "hkd",
            "kes",
            "mwk",
            "mxn",
            "ngn",
            "rwf",
            "sgd",
            "tzs",
            "ugx",
            "usd",
            "usdHifi",
            "usdc",
            "usdg",
            "usdt",
            "xaf",
            "xof",
            "zar",
            "zmw",
        ]
        | None = None,
        min_amount: str | Decimal | None = None,
        max_amount: str | Decimal | None = None,
        metadata: Sequence[str] | None = None,
        timeout: float | None = None,
    ) -> replies.TransactionPageReply:
        """List transactions.

        List transfers of all kinds, newest first unless `sort` says otherwise.

        A search through very many may end its page early; continue while there is a
        `nextCursor`. `amountUsd` sorts by what the source is worth in dollars today: all
        transfers that have ended, and the 2,000 under way that are due last. `sort` takes no
        `metadata`. With `id`, repeated or separated by commas up to 100 times, the list is one
        page of these transfers, and of the other filters only `type` counts.
        """
        call = Call(
            "GET",
            path_of("/v2/transactions"),
            query={
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
                "sort": sort,
                "id": id,
                "expand": expand,
                "type": type,
                "status": status,
                "userId": user_id,
                "currency": currency,
                "minAmount": min_amount,
                "maxAmount": max_amount,
                "metadata": metadata,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.TransactionPageReply)

    async def list_all(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        sort: Literal["-createdAt", "createdAt", "-amountUsd", "amountUsd"] | None = None,
        id: Sequence[str] | None = None,
        expand: Literal["parties"] | None = None,
        type: Sequence[
            Literal[
                "WALLET.SWAP",
                "WALLET.TRANSFER",
                "WALLET.TRANSFER.BATCH",
                "WALLET.BRIDGE",
                "ONRAMP",
                "OFFRAMP",
                "DISBURSEMENT",
            ]
        ]
        | None = None,
        status: Sequence[
            Literal[
                "AWAITING_FUNDS",
                "COMPLETED",
                "CREATED",
                "CRYPTO_FAILED",
                "CRYPTO_INITIATED",
                "CRYPTO_PENDING",
                "CRYPTO_PROCESSED",
                "CRYPTO_RETURNED",
                "DESTINATION_FAILED",
                "DESTINATION_INITIATED",
                "DESTINATION_PENDING",
                "EXPIRED",
                "FAILED",
                "FIAT_FAILED",
                "FIAT_INITIATED",
                "FIAT_PENDING",
                "FIAT_PROCESSED",
                "FIAT_RETURNED",
                "INITIATED",
                "IN_REVIEW",
                "NOT_INITIATED",
                "OPEN_QUOTE",
                "PENDING",
                "PENDING_APPROVAL",
                "QUOTE_FAILED",
                "REJECTED",
                "SOURCE_FAILED",
                "SOURCE_INITIATED",
                "SOURCE_PENDING",
                "SOURCE_PROCESSED",
                "UNKNOWN",
            ]
        ]
        | None = None,
        user_id: str | None = None,
        currency: Literal[
            "ars",
            "brl",
            "bwp",
            "cdf",
            "cny",
            "cop",
            "eur",
            "ghs",
            "hkd",
            "kes",
            "mwk",
            "mxn",
            "ngn",
            "rwf",
            "sgd",
            "tzs",
            "ugx",
            "usd",
            "usdHifi",
            "usdc",
            "usdg",
            "usdt",
            "xaf",
            "xof",
            "zar",
            "zmw",
        ]
        | None = None,
        min_amount: str | Decimal | None = None,
        max_amount: str | Decimal | None = None,
        metadata: Sequence[str] | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.TransactionReply]:
        """List transactions, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list(
                limit=limit,
                created_before=created_before,
                created_after=created_after,
                sort=sort,
                id=id,
                expand=expand,
                type=type,
                status=status,
                user_id=user_id,
                currency=currency,
                min_amount=min_amount,
                max_amount=max_amount,
                metadata=metadata,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.data:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def summarise(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | datetime | None = None,
        type: Sequence[
            Literal[
                "WALLET.SWAP",
                "WALLET.TRANSFER",
                "WALLET.TRANSFER.BATCH",
                "WALLET.BRIDGE",
                "ONRAMP",
                "OFFRAMP",
                "DISBURSEMENT",
            ]
        ]
        | None = None,
        user_id: str | None = None,
        currency: Literal[
            "ars",
            "brl",
            "bwp",
            "cdf",
            "cny",
            "cop",
            "eur",
            "ghs",
            "hkd",
            "kes",
            "mwk",
            "mxn",
            "ngn",
            "rwf",
            "sgd",
            "tzs",
            "ugx",
            "usd",
            "usdHifi",
            "usdc",
            "usdg",
            "usdt",
            "xaf",
            "xof",
            "zar",
            "zmw",
        ]
        | None = None,
        min_amount: str | Decimal | None = None,
        max_amount: str | Decimal | None = None,
        timeout: float | None = None,
    ) -> replies.TransactionSummaryReply:
        """Summarise transactions.

        Count transfers by status, and sum what they send.

        Counts among the newest 1,000 transfers, and all that have not ended, up to 2,000.
        """
        call = Call(
            "GET",
            path_of("/v2/transactions/summary"),
            query={
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
                "type": type,
                "userId": user_id,
                "currency": currency,
                "minAmount": min_amount,
                "maxAmount": max_amount,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.TransactionSummaryReply)

    async def retrieve(
        self, transaction_id: str, *, timeout: float | None = None
    ) -> replies.TransactionDetailsReply:
        """Retrieve a transaction.

        Get a transfer of any kind, with its change history and its journals.
        """
        call = Call(
            "GET",
            path_of("/v2/transactions/{transactionId}", transaction_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.TransactionDetailsReply)

    async def change_metadata(
        self, transaction_id: str, body: requests.MetadataUpdate, *, timeout: float | None = None
    ) -> replies.MetadataReply:
        """Change the metadata of a transaction.

        Set keys of a transfer of any kind, in any status; null removes one, the others stay.

        Nothing else of the transfer changes, and no event is sent.
        """
        call = Call(
            "POST",
            path_of("/v2/transactions/{transactionId}/metadata", transaction_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.MetadataReply)

    async def list_notes(
        self, transaction_id: str, *, timeout: float | None = None
    ) -> replies.TransactionNotesReply:
        """List the notes on a transaction.

        List all notes, oldest first.
        """
        call = Call(
            "GET",
            path_of("/v2/transactions/{transactionId}/notes", transaction_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.TransactionNotesReply)

    async def add_note(
        self,
        transaction_id: str,
        body: requests.NewTransactionNote,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> replies.TransactionNoteReply:
        """Add a note to a transaction.

        Add a note for the organisation's team, which can't be changed or removed.

        Nothing of the transfer changes, and no event is sent. A transfer has at most 100 notes.
        """
        call = Call(
            "POST",
            path_of("/v2/transactions/{transactionId}/notes", transaction_id),
            body=body,
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.TransactionNoteReply)


class AsyncTransferApprovals:
    """Operations of `transfer_approvals`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(
        self, *, limit: int | None = None, offset: int | None = None, timeout: float | None = None
    ) -> replies.ApprovalPage:
        """List pending approvals.

        List pending approvals, newest first; for callers who may approve.
        """
        call = Call(
            "GET",
            path_of("/v2/transfer-approvals"),
            query={"limit": limit, "offset": offset},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ApprovalPage)

    async def retrieve(
        self, approval_id: str, *, timeout: float | None = None
    ) -> replies.ApprovalEnvelope:
        """Retrieve an approval.

        Get one approval with its votes, in any status.
        """
        call = Call(
            "GET",
            path_of("/v2/transfer-approvals/{approvalId}", approval_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ApprovalEnvelope)

    async def approve(
        self,
        approval_id: str,
        body: requests.ApproveRequest | None = None,
        *,
        timeout: float | None = None,
    ) -> replies.ApprovalVoteReply:
        """Approve a payment.

        Vote for a payment; it continues once enough have. The body is optional.
        """
        call = Call(
            "POST",
            path_of("/v2/transfer-approvals/{approvalId}/approve", approval_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ApprovalVoteReply)

    async def reject(
        self,
        approval_id: str,
        body: requests.RejectRequest | None = None,
        *,
        timeout: float | None = None,
    ) -> replies.RejectionReply:
        """Reject a payment.

        Vote against a payment; it is rejected and its hold released. The body is optional.
        """
        call = Call(
            "POST",
            path_of("/v2/transfer-approvals/{approvalId}/reject", approval_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.RejectionReply)


class AsyncTransferReviews:
    """Operations of `transfer_reviews`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | None = None,
        status: Sequence[Literal["OPEN", "ANSWERED", "CLOSED"]] | None = None,
        timeout: float | None = None,
    ) -> replies.TransferReviewPage:
        """List reviews of payments.

        List requests, the longest waiting first, each with its payment.
        """
        call = Call(
            "GET",
            path_of("/v2/reviews/transfers"),
            query={
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
                "status": status,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.TransferReviewPage)

    async def list_all(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        status: Sequence[Literal["OPEN", "ANSWERED", "CLOSED"]] | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.TransferReview]:
        """List reviews of payments, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list(
                limit=limit,
                created_before=created_before,
                created_after=created_after,
                status=status,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.reviews:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def retrieve(
        self, transfer_id: str, *, timeout: float | None = None
    ) -> replies.TransferReview:
        """Retrieve the review of a payment.

        Get any onramp or offramp with all its requests for information.
        """
        call = Call(
            "GET",
            path_of("/v2/reviews/transfers/{transferId}", transfer_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.TransferReview)

    async def open_rfi(
        self, transfer_id: str, body: requests.RfiQuestion, *, timeout: float | None = None
    ) -> replies.TransferReview:
        """Open a request for information.

        Open a request for information; the payment stays IN_REVIEW until it is closed.
        """
        call = Call(
            "POST",
            path_of("/v2/reviews/transfers/{transferId}/rfi", transfer_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.TransferReview)

    async def answer_rfi(
        self, transfer_id: str, body: requests.RfiAnswer, *, timeout: float | None = None
    ) -> replies.TransferReview:
        """Answer a request for information.

        Record the customer's answer and files.
        """
        call = Call(
            "POST",
            path_of("/v2/reviews/transfers/{transferId}/rfi/answer", transfer_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.TransferReview)

    async def close_rfi(
        self,
        transfer_id: str,
        body: requests.RfiClosing | None = None,
        *,
        timeout: float | None = None,
    ) -> replies.TransferReview:
        """Close a request for information.

        Close the request; the payment continues from its previous status.
        """
        call = Call(
            "POST",
            path_of("/v2/reviews/transfers/{transferId}/rfi/close", transfer_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.TransferReview)


class AsyncTransfers:
    """Operations of `transfers`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | datetime | None = None,
        user_id: str | None = None,
        timeout: float | None = None,
    ) -> replies.WalletTransferPage:
        """List wallet transfers.

        List the transfers sent by one user or by the whole organisation, newest first.
        """
        call = Call(
            "GET",
            path_of("/v2/wallets/transfers"),
            query={
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
                "userId": user_id,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.WalletTransferPage)

    async def list_all(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        user_id: str | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.WalletTransferReply]:
        """List wallet transfers, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list(
                limit=limit,
                created_before=created_before,
                created_after=created_after,
                user_id=user_id,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.records:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def create(
        self,
        body: requests.NewWalletTransfer,
        *,
        dry_run: bool | None = None,
        sandbox: str | None = None,
        timeout: float | None = None,
    ) -> replies.WalletTransferReply:
        """Create a wallet transfer.

        Hold the coins and send them (CREATED), or wait for an admin (PENDING_APPROVAL).

        The same `requestId` with the same body returns the same transfer.
        """
        call = Call(
            "POST",
            path_of("/v2/wallets/transfers"),
            body=body,
            query={"dryRun": dry_run},
            headers={"Landbridge-Sandbox": sandbox},
            id_member="requestId",
            timeout=timeout,
        )
        return await self._sender.send(call, replies.WalletTransferReply)

    async def retrieve(
        self,
        transfer_id: str,
        *,
        expand: Literal["timeline"] | None = None,
        timeout: float | None = None,
    ) -> replies.WalletTransferReply:
        """Retrieve a wallet transfer.

        Return one wallet transfer.
        """
        call = Call(
            "GET",
            path_of("/v2/wallets/transfers/{transferId}", transfer_id),
            query={"expand": expand},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.WalletTransferReply)


class AsyncTravelRule:
    """Operations of `travel_rule`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def retrieve(self, *, timeout: float | None = None) -> replies.TravelRuleReply:
        """Retrieve the travel rule.

        Return the jurisdiction of which the organisation applies the travel rule.
        """
        call = Call(
            "GET",
            path_of("/v2/organization/travel-rule"),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.TravelRuleReply)

    async def replace(
        self, body: requests.TravelRuleRequest, *, timeout: float | None = None
    ) -> replies.TravelRuleReply:
        """Set the travel rule.

        Set the jurisdiction; transfers that were not sent or credited yet follow it too.
        """
        call = Call(
            "PUT",
            path_of("/v2/organization/travel-rule"),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.TravelRuleReply)

    async def retrieve_exchange_setting(
        self, *, timeout: float | None = None
    ) -> replies.ExchangeSettingReply:
        """Retrieve the exchange of travel rule data.

        Return the setting, and the organisation's own travel address.
        """
        call = Call(
            "GET",
            path_of("/v2/organization/travel-rule-exchange"),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ExchangeSettingReply)

    async def replace_exchange_setting(
        self, body: requests.ExchangeSettingRequest, *, timeout: float | None = None
    ) -> replies.ExchangeSettingReply:
        """Set the exchange of travel rule data.

        Replace the setting; payments that have no exchange yet follow it.
        """
        call = Call(
            "PUT",
            path_of("/v2/organization/travel-rule-exchange"),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ExchangeSettingReply)

    async def list_exchanges(
        self,
        *,
        direction: Sequence[Literal["OUTGOING", "INCOMING"]] | None = None,
        status: Sequence[Literal["OPEN", "APPROVED", "REJECTED", "CONFIRMED", "CANCELLED"]]
        | None = None,
        transfer_id: str | None = None,
        timeout: float | None = None,
    ) -> replies.ExchangeList:
        """List exchanges of travel rule data.

        List the hundred newest exchanges; inquiries of others that wait for people are OPEN.
        """
        call = Call(
            "GET",
            path_of("/v2/travel-rule/exchanges"),
            query={"direction": direction, "status": status, "transferId": transfer_id},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ExchangeList)

    async def retrieve_exchange(
        self, exchange_id: str, *, timeout: float | None = None
    ) -> replies.ExchangeReply:
        """Retrieve an exchange of travel rule data.

        Return an exchange, without personal data.
        """
        call = Call(
            "GET",
            path_of("/v2/travel-rule/exchanges/{exchangeId}", exchange_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ExchangeReply)

    async def approve_inquiry(
        self, exchange_id: str, body: requests.InquiryApproval, *, timeout: float | None = None
    ) -> replies.ExchangeReply:
        """Approve an inquiry.

        Approve the inquiry of another provider: it may send the coins.
        """
        call = Call(
            "POST",
            path_of("/v2/travel-rule/exchanges/{exchangeId}/approve", exchange_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ExchangeReply)

    async def retrieve_exchange_message(
        self, exchange_id: str, *, timeout: float | None = None
    ) -> replies.ExchangeMessageReply:
        """Retrieve the message of an exchange.

        Return originator and beneficiary.

        Analysts, and keys with no scope but `read`, are refused: the numbers are not masked.
        """
        call = Call(
            "GET",
            path_of("/v2/travel-rule/exchanges/{exchangeId}/message", exchange_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ExchangeMessageReply)

    async def reject_inquiry(
        self, exchange_id: str, body: requests.InquiryRejection, *, timeout: float | None = None
    ) -> replies.ExchangeReply:
        """Reject an inquiry.

        Reject the inquiry of another provider.
        """
        call = Call(
            "POST",
            path_of("/v2/travel-rule/exchanges/{exchangeId}/reject", exchange_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ExchangeReply)

    async def retrieve_message(
        self, message_id: str, *, timeout: float | None = None
    ) -> replies.TravelRuleMessageReply:
        """Retrieve a travel rule message.

        Return originator and beneficiary of a screened transfer, by the id of its screening.

        Analysts, and keys with no scope but `read`, are refused: the numbers are not masked.
        """
        call = Call(
            "GET",
            path_of("/v2/travel-rule/messages/{messageId}", message_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.TravelRuleMessageReply)

    async def list_waiting(self, *, timeout: float | None = None) -> replies.WaitingTransferList:
        """List transfers that wait for data.

        List what waits for data about a counterparty wallet, among the 500 oldest screenings.
        """
        call = Call(
            "GET",
            path_of("/v2/travel-rule/waiting"),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.WaitingTransferList)

    async def retrieve_wallet(
        self, user_id: str, wallet_address: str, *, timeout: float | None = None
    ) -> replies.WalletDataReply:
        """Retrieve a travel rule wallet.

        Return what the user stated about a counterparty wallet.
        """
        call = Call(
            "GET",
            path_of(
                "/v2/users/{userId}/travel-rule-wallets/{walletAddress}", user_id, wallet_address
            ),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.WalletDataReply)

    async def replace_wallet(
        self,
        user_id: str,
        wallet_address: str,
        body: requests.WalletDataRequest,
        *,
        timeout: float | None = None,
    ) -> replies.WalletDataReply:
        """Set a travel rule wallet.

        State what a counterparty wallet is; transfers that wait for it are checked again.

        Other data than before need another proof of ownership.
        """
        call = Call(
            "PUT",
            path_of(
                "/v2/users/{userId}/travel-rule-wallets/{walletAddress}", user_id, wallet_address
            ),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.WalletDataReply)

    async def create_challenge(
        self, user_id: str, wallet_address: str, *, timeout: float | None = None
    ) -> replies.OwnershipChallengeReply:
        """Create an ownership challenge.

        Return a message to sign with the key of a self-hosted wallet, within half an hour.

        It replaces the challenge before.
        """
        call = Call(
            "POST",
            path_of(
                "/v2/users/{userId}/travel-rule-wallets/{walletAddress}/challenge",
                user_id,
                wallet_address,
            ),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.OwnershipChallengeReply)

    async def prove_ownership(
        self,
        user_id: str,
        wallet_address: str,
        body: requests.OwnershipProofRequest,
        *,
        timeout: float | None = None,
    ) -> replies.WalletDataReply:
        """Prove the ownership of a wallet.

        Check the signature of the challenge; transfers that wait for it are checked again.
        """
        call = Call(
            "POST",
            path_of(
                "/v2/users/{userId}/travel-rule-wallets/{walletAddress}/prove",
                user_id,
                wallet_address,
            ),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.WalletDataReply)


class AsyncUsers:
    """Operations of `users`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | datetime | None = None,
        type: Literal["individual", "business"] | None = None,
        first_name: str | None = None,
        last_name: str | None = None,
        business_name: str | None = None,
        email: str | None = None,
        metadata: Sequence[str] | None = None,
        timeout: float | None = None,
    ) -> replies.UserPageReply:
        """List users.

        List users, newest first; names and e-mail match partially and ignore case.

        A search over many users may end a page early: continue while there is a `nextCursor`.
        """
        call = Call(
            "GET",
            path_of("/v2/users"),
            query={
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
                "type": type,
                "firstName": first_name,
                "lastName": last_name,
                "businessName": business_name,
                "email": email,
                "metadata": metadata,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.UserPageReply)

    async def list_all(
        self,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        type: Literal["individual", "business"] | None = None,
        first_name: str | None = None,
        last_name: str | None = None,
        business_name: str | None = None,
        email: str | None = None,
        metadata: Sequence[str] | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.UserReply]:
        """List users, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list(
                limit=limit,
                created_before=created_before,
                created_after=created_after,
                type=type,
                first_name=first_name,
                last_name=last_name,
                business_name=business_name,
                email=email,
                metadata=metadata,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.users:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def create(
        self, body: requests.NewIndividual | requests.NewBusiness, *, timeout: float | None = None
    ) -> replies.UserReply:
        """Create a user.

        Create the user and a wallet on each of `chains` (default POLYGON and ETHEREUM).
        """
        call = Call(
            "POST",
            path_of("/v2/users"),
            body=body,
            id_member="requestId",
            timeout=timeout,
        )
        return await self._sender.send(call, replies.UserReply)

    async def retrieve(self, user_id: str, *, timeout: float | None = None) -> replies.UserReply:
        """Retrieve a user.

        One user with its wallets.
        """
        call = Call(
            "GET",
            path_of("/v2/users/{userId}", user_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.UserReply)

    async def update(
        self, user_id: str, body: requests.UserUpdate, *, timeout: float | None = None
    ) -> replies.UserReply:
        """Update a user.

        Changes the members that are given.
        """
        call = Call(
            "POST",
            path_of("/v2/users/{userId}", user_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.UserReply)

    async def retrieve_freeze(
        self, user_id: str, *, timeout: float | None = None
    ) -> replies.FreezeReply:
        """Whether a user is frozen.

        Return the freeze state, its time and reason.
        """
        call = Call(
            "GET",
            path_of("/v2/users/{userId}/freeze", user_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.FreezeReply)

    async def freeze(
        self, user_id: str, body: requests.FreezeRequest, *, timeout: float | None = None
    ) -> replies.FreezeReply:
        """Freeze a user.

        Freeze a user: reads only; a repeated call returns the same response.

        A frozen user can make no payments and open no wallets or accounts.
        """
        call = Call(
            "POST",
            path_of("/v2/users/{userId}/freeze", user_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.FreezeReply)

    async def retrieve_particulars(
        self, user_id: str, *, timeout: float | None = None
    ) -> replies.UserDetailsReply:
        """Retrieve a user's particulars.

        Return the current names, birth date, address and owners, and the accepted terms.
        """
        call = Call(
            "GET",
            path_of("/v2/users/{userId}/particulars", user_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.UserDetailsReply)

    async def erase_personal_data(
        self, user_id: str, *, timeout: float | None = None
    ) -> replies.ErasureReply:
        """Erase personal data.

        Erase permanently; the user must be frozen, with no balance and no pending payments.
        """
        call = Call(
            "DELETE",
            path_of("/v2/users/{userId}/personal-data", user_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ErasureReply)

    async def reveal_number(
        self, user_id: str, body: requests.NewReveal, *, timeout: float | None = None
    ) -> replies.RevealedNumber:
        """Reveal a masked number.

        Returns one number, after writing who sees it and why to the audit log.

        For analysts, who see numbers masked. A key with no scope but `read` is refused.
        """
        call = Call(
            "POST",
            path_of("/v2/users/{userId}/revealed-numbers", user_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.RevealedNumber)

    async def unfreeze(self, user_id: str, *, timeout: float | None = None) -> replies.FreezeReply:
        """Unfreeze a user.

        Unfreeze the user, who may move money again.
        """
        call = Call(
            "POST",
            path_of("/v2/users/{userId}/unfreeze", user_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.FreezeReply)


class AsyncVirtualAccounts:
    """Operations of `virtual_accounts`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(
        self,
        user_id: str,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | datetime | None = None,
        source_currency: Literal["usd"] | None = None,
        destination_currency: Literal["usdc", "usdt"] | None = None,
        destination_chain: Literal["POLYGON", "ETHEREUM", "SOLANA", "BASE"] | None = None,
        timeout: float | None = None,
    ) -> replies.VirtualAccountPageReply:
        """List virtual accounts.

        List all accounts, newest first; pass `nextCursor` as `createdBefore`.
        """
        call = Call(
            "GET",
            path_of("/v2/users/{userId}/virtual-accounts", user_id),
            query={
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
                "sourceCurrency": source_currency,
                "destinationCurrency": destination_currency,
                "destinationChain": destination_chain,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.VirtualAccountPageReply)

    async def list_all(
        self,
        user_id: str,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        source_currency: Literal["usd"] | None = None,
        destination_currency: Literal["usdc", "usdt"] | None = None,
        destination_chain: Literal["POLYGON", "ETHEREUM", "SOLANA", "BASE"] | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.VirtualAccountReply]:
        """List virtual accounts, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list(
                user_id,
                limit=limit,
                created_before=created_before,
                created_after=created_after,
                source_currency=source_currency,
                destination_currency=destination_currency,
                destination_chain=destination_chain,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.data:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def create(
        self,
        user_id: str,
        body: requests.NewVirtualAccount,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> replies.VirtualAccountEnvelope:
        """Create a virtual account.

        Open another account of the user, who must be verified on the USD rail.
        """
        call = Call(
            "POST",
            path_of("/v2/users/{userId}/virtual-accounts", user_id),
            body=body,
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.VirtualAccountEnvelope)

    async def retrieve(
        self,
        user_id: str,
        account_id: str,
        *,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        timeout: float | None = None,
    ) -> replies.VirtualAccountReply:
        """Retrieve a virtual account.

        Get one account of this user, with its micro-deposits, which the parameters filter.
        """
        call = Call(
            "GET",
            path_of("/v2/users/{userId}/virtual-accounts/{accountId}", user_id, account_id),
            query={"limit": limit, "createdBefore": created_before, "createdAfter": created_after},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.VirtualAccountReply)

    async def deactivate(
        self, user_id: str, account_id: str, *, timeout: float | None = None
    ) -> replies.VirtualAccountEnvelope:
        """Deactivate a virtual account.

        Deactivate: future deposits are returned; earlier deposits are still settled.
        """
        call = Call(
            "POST",
            path_of(
                "/v2/users/{userId}/virtual-accounts/{accountId}/deactivate", user_id, account_id
            ),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.VirtualAccountEnvelope)

    async def reactivate(
        self, user_id: str, account_id: str, *, timeout: float | None = None
    ) -> replies.VirtualAccountEnvelope:
        """Reactivate a virtual account.

        Reactivate: accept deposits again under the same number.
        """
        call = Call(
            "POST",
            path_of(
                "/v2/users/{userId}/virtual-accounts/{accountId}/reactivate", user_id, account_id
            ),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.VirtualAccountEnvelope)

    async def remove_settlement_rule(
        self, user_id: str, account_id: str, *, timeout: float | None = None
    ) -> replies.RuleDeletedReply:
        """Remove a settlement rule.

        Remove the settlement rule; future deposits are delivered whole.
        """
        call = Call(
            "DELETE",
            path_of(
                "/v2/users/{userId}/virtual-accounts/{accountId}/settlement-rules",
                user_id,
                account_id,
            ),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.RuleDeletedReply)

    async def apply_settlement_rule(
        self, user_id: str, account_id: str, rule_id: str, *, timeout: float | None = None
    ) -> replies.RuleDeletedReply:
        """Apply a settlement rule.

        Apply a settlement rule to future deposits, replacing the previous rule.
        """
        call = Call(
            "POST",
            path_of(
                "/v2/users/{userId}/virtual-accounts/{accountId}/settlement-rules/{ruleId}",
                user_id,
                account_id,
                rule_id,
            ),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.RuleDeletedReply)

    async def simulate_deposit(
        self,
        user_id: str,
        account_id: str,
        body: requests.SimulatedDeposit,
        *,
        timeout: float | None = None,
    ) -> replies.SimulatedDeposit:
        """Simulate a deposit.

        Returns the body; an onramp is then created and completes by itself.
        """
        call = Call(
            "POST",
            path_of(
                "/v2/users/{userId}/virtual-accounts/{accountId}/simulate-deposit",
                user_id,
                account_id,
            ),
            body=body,
            id_member="requestId",
            timeout=timeout,
        )
        return await self._sender.send(call, replies.SimulatedDeposit)

    async def update(
        self,
        user_id: str,
        account_id: str,
        body: requests.NewVirtualAccount,
        *,
        timeout: float | None = None,
    ) -> replies.VirtualAccountEnvelope:
        """Update a virtual account.

        Change the destination of future deposits; the account keeps its number.
        """
        call = Call(
            "POST",
            path_of("/v2/users/{userId}/virtual-accounts/{accountId}/update", user_id, account_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.VirtualAccountEnvelope)


class AsyncWallets:
    """Operations of `wallets`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def add_chains(
        self, user_id: str, body: requests.AddChains, *, timeout: float | None = None
    ) -> replies.UserReply:
        """Add wallets on more chains.

        Open wallets on `chains`; existing wallets stay unchanged.
        """
        call = Call(
            "POST",
            path_of("/v2/users/{userId}/wallets/add", user_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.UserReply)

    async def retrieve_balance(
        self,
        user_id: str,
        *,
        chain: Literal["POLYGON", "ETHEREUM", "SOLANA", "BASE"],
        currency: Literal["usdHifi", "usdc", "usdg", "usdt"],
        timeout: float | None = None,
    ) -> replies.BalanceReply:
        """Balance of a wallet.

        Return the balance of `currency` in the user's wallet on `chain`.
        """
        call = Call(
            "GET",
            path_of("/v2/users/{userId}/wallets/balance", user_id),
            query={"chain": chain, "currency": currency},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.BalanceReply)


class AsyncWebhooks:
    """Operations of `webhooks`."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    async def list(self, *, timeout: float | None = None) -> replies.WebhookList:
        """List webhooks.

        All endpoints, newest first.
        """
        call = Call(
            "GET",
            path_of("/v2/webhooks"),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.WebhookList)

    async def create(
        self,
        body: requests.NewWebhook,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> replies.WebhookCreatedReply:
        """Create a webhook.

        It receives events from now on. An organisation has at most 20 endpoints.
        """
        call = Call(
            "POST",
            path_of("/v2/webhooks"),
            body=body,
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.WebhookCreatedReply)

    async def retrieve(
        self, webhook_id: str, *, timeout: float | None = None
    ) -> replies.WebhookReply:
        """Retrieve a webhook.

        One endpoint, with the keys that verify its tokens.
        """
        call = Call(
            "GET",
            path_of("/v2/webhooks/{webhookId}", webhook_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.WebhookReply)

    async def update(
        self, webhook_id: str, body: requests.WebhookChange, *, timeout: float | None = None
    ) -> replies.WebhookCreatedReply:
        """Update a webhook.

        Also pauses and resumes it: a paused endpoint resumes where it stopped.
        """
        call = Call(
            "PATCH",
            path_of("/v2/webhooks/{webhookId}", webhook_id),
            body=body,
            timeout=timeout,
        )
        return await self._sender.send(call, replies.WebhookCreatedReply)

    async def delete(
        self, webhook_id: str, *, timeout: float | None = None
    ) -> replies.WebhookDeletedReply:
        """Delete a webhook.

        Its pending deliveries are dropped and its keys deleted.
        """
        call = Call(
            "DELETE",
            path_of("/v2/webhooks/{webhookId}", webhook_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.WebhookDeletedReply)

    async def list_deliveries(
        self,
        webhook_id: str,
        *,
        status: Sequence[Literal["PENDING", "DELIVERED", "REFUSED", "GIVEN_UP", "REPLACED"]]
        | None = None,
        event_type: Sequence[str] | None = None,
        event_id: str | None = None,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> replies.DeliveriesReply:
        """List deliveries.

        Newest first, each with its last attempt.

        A long search may end a page early: continue with `nextCursor`.
        """
        call = Call(
            "GET",
            path_of("/v2/webhooks/{webhookId}/deliveries", webhook_id),
            query={
                "status": status,
                "eventType": event_type,
                "eventId": event_id,
                "limit": limit,
                "createdBefore": created_before,
                "createdAfter": created_after,
                "cursor": cursor,
            },
            timeout=timeout,
        )
        return await self._sender.send(call, replies.DeliveriesReply)

    async def list_deliveries_all(
        self,
        webhook_id: str,
        *,
        status: Sequence[Literal["PENDING", "DELIVERED", "REFUSED", "GIVEN_UP", "REPLACED"]]
        | None = None,
        event_type: Sequence[str] | None = None,
        event_id: str | None = None,
        limit: int | None = None,
        created_before: str | datetime | None = None,
        created_after: str | datetime | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[replies.DeliveryReply]:
        """List deliveries, page by page."""
        cursor: str | None = None
        while True:
            page = await self.list_deliveries(
                webhook_id,
                status=status,
                event_type=event_type,
                event_id=event_id,
                limit=limit,
                created_before=created_before,
                created_after=created_after,
                cursor=cursor,
                timeout=timeout,
            )
            for each in page.deliveries:
                yield each
            if page.next_cursor in {None, cursor}:
                return
            cursor = page.next_cursor

    async def retrieve_delivery(
        self, webhook_id: str, delivery_id: str, *, timeout: float | None = None
    ) -> replies.DeliveryWithAttempts:
        """Retrieve a delivery.

        Includes its last thirty attempts: time, duration, and the beginning of each response.
        """
        call = Call(
            "GET",
            path_of("/v2/webhooks/{webhookId}/deliveries/{deliveryId}", webhook_id, delivery_id),
            timeout=timeout,
        )
        return await self._sender.send(call, replies.DeliveryWithAttempts)

    async def resend_delivery(
        self,
        webhook_id: str,
        delivery_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> replies.DeliveryReply:
        """Resend a delivery.

        Retries it at once, whatever its status, and for another 24 hours.
        """
        call = Call(
            "POST",
            path_of(
                "/v2/webhooks/{webhookId}/deliveries/{deliveryId}/resend", webhook_id, delivery_id
            ),
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.DeliveryReply)

    async def resend_since(
        self,
        webhook_id: str,
        body: requests.ResendRequest,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> replies.ResendReply:
        """Resend everything since a time.

        Resends every event since then, or only those whose delivery was refused or given up.
        """
        call = Call(
            "POST",
            path_of("/v2/webhooks/{webhookId}/resend", webhook_id),
            body=body,
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.ResendReply)

    async def rotate(
        self,
        webhook_id: str,
        body: requests.KeyRotation | None = None,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> replies.WebhookCreatedReply:
        """Rotate keys.

        Publishes a new key at once, which signs after the overlap; by default a day.
        """
        call = Call(
            "POST",
            path_of("/v2/webhooks/{webhookId}/rotate", webhook_id),
            body=body,
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.WebhookCreatedReply)

    async def test(
        self, webhook_id: str, *, idempotency_key: str | None = None, timeout: float | None = None
    ) -> replies.TestEventReply:
        """Send a test event.

        Sends a WEBHOOK.TEST event to this endpoint only, whatever its event types are.
        """
        call = Call(
            "POST",
            path_of("/v2/webhooks/{webhookId}/test", webhook_id),
            headers={"Idempotency-Key": idempotency_key},
            timeout=timeout,
        )
        return await self._sender.send(call, replies.TestEventReply)


class AsyncResources:
    """All resources of the interface."""

    def __init__(self, sender: AsyncSender) -> None:
        self.account_reviews = AsyncAccountReviews(sender)
        self.accounts = AsyncAccounts(sender)
        self.address_policy = AsyncAddressPolicy(sender)
        self.approvals = AsyncApprovals(sender)
        self.audit_log = AsyncAuditLog(sender)
        self.balances = AsyncBalances(sender)
        self.bank_lines = AsyncBankLines(sender)
        self.batches = AsyncBatches(sender)
        self.bridges = AsyncBridges(sender)
        self.chains = AsyncChains(sender)
        self.deposit_reviews = AsyncDepositReviews(sender)
        self.deposit_screenings = AsyncDepositScreenings(sender)
        self.deposits = AsyncDeposits(sender)
        self.disbursements = AsyncDisbursements(sender)
        self.events = AsyncEvents(sender)
        self.external_wallets = AsyncExternalWallets(sender)
        self.files = AsyncFiles(sender)
        self.kyc = AsyncKyc(sender)
        self.kyc_links = AsyncKycLinks(sender)
        self.kyc_reviews = AsyncKycReviews(sender)
        self.limits = AsyncLimits(sender)
        self.metrics = AsyncMetrics(sender)
        self.offramps = AsyncOfframps(sender)
        self.onramps = AsyncOnramps(sender)
        self.payment_screenings = AsyncPaymentScreenings(sender)
        self.proofs = AsyncProofs(sender)
        self.providers = AsyncProviders(sender)
        self.receivables = AsyncReceivables(sender)
        self.reconciliation = AsyncReconciliation(sender)
        self.report_runs = AsyncReportRuns(sender)
        self.report_schedules = AsyncReportSchedules(sender)
        self.report_templates = AsyncReportTemplates(sender)
        self.report_time_zone = AsyncReportTimeZone(sender)
        self.request_log = AsyncRequestLog(sender)
        self.requests = AsyncRequests(sender)
        self.resolutions = AsyncResolutions(sender)
        self.sandbox = AsyncSandbox(sender)
        self.service = AsyncService(sender)
        self.settlement_rules = AsyncSettlementRules(sender)
        self.statements = AsyncStatements(sender)
        self.swap_providers = AsyncSwapProviders(sender)
        self.swaps = AsyncSwaps(sender)
        self.terms_links = AsyncTermsLinks(sender)
        self.transactions = AsyncTransactions(sender)
        self.transfer_approvals = AsyncTransferApprovals(sender)
        self.transfer_reviews = AsyncTransferReviews(sender)
        self.transfers = AsyncTransfers(sender)
        self.travel_rule = AsyncTravelRule(sender)
        self.users = AsyncUsers(sender)
        self.virtual_accounts = AsyncVirtualAccounts(sender)
        self.wallets = AsyncWallets(sender)
        self.webhooks = AsyncWebhooks(sender)
