"""Columns of every field, against the published rules."""

import pytest

from landbridge.providers.nacha import records

# Source: NACHA Operating Rules, record formats; first and last column, from 1.
PLACES = {
    "FILE_HEADER": """
        record_type 1 1, priority_code 2 3, immediate_destination 4 13, immediate_origin 14 23,
        creation_date 24 29, creation_time 30 33, id_modifier 34 34, record_size 35 37,
        blocking_factor 38 39, format_code 40 40, destination_name 41 63, origin_name 64 86,
        reference_code 87 94""",
    "BATCH_HEADER": """
        record_type 1 1, service_class 2 4, company_name 5 20, company_discretionary_data 21 40,
        company_id 41 50, sec_code 51 53, entry_description 54 63, descriptive_date 64 69,
        effective_date 70 75, settlement_date 76 78, originator_status 79 79, odfi 80 87,
        batch_number 88 94""",
    "ENTRY": """
        record_type 1 1, transaction_code 2 3, rdfi 4 11, check_digit 12 12,
        account_number 13 29, amount 30 39, individual_id 40 54, name 55 76,
        discretionary_data 77 78, addenda_indicator 79 79, trace_number 80 94""",
    "ADDENDA_05": """
        record_type 1 1, addenda_type 2 3, payment_information 4 83, addenda_number 84 87,
        entry_number 88 94""",
    "ADDENDA_98": """
        record_type 1 1, addenda_type 2 3, change_code 4 6, original_trace 7 21, reserved 22 27,
        original_rdfi 28 35, corrected_data 36 64, reserved_too 65 79, trace_number 80 94""",
    "ADDENDA_99": """
        record_type 1 1, addenda_type 2 3, return_code 4 6, original_trace 7 21,
        date_of_death 22 27, original_rdfi 28 35, addenda_information 36 79,
        trace_number 80 94""",
    "BATCH_CONTROL": """
        record_type 1 1, service_class 2 4, entry_and_addenda_count 5 10, entry_hash 11 20,
        total_debits 21 32, total_credits 33 44, company_id 45 54, message_authentication 55 73,
        reserved 74 79, odfi 80 87, batch_number 88 94""",
    "FILE_CONTROL": """
        record_type 1 1, batch_count 2 7, block_count 8 13, entry_and_addenda_count 14 21,
        entry_hash 22 31, total_debits 32 43, total_credits 44 55, reserved 56 94""",
}


@pytest.mark.parametrize("name", PLACES)
def test_every_field_has_its_official_columns(name: str) -> None:
    record: records.NachaRecord = getattr(records, name)
    found = [f"{each.name} {each.start} {each.start + each.size - 1}" for each in record.fields]
    assert found == [each.strip() for each in PLACES[name].split(",")]


@pytest.mark.parametrize("name", PLACES)
def test_a_field_is_written_and_read_in_its_own_columns_alone(name: str) -> None:
    record: records.NachaRecord = getattr(records, name)
    blank = record.write(dict.fromkeys((each.name for each in record.fields), ""))
    for field in record.fields:
        if field.kind in {records.NachaFieldKind.FIXED, records.NachaFieldKind.UNREAD}:
            continue
        line = record.write({field.name: "7" * field.size})
        first, end = field.start - 1, field.start - 1 + field.size
        assert line[first:end] == "7" * field.size
        assert line[:first] + line[end:] == blank[:first] + blank[end:]
        assert record.read(line, 1)[field.name] == "7" * field.size
