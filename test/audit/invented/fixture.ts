/** What stands in the database before anything is done: a login of each kind, and rows of two clients. */
export const LOGINS = ['api_production', 'bi_acme', 'auditor_anna', 'reporter_jo'];

export const MAKE_LOGINS = `
  create role api_production login password 'api-secret' in role taxclaims_api;
  create role bi_acme login password 'bi-secret' in role taxclaims_reporting;
  create role auditor_anna login password 'auditor-secret' in role taxclaims_auditor;
  -- A login of another application, which has nothing here.
  create role reporter_jo login password 'jo-secret';
`;

export const MAKE_ROWS = `
  insert into public.clients (id, company_name, contact_email) values
    ('c1000000-0000-4000-8000-000000000001', 'ACME', 'contact@acme.example'),
    ('c1000000-0000-4000-8000-000000000002', 'Borealis', 'contact@borealis.example');
  insert into public.sites (id, client_id, site_name) values
    ('51000000-0000-4000-8000-000000000001', 'c1000000-0000-4000-8000-000000000001', 'Paris'),
    ('51000000-0000-4000-8000-000000000002', 'c1000000-0000-4000-8000-000000000002', 'Lille');
  insert into public.reclamations (id, client_id, site_id, claim_type, amount) values
    ('71000000-0000-4000-8000-000000000001', 'c1000000-0000-4000-8000-000000000001',
     '51000000-0000-4000-8000-000000000001', 'TF', 1000),
    ('71000000-0000-4000-8000-000000000002', 'c1000000-0000-4000-8000-000000000002',
     '51000000-0000-4000-8000-000000000002', 'CFE', 2000);
  update public.reclamations set status = 'READY_FOR_REVIEW' where amount = 1000;
  insert into public.factures (id, client_id, amount_excl_tax) values
    ('f1000000-0000-4000-8000-000000000001', 'c1000000-0000-4000-8000-000000000001', 100);
  update public.factures set status = 'ISSUED';
  insert into public.users (id, email, password_hash, name, role, client_access, subject) values
    ('e1000000-0000-4000-8000-000000000001', 'ada@firm.example', '!', 'Ada', 'ADMIN', '{}', 'idp|ada'),
    ('e1000000-0000-4000-8000-000000000002', 'tom@acme.example', '!', 'Tom', 'CLIENT',
     '{c1000000-0000-4000-8000-000000000001}', 'idp|tom');
  select reporting.grant_client('bi_acme', 'c1000000-0000-4000-8000-000000000001');
`;
