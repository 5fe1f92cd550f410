-- How an object with personal data looked after a change, sealed under its owner's data key: the
-- log is kept for good, people are not. Null where the facts are enough.
alter table changes
    add column picture_owner_id uuid,
    add column sealed_picture bytea,
    add constraint changes_sealed_picture_check
        check ((picture_owner_id is null) = (sealed_picture is null));

-- Taken away once events are not kept any more.
create index changes_pictures_idx on changes (org_id, at, tx) where sealed_picture is not null;

comment on column changes.tx is
    'The transaction of this change, or that of the change before of the same object if it began '
    'later: the order of tx never contradicts the order of seq.';
