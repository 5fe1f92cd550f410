"""Statements that add a change to the log, and readers of it at a place."""

ADD_CHANGE = """
insert into changes (org_id, object_id, seq, kind, change_type, actor, occurred_at, is_settled, tx)
values ($1, $2, $3, 'THING', 'set', 'test', now(), true, $4::text::xid8)
"""
ADD_ROLL = "insert into house_rollups (org_id, rolled_up_to) values ($1, $2::text::xid8)"
ADD_CURSOR = """
insert into recon_cursors (org_id, opened_tx, read_tx) values ($1, $2::text::xid8, $3::text::xid8)
"""
ADD_SOURCE = """
insert into recon_sources (
    org_id, source, block_number, block_hash, opened_at, last_run_at, read_tx
)
values ($1, 'BANK_USD', 1, 'S1', now(), now(), $2::text::xid8)
"""
ADD_BUILD = """
insert into report_builds (org_id, build, zone, rolled_up_to, is_current, created_at)
values ($1, 1, 'UTC', $2::text::xid8, true, now())
"""
ADD_ENDPOINT = """
insert into webhook_endpoints (
    org_id, id, url, event_types, status, event_name_spelling, has_standard_headers, version,
    created_at,
    updated_at, read_tx, read_object_id, read_seq, starts_at, round
)
values (
    $1, $2, 'https://example.com', '{}', 'ACTIVE', 'CREATE', false, 1, now(), now(),
    $3::text::xid8, $4, $5, now(), 1
)
"""
ADD_DELIVERY = """
insert into webhook_deliveries (
    org_id, id, day, endpoint_id, round, tx, object_id, seq, part, event_type, event_at, status,
    deadline_at, attempt_count, attempts, created_at, updated_at
)
values (
    $1, $2, '2026-01-01', $3, 1, $4::text::xid8, $5, $6, 0, 'THING', now(), 'DELIVERED', now(), 0,
    '[]', now(), now()
)
"""
ADD_TREE = "insert into proof_trees values ($1, 1, 1, $2::text::xid8, $3, $4)"
ADD_BLOCK = "insert into proof_blocks values ($1, 0, $2::text::xid8, $3, $4, '{}')"
