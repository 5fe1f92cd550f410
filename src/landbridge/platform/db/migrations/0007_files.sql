-- Files that clients upload, such as scans of passports. The content is stored elsewhere (disk or
-- an S3-compatible store), sealed with the file's own data key.
--
-- States:
--   UPLOADING  the content is being stored; an upload that has not finished by remove_at failed
--   STORED     clients can use the file. remove_at is a month ahead until a document uses the file,
--              then null
--   DELETED    the data key is destroyed; from remove_at on the worker removes content and row
create table files (
    org_id uuid not null,
    id uuid not null,
    -- File names contain people's names, so this is sealed as well.
    sealed_name bytea not null,
    mime_type text not null,
    size_bytes integer not null,
    created_at timestamptz not null,
    -- When the worker may remove content and row. The row is written before the content, with a
    -- time a day ahead, so that all stored content has a row.
    remove_at timestamptz,
    state text not null,
    constraint files_pkey primary key (org_id, id),
    constraint files_org_id_fkey foreign key (org_id) references orgs (id),
    constraint files_mime_type_check check (
        mime_type in
            ('application/pdf', 'image/jpeg', 'image/png', 'image/heic', 'image/tiff')
    ),
    constraint files_size_bytes_check check (size_bytes between 1 and 10485760),
    constraint files_state_check check (state in ('UPLOADING', 'STORED', 'DELETED')),
    constraint files_remove_at_check check (remove_at is not null or state = 'STORED')
);

create index files_remove_at_idx on files (org_id, remove_at) where remove_at is not null;
