-- Payments of less than one unit of a currency with cents that go back to strangers by themselves:
-- those of a day are counted, as the bank charges for each of them.
create index incoming_payments_small_returns_idx on incoming_payments (org_id, received_at)
    where status in ('RETURNING', 'RETURNED') and decided_by is null and units < 100;

-- What the relayers, which all organisations share, have paid for one of them in a day.
create index solana_attempts_created_at_idx on solana_attempts (org_id, created_at);
