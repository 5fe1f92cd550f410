-- Sanctions lists. They are the same for every organisation, so these tables have no org_id. A
-- command writes them; each process reads them whole.

-- One load of one list.
create table sanctions_versions (
    id uuid not null,
    list text not null,
    -- SHA-256 of the content, so that loading the same list again changes nothing.
    digest text not null,
    -- The publisher's date; not every format has one.
    published_on date,
    entry_count integer not null,
    loaded_at timestamptz not null,
    -- The version to screen against; the previous one is kept for reference.
    is_active boolean not null,
    constraint sanctions_versions_pkey primary key (id),
    constraint sanctions_versions_entry_count_check check (entry_count > 0)
);

-- Of two concurrent loads only one can succeed.
create unique index sanctions_versions_active_idx on sanctions_versions (list) where is_active;

create table sanctions_entries (
    version_id uuid not null,
    -- The publisher's own number.
    entry_id text not null,
    type text not null,
    -- The primary name, then aliases.
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

-- One row to lock: exclusively to load a list, shared to approve a user. The row of the active
-- version cannot serve: the first load finds none, and the active version may change while a
-- transaction waits for its lock.
create table sanctions_lock (
    singleton boolean not null,
    constraint sanctions_lock_pkey primary key (singleton),
    constraint sanctions_lock_singleton_check check (singleton)
);

insert into sanctions_lock (singleton) values (true);
