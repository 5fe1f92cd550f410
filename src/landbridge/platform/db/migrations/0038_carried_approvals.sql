-- A payment that is quoted again keeps its approval: the new payment's approval names the one that
-- was granted first.

alter table approvals
    add column carried_from uuid,
    add constraint approvals_carried_from_check check (carried_from is null or status = 'APPROVED');
