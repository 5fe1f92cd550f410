-- Lists ended records by amount, and still finds those of one amount: both begin with the asset.
create index transfers_source_amount_idx
    on transfers (org_id, source_asset, source_units, created_at, id)
    where due_at is null;
drop index transfers_source_units_idx;
