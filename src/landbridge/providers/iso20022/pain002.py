"""pain.002: a bank's status report on a file of payments, before its statement shows the money.

Versions 3 to 14 are read; version 12 is written (by the sandbox bank). Only a rejection has an
effect: accepted payments are settled by the statement. The bank's free texts are not stored, since
they may contain names.
"""

import re

from landbridge.platform.formats.file_errors import FileRejected
from landbridge.providers.iso20022.messages import StatusReport, TransactionStatus
from landbridge.providers.iso20022.parties import NOT_PROVIDED
from landbridge.providers.iso20022.reasons import reason_code
from landbridge.providers.iso20022.xml import (
    Node,
    document_bytes,
    moment,
    new_document,
    put,
    read_document,
    read_moment,
    required,
)

_MESSAGE, _VERSIONS, _BODY = "pain.002", range(3, 15), "CstmrPmtStsRpt"
_STATUS = re.compile(r"[A-Z]{4}")
_REJECTED = "RJCT"


def read(raw: bytes) -> StatusReport:
    """Return the report. Raises `FileRejected`.

    Our files have one payment block each: a rejected block is a rejected file.
    """
    body = read_document(raw, _MESSAGE, _VERSIONS, _BODY).body
    group = body.find("OrgnlGrpInfAndSts")
    if group is None:
        raise FileRejected("The report does not name its file.")
    blocks = list(body.all("OrgnlPmtInfAndSts"))
    stated = [_status(group.read("GrpSts"), "The file's status")]
    stated += [_status(block.read("PmtInfSts"), "The block's status") for block in blocks]
    statuses = [status for status in stated if status]
    if len(blocks) > 1 and _REJECTED in statuses[1:]:
        raise FileRejected("The report rejects one of several blocks; our files have one.")
    transactions = [node for block in blocks for node in block.all("TxInfAndSts")]
    return StatusReport(
        message_id=required(body.read("GrpHdr", "MsgId"), "The report's number"),
        created_at=read_moment(body.read("GrpHdr", "CreDtTm") or "", "The report's time"),
        original_message_id=required(group.read("OrgnlMsgId"), "The number of the file"),
        group_status=_REJECTED if _REJECTED in statuses else next(iter(statuses), None),
        reason_codes=_reasons(group, *blocks),
        transactions=tuple(_read_transaction(node) for node in transactions),
    )


def write(report: StatusReport) -> bytes:
    """Write the report as a bank sends it."""
    root, body = new_document("pain.002.001.12", _BODY)
    header = put(body, "GrpHdr")
    put(header, "MsgId", report.message_id)
    put(header, "CreDtTm", moment(report.created_at))
    group = put(body, "OrgnlGrpInfAndSts")
    put(group, "OrgnlMsgId", report.original_message_id)
    put(group, "OrgnlMsgNmId", "pain.001.001.09")
    if report.group_status is not None:
        put(group, "GrpSts", report.group_status)
    for code in report.reason_codes:
        put(group, "StsRsnInf/Rsn/Cd", code)
    if report.transactions:
        block = put(body, "OrgnlPmtInfAndSts")
        put(block, "OrgnlPmtInfId", report.original_message_id)
        for each in report.transactions:
            node = put(block, "TxInfAndSts")
            put(node, "OrgnlInstrId", each.end_to_end_id)
            put(node, "OrgnlEndToEndId", each.end_to_end_id)
            put(node, "TxSts", each.status)
            for code in each.reason_codes:
                put(node, "StsRsnInf/Rsn/Cd", code)
    return document_bytes(root)


def _read_transaction(node: Node) -> TransactionStatus:
    end_to_end_id = node.read("OrgnlEndToEndId")
    # Our files have the same value for both ids; some banks return only one of them.
    number = node.read("OrgnlInstrId") if end_to_end_id in {None, NOT_PROVIDED} else end_to_end_id
    status = _status(node.read("TxSts"), "A payment's status")
    return TransactionStatus(
        end_to_end_id=required(number, "The number of a payment"),
        status=required(status, "The status of a payment"),
        reason_codes=_reasons(node),
    )


def _status(text: str | None, name: str) -> str | None:
    if text is not None and not _STATUS.fullmatch(text):
        raise FileRejected(f"{name} is no code of four letters.")
    return text


def _reasons(*nodes: Node) -> tuple[str, ...]:
    """Return the codes at these paths, without duplicates, in file order."""
    reasons = [reason for node in nodes for reason in node.all("StsRsnInf", "Rsn")]
    codes = [reason_code(each.read("Cd") or each.read("Prtry")) for each in reasons]
    return tuple(dict.fromkeys(code for code in codes if code))
