-- Deposits of less than one coin cost strangers next to nothing, and each screening costs something:
-- those of an organisation are counted for a day before another one is asked about.
alter table provider_screenings add column is_small boolean not null default false;
create index provider_screenings_small_idx on provider_screenings (org_id, created_at)
    where is_small;
