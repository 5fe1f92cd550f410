-- The log of changes is ordered by places that batches get after their commit, no longer by
-- transaction ids (docs/decisions/0053-places-in-the-log.md). Existing changes keep their position:
-- number and place of their batch are their transaction id. Rewrites `changes` and
-- `webhook_deliveries`. The previous version can neither write nor read the log from here on.

lock table changes, house_rollups, report_builds, webhook_endpoints, webhook_deliveries,
    proof_trees, proof_blocks, recon_cursors, recon_sources
in access exclusive mode;

drop view report_deltas;
drop index changes_tx_idx;
drop index changes_snapshots_idx;
drop index proof_blocks_first_tx_idx;

alter table changes rename column tx to batch;
alter table changes alter column batch type bigint using batch::text::bigint;
comment on column changes.batch is
    'Number of the batch of changes (change_batches) that one statement wrote.';

alter table house_rollups alter column rolled_up_to type bigint using rolled_up_to::text::bigint;
alter table report_builds alter column rolled_up_to type bigint using rolled_up_to::text::bigint;
alter table webhook_endpoints rename column read_tx to read_place;
alter table webhook_endpoints
    alter column read_place type bigint using read_place::text::bigint;
alter table webhook_deliveries rename column tx to place;
alter table webhook_deliveries alter column place type bigint using place::text::bigint;
alter table proof_trees rename column read_tx to read_place;
alter table proof_trees alter column read_place type bigint using read_place::text::bigint;
alter table proof_blocks rename column first_tx to first_place;
alter table proof_blocks alter column first_place type bigint using first_place::text::bigint;
alter table recon_cursors rename column opened_tx to opened_place;
alter table recon_cursors rename column read_tx to read_place;
alter table recon_cursors
    alter column opened_place type bigint using opened_place::text::bigint,
    alter column read_place type bigint using read_place::text::bigint;
alter table recon_sources rename column read_tx to read_place;
alter table recon_sources alter column read_place type bigint using read_place::text::bigint;

create index changes_batch_idx on changes (org_id, batch);

-- Finds the snapshots to remove once their events have expired.
create index changes_snapshots_idx on changes (org_id, occurred_at, batch)
    where sealed_snapshot is not null;

-- Finds the block of a change.
create index proof_blocks_first_place_idx
    on proof_blocks (org_id, first_place, first_object_id, first_seq);

-- Numbers are drawn under the locks of the changed objects, so sessions must not keep any.
create sequence change_batch_numbers cache 1;

-- The changes of one organisation that one statement wrote.
create table change_batches (
    org_id uuid not null,
    -- Later changes of an object have a larger number.
    number bigint not null,
    -- Position of the batch in the log: 1, 2, 3 ... Null until it is placed, soon after its commit.
    place bigint,
    constraint change_batches_pkey primary key (org_id, number)
);

-- How far an organisation's log has places. Locked while batches are placed.
create table change_logs (
    org_id uuid not null,
    last_place bigint not null,
    constraint change_logs_pkey primary key (org_id),
    constraint change_logs_org_id_fkey foreign key (org_id) references orgs (id)
);

insert into change_batches (org_id, number, place)
select distinct c.org_id, c.batch, c.batch
from changes c;

create unique index change_batches_place_key on change_batches (org_id, place)
    where place is not null;

-- Finds the batches to place.
create index change_batches_unplaced_idx on change_batches (org_id, number) where place is null;

-- Above every position that is stored, and above those that clients have: no transaction of this
-- server had a larger id. A restored dump may have come from a server with larger ids.
insert into change_logs (org_id, last_place)
select o.id, l.position
from orgs o
cross join (
    select greatest(
        pg_snapshot_xmax(pg_current_snapshot())::text::bigint,
        (select max(b.number) from change_batches b),
        (select max(h.rolled_up_to) from house_rollups h),
        (select max(r.rolled_up_to) from report_builds r),
        (select max(e.read_place) from webhook_endpoints e),
        (select max(d.place) from webhook_deliveries d),
        (select max(p.read_place) from proof_trees p),
        (select max(k.first_place) from proof_blocks k),
        (select max(greatest(c.opened_place, c.read_place)) from recon_cursors c),
        (select max(s.read_place) from recon_sources s)
    ) as position
) l;

select setval('change_batch_numbers', coalesce(max(l.last_place), 1)) from change_logs l;
