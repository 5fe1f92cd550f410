-- Files that no document ever names go after a month, and callers may delete them before that.
-- What a file is comes apart from when it is removed:
--   SENT   its content is being stored; if that has not come to an end by remove_at, it never will
--   THERE  callers have it. remove_at is a month ahead until a document names the file, then null
--   GONE   its data key is destroyed; from remove_at on the worker removes content and row
alter table files add column state text;

update files set state = case when remove_at is null then 'THERE' else 'SENT' end;

update files f set remove_at = f.created_at + interval '30 days'
where f.state = 'THERE' and not exists (
    select from kyc_files k
    where k.org_id = f.org_id and k.file_id = 'file_' || replace(f.id::text, '-', '')
);

alter table files alter column state set not null;
alter table files add constraint files_state_check check (state in ('SENT', 'THERE', 'GONE'));
alter table files add constraint files_remove_at_check
    check (remove_at is not null or state = 'THERE');
