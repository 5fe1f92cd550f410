-- E-mails. A row is written in the transaction that causes the e-mail and removed once the mail
-- server accepted it. The row is also the job: it is sent at due_at.
create table outbound_emails (
    org_id uuid not null,
    id uuid not null,
    -- The owner of the data key. Not a foreign key, because keys are destroyed to erase.
    owner_id uuid not null,
    -- Recipient, subject and text.
    sealed_email bytea not null,
    created_at timestamptz not null,
    -- Real time: mail servers know no other.
    due_at timestamptz not null,
    -- Fencing token: number of attempts started. An attempt continues only with the count that it
    -- read, so that two processes never send at once.
    attempts integer not null default 0,
    constraint outbound_emails_pkey primary key (org_id, id),
    constraint outbound_emails_org_id_fkey foreign key (org_id) references orgs (id),
    constraint outbound_emails_attempts_check check (attempts >= 0)
);

create index outbound_emails_due_at_idx on outbound_emails (org_id, due_at);

-- E-mails that a sandbox would have sent. It sends none and keeps the newest for admins to read.
create table captured_emails (
    org_id uuid not null,
    id uuid not null,
    -- The owner of the data key. Not a foreign key, because keys are destroyed to erase.
    owner_id uuid not null,
    -- Recipient, subject and text, as in `outbound_emails`.
    sealed_email bytea not null,
    -- Real time, as in `outbound_emails`.
    created_at timestamptz not null,
    constraint captured_emails_pkey primary key (org_id, id),
    constraint captured_emails_org_id_fkey foreign key (org_id) references orgs (id)
);

create index captured_emails_created_at_idx on captured_emails (org_id, created_at desc, id desc);
