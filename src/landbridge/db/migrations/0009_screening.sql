-- Sanctions lists are the same for every organisation, so these tables have no org_id: they are
-- written by a command and read whole by each process.

-- One load of one list.
create table sanctions_versions (
    id uuid not null,
    list text not null,
    -- SHA-256 over what was read, so that loading the same list again is seen to change nothing.
    digest text not null,
    -- The day that the publisher printed on it; not every format has one.
    published_on date,
    entry_count integer not null,
    loaded_at timestamptz not null,
    -- The version that is screened against; the one before it is kept for reference.
    is_active boolean not null,
    constraint sanctions_versions_pkey primary key (id),
    constraint sanctions_versions_entry_count_check check (entry_count > 0)
);

-- Also what lets only one of two loads at once win.
create unique index sanctions_versions_active_idx on sanctions_versions (list) where is_active;

create table sanctions_entries (
    version_id uuid not null,
    -- The publisher's own number.
    entry_id text not null,
    type text not null,
    -- The name that it is listed under first, then its aliases.
    names text[] not null,
    programs text[] not null,
    -- As published: '10 Dec 1948', 'circa 1965', '1958 to 1960'.
    birth_dates text[] not null,
    constraint sanctions_entries_pkey primary key (version_id, entry_id),
    constraint sanctions_entries_version_id_fkey
        foreign key (version_id) references sanctions_versions (id) on delete cascade,
    constraint sanctions_entries_type_check
        check (type in ('individual', 'entity', 'vessel', 'aircraft')),
    constraint sanctions_entries_names_check check (cardinality(names) > 0)
);
