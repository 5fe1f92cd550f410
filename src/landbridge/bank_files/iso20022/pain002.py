"""pain.002: what a bank says of a file of payments, before its statement tells of the money.

Versions 3 to 14 are read; version 12 is written (by the sandbox's bank). Only a rejection changes
anything: what the bank has accepted is settled by its statement. Words of the bank's own are not
kept, since they may name somebody.
"""

import re

from landbridge.bank_files.errors import FileRefused
from landbridge.bank_files.iso20022.messages import StatusReport, TransactionStatus
from landbridge.bank_files.iso20022.parties import NOT_PROVIDED
from landbridge.bank_files.iso20022.reasons import reason_code
from landbridge.bank_files.iso20022.xml import (
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
    """The report. Raises `FileRefused`.

    Our files have one block of payments each: a block that is rejected is the whole file.
    """
    body = read_document(raw, _MESSAGE, _VERSIONS, _BODY).body
    group = body.find("OrgnlGrpInfAndSts")
    if group is None:
        raise FileRefused("The report does not say of which file it is.")
    blocks = list(body.all("OrgnlPmtInfAndSts"))
    told = [_status(group.read("GrpSts"), "The file's status")]
    told += [_status(block.read("PmtInfSts"), "The block's status") for block in blocks]
    statuses = [status for status in told if status]
    if len(blocks) > 1 and _REJECTED in statuses[1:]:
        raise FileRefused("The report rejects one of several blocks; our files have one.")
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
    """The report as a bank sends it."""
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
    told = node.read("OrgnlEndToEndId")
    # Both are the same text in our files; some banks give back only one of them.
    number = node.read("OrgnlInstrId") if told in {None, NOT_PROVIDED} else told
    status = _status(node.read("TxSts"), "A payment's status")
    return TransactionStatus(
        end_to_end_id=required(number, "The number of a payment"),
        status=required(status, "The status of a payment"),
        reason_codes=_reasons(node),
    )


def _status(text: str | None, name: str) -> str | None:
    if text is not None and not _STATUS.fullmatch(text):
        raise FileRefused(f"{name} is no code of four letters.")
    return text


def _reasons(*nodes: Node) -> tuple[str, ...]:
    """The codes at these places, each once, in the order of the file."""
    reasons = [reason for node in nodes for reason in node.all("StsRsnInf", "Rsn")]
    codes = [reason_code(each.read("Cd") or each.read("Prtry")) for each in reasons]
    return tuple(dict.fromkeys(code for code in codes if code))
