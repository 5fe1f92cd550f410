-- Finds what people and commands did among any number of changes by keys and by the worker.
-- The predicate stands in audit_log/store.py to the letter.
create index changes_people_idx on changes (org_id, at)
where rests and (actor = 'cli' or actor like 'member:%' or actor like 'person:%');
