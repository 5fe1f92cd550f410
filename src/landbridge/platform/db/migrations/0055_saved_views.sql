-- Filters and order of the list of payments that members saved under a name, for themselves or for
-- their organisation.
create table saved_views (
    org_id uuid not null,
    id uuid not null,
    -- The member.
    owner_id uuid not null,
    name text not null,
    -- Query string of the list; users are named by their ids.
    query text not null,
    is_shared boolean not null,
    constraint saved_views_pkey primary key (org_id, id),
    constraint saved_views_owner_id_fkey
        foreign key (org_id, owner_id) references team_members (org_id, id),
    constraint saved_views_owner_id_name_key unique (org_id, owner_id, name),
    constraint saved_views_name_check check (length(name) between 1 and 60),
    constraint saved_views_query_check check (length(query) between 1 and 1000)
);
