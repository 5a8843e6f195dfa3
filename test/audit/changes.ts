/** What a DBA, or somebody who passes for one, may do to a database, and the fact by which audit.drift tells. */
export interface Change {
  readonly what: string;
  readonly sql: string;
  readonly kind: string;
  readonly object: string;
}

const COPY = `create function public.copy() returns trigger language plpgsql as $$ begin return new; end $$`;

export const CHANGES: readonly Change[] = [
  {
    what: 'a rule that switches the audit log off',
    sql: 'create rule quiet as on insert to public.audit_logs do instead nothing',
    kind: 'rule',
    object: 'quiet on public.audit_logs',
  },
  {
    what: 'a trigger by which rows are copied',
    sql: `${COPY}; create trigger copy after insert on public.reclamations for each row execute function public.copy()`,
    kind: 'trigger',
    object: 'copy on public.reclamations',
  },
  {
    what: 'a trigger that fires in replicas alone',
    sql: 'alter table public.sites enable replica trigger sites_touch',
    kind: 'trigger',
    object: 'sites_touch on public.sites',
  },
  {
    what: 'a foreign key whose triggers are off',
    sql: `do $$ begin execute (select format('alter table public.sites disable trigger %I', tgname) from pg_trigger
          where tgrelid = 'public.sites'::regclass and tgfoid = '"RI_FKey_check_ins"'::regproc limit 1); end $$`,
    kind: 'trigger',
    object: '"RI_FKey_check_ins" of sites_client_id_fkey on public.sites on public.sites',
  },
  {
    what: 'a dropped foreign key',
    sql: 'alter table public.sites drop constraint sites_client_id_fkey',
    kind: 'constraint',
    object: 'sites_client_id_fkey on public.sites',
  },
  {
    what: 'a constraint that is not valid',
    sql: 'alter table public.sites add constraint later check (id is not null) not valid',
    kind: 'constraint',
    object: 'later on public.sites',
  },
  {
    what: 'a column that may be null',
    sql: 'alter table public.sites alter column client_id drop not null',
    kind: 'column',
    object: 'public.sites.client_id',
  },
  {
    what: 'a column of another type',
    sql: 'alter table app.migrations alter column name type text',
    kind: 'column',
    object: 'app.migrations.name',
  },
  {
    what: 'another default',
    sql: `alter table public.users alter column is_active set default false`,
    kind: 'column',
    object: 'public.users.is_active',
  },
  {
    what: 'an added column',
    sql: 'alter table public.clients add column extra text',
    kind: 'column',
    object: 'public.clients.extra',
  },
  {
    what: 'a dropped index',
    sql: 'drop index public.audit_logs_refusals_idx',
    kind: 'index',
    object: 'public.audit_logs_refusals_idx',
  },
  {
    what: 'an index that is not valid',
    sql: `update pg_index set indisvalid = false where indexrelid = 'public.audit_logs_refusals_idx'::regclass`,
    kind: 'index',
    object: 'public.audit_logs_refusals_idx',
  },
  {
    what: 'a table that a crash empties',
    sql: 'alter table app.client_documents set unlogged',
    kind: 'table',
    object: 'app.client_documents',
  },
  {
    what: 'another replica identity',
    sql: 'alter table public.sites replica identity full',
    kind: 'table',
    object: 'public.sites',
  },
  {
    what: 'a parent elsewhere',
    sql: `create schema aside; create table aside.parent (id uuid not null); alter table public.sites inherit aside.parent`,
    kind: 'inheritance',
    object: 'public.sites of aside.parent',
  },
  {
    what: 'a child elsewhere',
    sql: 'create schema aside; create table aside.child () inherits (public.sites)',
    kind: 'inheritance',
    object: 'aside.child of public.sites',
  },
  {
    what: 'a view elsewhere that others read as its owner',
    sql: `create schema aside; create view aside.claims as select id from public.reclamations;
      grant select on aside.claims to taxclaims_auditor`,
    kind: 'schema',
    object: 'aside',
  },
  {
    what: 'a default elsewhere that asks the house',
    sql: 'create schema aside; create table aside.seen (by_role text default app.role())',
    kind: 'schema',
    object: 'aside',
  },
  {
    what: 'a foreign key from elsewhere',
    sql: 'create schema aside; create table aside.note (site uuid references public.sites (id))',
    kind: 'constraint',
    object: 'note_site_fkey on aside.note',
  },
  {
    what: 'a leakproof function',
    sql: 'alter function app.role() leakproof',
    kind: 'function',
    object: 'app.role()',
  },
  {
    what: 'a function that says it has no side effect',
    sql: 'alter function app.role() parallel safe',
    kind: 'function',
    object: 'app.role()',
  },
  {
    what: 'a function beside those of Postgres',
    sql: `set local allow_system_table_mods = on;
          create function pg_catalog.lower(uuid) returns text language sql as $$ select $1::text $$`,
    kind: 'function',
    object: 'lower(uuid)',
  },
  {
    what: 'another function of Postgres',
    sql: `update pg_proc set prosecdef = true where oid = 'pg_catalog.upper(text)'::regprocedure`,
    kind: 'built-in',
    object: 'pg_proc',
  },
  {
    what: 'a right to a function of Postgres',
    sql: 'grant execute on function pg_catalog.pg_read_file(text) to public',
    kind: 'grant',
    object: 'function pg_read_file(text) to PUBLIC',
  },
  {
    what: 'a right to a column of a catalog',
    sql: 'grant select (rolpassword) on pg_catalog.pg_authid to taxclaims_reporting',
    kind: 'grant',
    object: 'column pg_authid.rolpassword to taxclaims_reporting',
  },
  {
    what: 'a cast',
    sql: `create schema aside; create type aside.word as enum ('a'); create cast (aside.word as text) with inout as implicit`,
    kind: 'cast',
    object: '(aside.word AS pg_catalog.text)',
  },
  {
    what: 'an operator',
    sql: 'create schema aside; create operator aside.= (leftarg = uuid, rightarg = uuid, function = pg_catalog.uuid_ne)',
    kind: 'operator',
    object: 'aside.=(pg_catalog.uuid,pg_catalog.uuid)',
  },
  {
    what: 'a right of a role of the house in a schema of somebody else',
    sql: 'create schema aside; create table aside.everything (client text); grant select on aside.everything to taxclaims_reporting',
    kind: 'schema',
    object: 'aside',
  },
  {
    what: 'a function that runs as a role of the house',
    sql: `create schema aside; create function aside.reach() returns text language sql security definer as $$ select 'a' $$;
          alter function aside.reach() owner to taxclaims_definer`,
    kind: 'function',
    object: 'aside.reach()',
  },
  {
    what: 'a type',
    sql: 'create domain public.money_of_ours as numeric',
    kind: 'type',
    object: 'public.money_of_ours',
  },
  {
    what: 'a right of an outsider to a function that runs as its owner',
    sql: `create role test_outsider; grant execute on function app.email_of(uuid, text) to test_outsider`,
    kind: 'grant',
    object: 'function app.email_of(uuid,text) to test_outsider',
  },
  {
    what: 'a publication of nothing yet',
    sql: 'create publication everything',
    kind: 'publication',
    object: 'everything',
  },
  {
    what: 'an event trigger',
    sql: `create schema aside; create function aside.watch() returns event_trigger language plpgsql as $$ begin end $$;
          create event trigger watch on ddl_command_end execute function aside.watch()`,
    kind: 'event trigger',
    object: 'watch',
  },
  {
    what: 'a foreign server',
    sql: 'create foreign data wrapper far; create server far foreign data wrapper far',
    kind: 'foreign server',
    object: 'far',
  },
  {
    what: 'another owner of a schema',
    sql: 'alter schema reporting owner to taxclaims_definer',
    kind: 'schema',
    object: 'reporting',
  },
  {
    what: 'another owner of the database',
    sql: `do $$ begin execute format('alter database %I owner to taxclaims_owner', current_database()); end $$`,
    kind: 'database',
    object: 'this database',
  },
  {
    what: 'a setting of the database that disarms triggers',
    sql: `do $$ begin execute format('alter database %I set session_replication_role = replica', current_database()); end $$`,
    kind: 'database setting',
    object: 'session_replication_role for this database',
  },
  {
    what: 'a setting of a role of the house',
    sql: `alter role taxclaims_api set search_path = public`,
    kind: 'setting',
    object: 'search_path for taxclaims_api',
  },
  {
    what: 'a right to a parameter',
    sql: 'grant set on parameter session_replication_role to taxclaims_reporting',
    kind: 'parameter grant',
    object: 'session_replication_role to taxclaims_reporting',
  },
  {
    what: 'a superuser',
    sql: 'create role test_root superuser login',
    kind: 'superuser',
    object: 'test_root',
  },
  {
    what: 'a role of the house with a limit of connections',
    sql: 'alter role taxclaims_api connection limit 0',
    kind: 'role',
    object: 'taxclaims_api',
  },
  {
    what: 'a membership with the right to pass it on',
    sql: 'grant taxclaims_admin to taxclaims_api with admin option',
    kind: 'membership',
    object: 'taxclaims_api in taxclaims_admin',
  },
  {
    what: 'a right that an owner lost',
    sql: 'revoke insert on public.sites from taxclaims_owner',
    kind: 'grant',
    object: 'table public.sites to taxclaims_owner',
  },
  {
    what: 'storage of a column',
    sql: 'alter table public.clients alter column company_name set storage external',
    kind: 'column',
    object: 'public.clients.company_name',
  },
  {
    what: "an extension among what is the house's",
    sql: 'create extension if not exists plpgsql; alter extension plpgsql add schema reporting',
    kind: 'extension',
    object: 'plpgsql',
  },
];

