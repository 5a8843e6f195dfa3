/* TITLE | what it lets | by whom, since which Postgres, which extension it needs. */

-- a claim moved to another client while triggers are off | a claim stands on another client’s site, without record
set local session_replication_role = replica;
update public.reclamations set client_id = 'c1000000-0000-4000-8000-000000000001' where amount = 2000;
set local session_replication_role = origin;
-- audit records deleted while triggers are off | nobody learns what was done
set local session_replication_role = replica;
delete from public.audit_logs where resource_type = 'reclamations';
set local session_replication_role = origin;
-- an issued invoice deleted while triggers are off | the numbers have a gap
set local session_replication_role = replica;
delete from public.factures;
set local session_replication_role = origin;
-- the counter of invoices set forward | the numbers have a gap
update public.invoice_counters set last_number = last_number + 40;
-- a move for tax specialists in the table of moves | a tax specialist marks a draft as refunded
insert into public.reclamation_transitions values ('DRAFT', 'REFUNDED', 'TAX_SPECIALIST');
-- the guard of the last administrator emptied | two ADMINs go at the same time and none is left
delete from app.administrator_guard;
-- a client for a subject, as if it had created it | at the next login the subject has ACME
insert into app.created_clients (subject, client_id) values ('idp|mallory', 'c1000000-0000-4000-8000-000000000001');
-- a grant changed to another client by update | a BI login reads Borealis, and no record tells of it | by owner
update reporting.grants set client_id = 'c1000000-0000-4000-8000-000000000002' where login = 'bi_acme';
-- a grant written while triggers are off | a BI login reads Borealis, and no record tells of it
set local session_replication_role = replica;
insert into reporting.grants (login, client_id, login_oid)
  values ('bi_acme', 'c1000000-0000-4000-8000-000000000002', 'bi_acme'::regrole);
set local session_replication_role = origin;
-- a user made an ADMIN while triggers are off | Tom has the whole system, and no record tells of it
set local session_replication_role = replica;
update public.users set role = 'ADMIN', client_access = '{}' where email = 'tom@acme.example';
set local session_replication_role = origin;
