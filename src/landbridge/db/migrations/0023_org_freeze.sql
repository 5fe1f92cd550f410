-- A frozen organisation can look and moves nothing. The reason is the operator's own note.
alter table orgs
    add column frozen_at timestamptz,
    add column frozen_reason text,
    add constraint orgs_frozen_reason_check
        check (frozen_reason is null or (frozen_at is not null and length(frozen_reason) <= 200));

-- Whether a key may decide on approvals (in a sandbox every key may).
alter table api_keys add column can_approve boolean not null default false;
