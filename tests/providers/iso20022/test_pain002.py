from dataclasses import replace

import pytest
from hypothesis import given

from landbridge.platform.formats.file_errors import FileRejected
from landbridge.providers.iso20022 import pain002
from landbridge.providers.iso20022.messages import StatusReport, TransactionStatus
from tests.providers.iso20022.builders import AT, golden, reports, why_invalid

REPORT = StatusReport(
    message_id="STATUS-1",
    created_at=AT,
    original_message_id="LB-20261120-000007",
    group_status="PART",
    transactions=(
        TransactionStatus(end_to_end_id="A1", status="ACSP"),
        TransactionStatus(end_to_end_id="A2", status="RJCT", reason_codes=("AC04", "NARR")),
    ),
)


@given(reports())
def test_a_written_message_is_read_again(report: StatusReport) -> None:
    raw = pain002.write(report)
    assert pain002.read(raw) == report
    assert why_invalid(raw, "pain.002.001.12") is None


def test_the_file_is_the_golden_one() -> None:
    assert pain002.write(REPORT) == golden("pain002-written.xml")
    assert pain002.read(golden("pain002-written.xml")) == REPORT


def test_only_rejections_end_a_payment() -> None:
    accepted, rejected = REPORT.transactions
    assert (accepted.is_rejected, rejected.is_rejected, REPORT.is_rejected) == (False, True, False)


def test_a_rejected_duplicate_does_not_reject_the_first() -> None:
    twice = TransactionStatus(end_to_end_id="A1", status="RJCT", reason_codes=("AM05",))
    assert not twice.is_rejected
    copy = replace(REPORT, group_status="RJCT", reason_codes=("DU01",))
    assert not copy.is_rejected
    assert replace(copy, reason_codes=("FF01",)).is_rejected


def test_an_old_report_that_rejects_the_block_rejects_the_file() -> None:
    raw = golden("pain002-03-rejected.xml")
    assert why_invalid(raw, "pain.002.001.03") is None
    report = pain002.read(raw)
    assert report.is_rejected
    assert report.original_message_id == "LB-20261120-000007"
    # The bank's free text may contain names: it is replaced by `NARR`.
    assert report.reason_codes == ("FF01", "NARR")
    # One payment is identified by the instruction id only.
    assert [each.end_to_end_id for each in report.transactions] == ["A1"]
    assert "Jane" not in repr(report)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (b"<TxSts>RJCT<", b"<TxSts>rejected<", "four letters"),
        (b"<TxSts>RJCT</TxSts>", b"", "status of a payment is missing"),
        (b"<OrgnlMsgId>LB-20261120-000007</OrgnlMsgId>", b"", "number of the file is missing"),
        (b"OrgnlGrpInfAndSts>", b"Other>", "name its file"),
        (b"<GrpSts>", b"<GrpSts>X", "four letters"),
        (b"OrgnlEndToEndId>A2", b"OrgnlEndToEndId>", None),
    ],
)
def test_a_report_that_was_changed_is_refused(old: bytes, new: bytes, reason: str | None) -> None:
    raw = golden("pain002-written.xml")
    assert old in raw
    changed = raw.replace(old, new)
    if reason is None:
        assert pain002.read(changed).transactions[1].end_to_end_id == "A2"
    else:
        with pytest.raises(FileRejected, match=reason):
            pain002.read(changed)


def test_a_report_on_one_of_several_blocks_is_refused() -> None:
    raw = golden("pain002-03-rejected.xml")
    block = raw[raw.index(b"<OrgnlPmtInfAndSts>") : raw.index(b"</CstmrPmtStsRpt>")]
    with pytest.raises(FileRejected, match="one of several blocks"):
        pain002.read(raw.replace(block, block + block))
