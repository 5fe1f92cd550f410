-- Bytes of all files of an organisation, which have a limit. A small file counts as one block of a
-- disk. The previous version writes files without counting them while this one starts.
create table file_usage (
    org_id uuid not null,
    bytes bigint not null,
    constraint file_usage_pkey primary key (org_id),
    constraint file_usage_org_id_fkey foreign key (org_id) references orgs (id),
    constraint file_usage_bytes_check check (bytes >= 0)
);

insert into file_usage (org_id, bytes)
select org_id, sum(greatest(size_bytes, 4096)) from files group by org_id;
