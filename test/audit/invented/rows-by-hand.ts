import type { Breakage } from './breakage.ts';

export const rowsByHand: readonly Breakage[] = [
  {
    title: 'a claim moved to another client while triggers are off',
    lets: 'a claim stands on another client’s site, without record',
    make: `set local session_replication_role = replica;
           update public.reclamations set client_id = 'c1000000-0000-4000-8000-000000000001' where amount = 2000;
           set local session_replication_role = origin`,
  },
  {
    title: 'audit records deleted while triggers are off',
    lets: 'nobody learns what was done',
    make: `set local session_replication_role = replica;
           delete from public.audit_logs where resource_type = 'reclamations';
           set local session_replication_role = origin`,
  },
  {
    title: 'an issued invoice deleted while triggers are off',
    lets: 'the numbers have a gap',
    make: `set local session_replication_role = replica;
           delete from public.factures;
           set local session_replication_role = origin`,
  },
  {
    title: 'the counter of invoices set forward',
    lets: 'the numbers have a gap',
    make: 'update public.invoice_counters set last_number = last_number + 40',
  },
  {
    title: 'a move for tax specialists in the table of moves',
    lets: 'a tax specialist marks a draft as refunded',
    make: `insert into public.reclamation_transitions values ('DRAFT', 'REFUNDED', 'TAX_SPECIALIST')`,
  },
  {
    title: 'the guard of the last administrator emptied',
    lets: 'two ADMINs go at the same time and none is left',
    make: 'delete from app.administrator_guard',
  },
  {
    title: 'a client for a subject, as if it had created it',
    lets: 'at the next login the subject has ACME',
    make: `insert into app.created_clients (subject, client_id) values ('idp|mallory', 'c1000000-0000-4000-8000-000000000001')`,
  },
  {
    title: 'a grant changed to another client by update',
    lets: 'a BI login reads Borealis, and no record tells of it',
    make: `update reporting.grants set client_id = 'c1000000-0000-4000-8000-000000000002' where login = 'bi_acme'`,
    by: 'owner',
  },
  {
    title: 'a grant written while triggers are off',
    lets: 'a BI login reads Borealis, and no record tells of it',
    make: `set local session_replication_role = replica;
           insert into reporting.grants (login, client_id, login_oid)
             values ('bi_acme', 'c1000000-0000-4000-8000-000000000002', 'bi_acme'::regrole);
           set local session_replication_role = origin`,
  },
  {
    title: 'a user made an ADMIN while triggers are off',
    lets: 'Tom has the whole system, and no record tells of it',
    make: `set local session_replication_role = replica;
           update public.users set role = 'ADMIN', client_access = '{}' where email = 'tom@acme.example';
           set local session_replication_role = origin`,
  },
];