/** What a DBA does every day; it is nobody's business but the DBA's. */
export const ORDINARY: readonly (readonly [what: string, sql: string])[] = [
  ['a statistics object', 'create statistics public.made on client_id, id from public.sites'],
  ['an index for a slow report', 'create index made on public.reclamations (tax_year, status)'],
  ['room in the pages of a table', 'alter table public.sites set (fillfactor = 70)'],
  [
    'a limit of connections',
    "do $$ begin execute format('alter database %I connection limit 50', current_database()); end $$",
  ],
  [
    'a view elsewhere that reads as whoever asks',
    `create schema aside; create view aside.claims with (security_invoker) as select id from reporting.reclamations`,
  ],
  [
    'a view elsewhere that nobody else reads',
    'create schema aside; create view aside.claims as select id from reporting.reclamations',
  ],
  [
    'a login for the API, its password and limit',
    `create role test_a login password 'a' connection limit 5 in role taxclaims_api; alter role test_a password 'b'`,
  ],
  [
    'a login that reports, with its settings',
    `create role test_b login in role taxclaims_reporting; alter role test_b set statement_timeout = '2min'`,
  ],
  ['a member of the owner', 'create role test_c login in role taxclaims_owner'],
  ['rows', `insert into public.clients (company_name, contact_email) values ('One', 'one@example.org')`],
  ['statistics', 'analyze public.clients'],
  ['indexes made anew', 'reindex table public.clients'],
  ['a table in another order', 'cluster public.clients using clients_pkey'],
  ['comments', `comment on table public.clients is 'by hand'`],
  [
    "a schema of one's own, with a table, a function and a type",
    `create schema dba; create table dba.notes (id integer primary key, note text); create function dba.now() returns timestamptz language plpgsql as $$ begin return now(); end $$; create type dba.state as enum ('on')`,
  ],
  [
    "defaults of one's own for one's own schema",
    'create schema dba; alter default privileges in schema dba grant select on tables to public',
  ],
  [
    'a limit of time for the database',
    `do $$ begin execute format('alter database %I set statement_timeout = ''1h''', current_database()); end $$`,
  ],
  [
    'what is logged',
    `do $$ begin execute format('alter database %I set log_min_duration_statement = 100', current_database()); end $$`,
  ],
  ['a role that has nothing to do with the house', 'create role test_d; grant test_d to current_user'],
];
