-- Approvals whatever became of them, newest first: of an organisation, and of whoever asked.
create index approvals_created_at_idx on approvals (org_id, created_at desc, id desc);

create index approvals_initiator_id_idx
    on approvals (org_id, initiator_id, created_at desc, id desc);
