-- Mails that a sandbox would have sent: it sends none, and keeps the newest for admins to read.
create table mailbox (
    org_id uuid not null,
    id uuid not null,
    -- Whose data key sealed the letter; not a reference, for keys are destroyed to erase.
    owner_id uuid not null,
    -- Recipient, subject and text, as in `mails`.
    sealed_letter bytea not null,
    -- Real time, as in `mails`.
    created_at timestamptz not null,
    constraint mailbox_pkey primary key (org_id, id),
    constraint mailbox_org_id_fkey foreign key (org_id) references orgs (id)
);

create index mailbox_created_at_idx on mailbox (org_id, created_at desc, id desc);
