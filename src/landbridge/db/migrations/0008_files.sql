-- Files that callers upload, such as scans of passports. The content is kept elsewhere (disk or an
-- S3-compatible store), sealed under the file's own data key: without that key, nothing here or
-- there can be read.
create table files (
    org_id uuid not null,
    id uuid not null,
    -- File names hold people's names, so this is sealed as well.
    sealed_name bytea not null,
    mime_type text not null,
    size_bytes integer not null,
    created_at timestamptz not null,
    -- Null: the file is there. A time: it is not there for callers, and the worker removes content
    -- and row from then on. The row is written before the content with a time a day ahead, and
    -- loses it when the content is stored: whatever is ever stored has a row that leads to it.
    remove_at timestamptz,
    constraint files_pkey primary key (org_id, id),
    constraint files_org_id_fkey foreign key (org_id) references orgs (id),
    constraint files_mime_type_check check (
        mime_type in
            ('application/pdf', 'image/jpeg', 'image/png', 'image/heic', 'image/tiff')
    ),
    constraint files_size_bytes_check check (size_bytes between 1 and 10485760)
);

create index files_remove_idx on files (org_id, remove_at) where remove_at is not null;
