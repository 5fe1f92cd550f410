"""Which members of replies are omitted without a value, and which are null: decision 0010.

Strict clients of other v2 interfaces refuse null where their schema has a text or an object.
"""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from tests.contract.openapi_document import Document, choices

_SCHEMAS = "#/components/schemas/"
# Members that the published interface never has as null. Source: contract, interface.
_OMITTED = frozenset(
    {
        *("nextCursor", "approval", "role", "roles", "businessTitle", "businessIdentifierCode"),
        *("fedBatchId", "traceNumber", "url", "transactionHash"),
    }
)
_PUBLISHED, _OURS = "null in the published interface", "a reply of ours, read by no such client"
# Schemas in which these members are null without a value.
_NULL: Mapping[tuple[str, str], str] = {
    ("OfframpReceiptReply", "transactionHash"): _PUBLISHED,
    ("DeveloperFeeReply", "transactionHash"): _PUBLISHED,
    ("OfframpDepositReply", "transactionHash"): _PUBLISHED,
    ("OperationReply", "transactionHash"): _PUBLISHED,
    ("RulePage", "nextCursor"): _PUBLISHED,
    # `transactionHash *`, and contract, lifecycles 3: null until submitted.
    ("BatchReceiptReply", "transactionHash"): "required in the published interface",
    ("BankStatementText", "traceNumber"): _OURS,
    ("ChainOrderReply", "transactionHash"): _OURS,
    ("DepositScreeningReply", "transactionHash"): _OURS,
    ("DisbursementReceiptReply", "transactionHash"): _OURS,
    ("DryRunReply", "approval"): _OURS,
    ("ExchangeReply", "transactionHash"): _OURS,
    ("JournalEntryReply", "role"): _OURS,
    ("ResolutionReply", "transactionHash"): _OURS,
    ("ReviewedDocument", "url"): _OURS,
}
# Members that a reply of any schema may omit: shown on request, or where there are any.
_ON_REQUEST = frozenset({"dryRun", "metadata", "timeline"})
# Other schemas with members that a reply may omit, and why.
_PARTLY: Mapping[str, str] = {
    **dict.fromkeys(
        (
            *("AccountHolder", "AccountReply", "Address", "AfricaBank", "ArgentinaBank"),
            *("BrazilBank", "BrazilGlobalNetworkBank", "ChinaGlobalNetworkBank", "ColombiaBank"),
            *("EuropeGlobalNetworkBank", "HongKongGlobalNetworkBank", "MexicoBank"),
            *("MexicoGlobalNetworkBank", "NigeriaGlobalNetworkBank"),
            *("SingaporeGlobalNetworkBank", "UsBank", "SimulatedDeposit", "WalletOwnerPerson"),
            *("CounterpartyData", "AmountRange", "CoolDownDocument", "LimitsDocument"),
            *("ListDocument", "RuleDocument", "Measure", "Operand", "TemplateDefinition"),
            "TemplateFilters",
        ),
        "what was sent, as it was sent",
    ),
    **dict.fromkeys(("DepositInstructions", "VirtualAccountReply"), "published samples omit them"),
    "CheckResultReply": "{} while a review is pending (contract, users 3.3)",
    **dict.fromkeys(("RailStatus", "RailStatusData"), "the limit belongs to one rail"),
    "SubmissionReplies": "only the submitted rails",
    **dict.fromkeys(("AppliedFilter", "ResultMetadata"), "contract, reporting 4"),
    "DepositTransaction": "coins may move in the ledger only",
    **dict.fromkeys(
        (
            *("MetricReply", "ParamReply", "PayeeVerificationReply", "ScheduleShape"),
            *("SearchResultReply", "SwapDetailsReply", "TemplateReply", "TransactionReply"),
        ),
        "additions of ours, where they apply",
    ),
}


async def test_members_that_strict_clients_refuse_as_null_are_omitted(document: Document) -> None:
    found = {
        (schema, name)
        for schema, name, value, _ in _members(document)
        if name in _OMITTED and _is_nullable(value)
    }
    assert found == set(_NULL)


async def test_all_other_members_are_present(document: Document) -> None:
    found = {
        schema
        for schema, name, _, is_required in _members(document)
        if not is_required and name not in _OMITTED | _ON_REQUEST
    }
    assert found == set(_PARTLY)


def _members(document: Document) -> Iterator[tuple[str, str, Any, bool]]:
    """Yield schema, name, value's schema and presence of each member of successes and events."""
    schemas = document.whole["components"]["schemas"]
    waiting = {
        each
        for _, operation in document.operations()
        for status, reply in operation["responses"].items()
        if status.startswith("2")
        for each in _references(reply)
    } | set(_references(document.whole["webhooks"]))
    reached: set[str] = set()
    while waiting:
        reached |= waiting
        waiting = {each for name in waiting for each in _references(schemas[name])} - reached
    for schema in sorted(reached):
        for name, value in schemas[schema].get("properties", {}).items():
            yield schema, name, value, name in schemas[schema].get("required", ())


def _references(value: Any) -> Iterator[str]:
    """Yield the names of the schemas to which this one refers."""
    if isinstance(value, list):
        for each in cast("list[Any]", value):
            yield from _references(each)
    elif isinstance(value, dict):
        for name, each in cast("dict[str, Any]", value).items():
            if name == "$ref" and each.startswith(_SCHEMAS):
                yield each.removeprefix(_SCHEMAS)
            else:
                yield from _references(each)


def _is_nullable(value: Any) -> bool:
    return any(each.get("type") == "null" for each in choices(value))
