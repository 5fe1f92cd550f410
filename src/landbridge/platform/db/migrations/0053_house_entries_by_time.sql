-- What an organisation earned and paid in a month, by user: entries of these house accounts by time.
create index entries_house_time_idx on entries (org_id, occurred_at, transfer_id)
    include (role, asset, available)
    where role in ('fees', 'gas', 'write_offs');
