/** One thing that is wrong, as somebody would do it by hand, and its mending. */
export interface Breakage {
  /** The file under db/audit/findings/ that must notice. */
  readonly finding: string;
  readonly what: string;
  readonly object: string;
  readonly bad: string;
  readonly mend: string;
}

const OWNER = 'set local role taxclaims_owner;';
const ADDED = 'on public.documents for update to taxclaims_client';
const DROP = 'drop policy added on public.documents';
const TENANT = 'client_id = any ((select app.client_access())::uuid[])';
const GRANTED =
  'client_id = any ((select array(select g.client_id from reporting.grants as g where g.login = session_user))::uuid[])';
const HERE = (statement: string): string =>
  `do $$ begin execute format('${statement}', current_database()); end $$`;

const breakage = (finding: string, what: string, object: string, bad: string, mend: string): Breakage => ({
  ...{ finding, what, object, bad, mend },
});

const TABLES_AND_POLICIES: readonly Breakage[] = [
  breakage(
    'rls_disabled',
    'a table without row-level security',
    'public.sites',
    'alter table public.sites disable row level security',
    'alter table public.sites enable row level security',
  ),
  breakage(
    'rls_not_forced',
    'a table whose owner is not held',
    'public.sites',
    'alter table public.sites no force row level security',
    'alter table public.sites force row level security',
  ),
  breakage(
    'table_without_policies',
    'a table without policies',
    'public.added',
    `${OWNER} create table public.added (id integer); alter table public.added enable row level security;
      alter table public.added force row level security; reset role`,
    'drop table public.added',
  ),
  breakage(
    'policy_to_public',
    'a policy for everybody',
    'added on public.audit_logs',
    'create policy added on public.audit_logs for update using (actor is null) with check (actor is null)',
    'drop policy added on public.audit_logs',
  ),
  breakage(
    'policy_constant_true',
    'a policy that is true',
    'added on public.documents to taxclaims_client',
    `create policy added ${ADDED} using (true) with check (id is null)`,
    DROP,
  ),
  breakage(
    'policy_constant_true',
    'a check that is true',
    'added on public.documents to taxclaims_client',
    `create policy added ${ADDED} using (id is null) with check (true)`,
    DROP,
  ),
  breakage(
    'policy_constant_true',
    'a policy meant for administrators, given to others too',
    'sites_select_admin on public.sites to taxclaims_admin, taxclaims_auditor',
    'alter policy sites_select_admin on public.sites to taxclaims_admin, taxclaims_auditor',
    'alter policy sites_select_admin on public.sites to taxclaims_admin',
  ),
  breakage(
    'policy_ignores_row',
    'a policy that is true in disguise',
    'added on public.documents to taxclaims_client',
    `create policy added ${ADDED} using (1 = 1) with check (length('x') = 1)`,
    DROP,
  ),
  breakage(
    'policy_ignores_row',
    'a policy that is true in disguise, of whom one that says so is excused',
    'sites_select_admin on public.sites to taxclaims_admin',
    'alter policy sites_select_admin on public.sites using (1 = 1)',
    'alter policy sites_select_admin on public.sites using (true)',
  ),
  breakage(
    'write_without_check',
    'an update policy without a check',
    'added on public.documents',
    `create policy added ${ADDED} using (id is null)`,
    DROP,
  ),
  breakage(
    'only_restrictive',
    'a restrictive policy with nothing to restrict',
    'update of public.documents by taxclaims_scoped_admin',
    `create policy added on public.documents as restrictive for update to taxclaims_scoped_admin
      using (id is null) with check (id is null)`,
    DROP,
  ),
  breakage(
    'several_permissive',
    'a second permissive policy for a role and command',
    'delete of public.sites by taxclaims_scoped_admin',
    'create policy added on public.sites for delete to taxclaims_scoped_admin using (id is null)',
    'drop policy added on public.sites',
  ),
  breakage(
    'setting_read_per_row',
    'a setting that is read for every row',
    'sites_select_tenant on public.sites',
    'alter policy sites_select_tenant on public.sites using (client_id = any (app.client_access()))',
    `alter policy sites_select_tenant on public.sites using (${TENANT})`,
  ),
  breakage(
    'reporting_reads_setting',
    'a policy for reporting that listens to a setting through a function of the house',
    'sites_select_reporting on public.sites',
    `alter policy sites_select_reporting on public.sites using (${TENANT})`,
    `alter policy sites_select_reporting on public.sites using (${GRANTED})`,
  ),
  breakage(
    'reporting_reads_setting',
    'a policy for reporting that listens to a setting by itself',
    'sites_select_reporting on public.sites',
    `alter policy sites_select_reporting on public.sites
      using (client_id = (select current_setting('app.client', true))::uuid)`,
    `alter policy sites_select_reporting on public.sites using (${GRANTED})`,
  ),
  breakage(
    'helper_not_stable',
    'a helper that is immutable',
    'app.client_access()',
    'alter function app.client_access() immutable',
    'alter function app.client_access() stable',
  ),
  breakage(
    'helper_not_stable',
    'a helper that is volatile',
    'app.user_id()',
    'alter function app.user_id() volatile',
    'alter function app.user_id() stable',
  ),
  breakage(
    'policy_column_without_index',
    'a policy without an index',
    'public.sites.client_id',
    'drop index public.sites_client_id_idx',
    'create index sites_client_id_idx on public.sites (client_id, created_at desc, id desc)',
  ),
  breakage(
    'foreign_key_across_tenants',
    'a foreign key that forgets the client',
    'added on public.factures',
    'alter table public.factures add constraint added foreign key (reclamation_id) references public.reclamations (id)',
    'alter table public.factures drop constraint added',
  ),
  breakage(
    'foreign_key_across_tenants',
    'a foreign key that has the client in it, and compares it with something else',
    'added on public.factures',
    `alter table public.factures add constraint added
      foreign key (reclamation_id, client_id) references public.reclamations (client_id, id)`,
    'alter table public.factures drop constraint added',
  ),
];

const VIEWS_AND_FUNCTIONS: readonly Breakage[] = [
  breakage(
    'view_without_invoker',
    'a view that reads as its owner',
    'public.added',
    `${OWNER} create view public.added as select id from public.sites; reset role`,
    'alter view public.added set (security_invoker = true)',
  ),
  breakage(
    'view_without_invoker',
    'a view that reads as its owner, through another',
    'public.added',
    `${OWNER} create view public.inner with (security_invoker) as select id from public.sites;
      create view public.added as select id from public.inner; reset role`,
    'alter view public.added set (security_invoker = true)',
  ),
  breakage(
    'copy_within_reach',
    'a materialized view',
    'public.added',
    `${OWNER} create materialized view public.added as select id from public.sites; reset role`,
    'drop materialized view public.added',
  ),
  breakage(
    'copy_within_reach',
    'a foreign table within reach',
    'elsewhere.added',
    `create schema elsewhere; create foreign data wrapper w; create server s foreign data wrapper w;
      create foreign table elsewhere.added (id integer) server s; grant select on elsewhere.added to taxclaims_reporting`,
    'revoke select on elsewhere.added from taxclaims_reporting',
  ),
  breakage(
    'definer_search_path',
    'a definer function that looks names up',
    'app.locate(text,uuid)',
    'alter function app.locate(text, uuid) reset search_path',
    `alter function app.locate(text, uuid) set search_path = ''`,
  ),
  breakage(
    'definer_search_path',
    'a definer function on a named path, which a temporary table shadows',
    'app.locate(text,uuid)',
    'alter function app.locate(text, uuid) set search_path = app',
    `alter function app.locate(text, uuid) set search_path = ''`,
  ),
  breakage(
    'definer_within_reach',
    'a definer function for everybody',
    'app.locate(text,uuid)',
    'grant execute on function app.locate(text, uuid) to public',
    'revoke execute on function app.locate(text, uuid) from public',
  ),
  breakage(
    'definer_within_reach',
    'a definer function for reporting',
    'app.locate(text,uuid)',
    'grant execute on function app.locate(text, uuid) to taxclaims_reporting',
    'revoke execute on function app.locate(text, uuid) from taxclaims_reporting',
  ),
  breakage(
    'foreign_owner',
    'a table of somebody else’s',
    'table public.sites',
    'create role test_stranger; alter table public.sites owner to test_stranger',
    'alter table public.sites owner to taxclaims_owner',
  ),
  breakage(
    'large_objects',
    'large objects for everybody',
    'lo_create(oid)',
    'grant execute on function pg_catalog.lo_create(oid) to public',
    'revoke execute on function pg_catalog.lo_create(oid) from public',
  ),
  breakage(
    'advisory_locks',
    'locks of their own for everybody',
    'pg_advisory_lock_shared(bigint)',
    'grant execute on function pg_catalog.pg_advisory_lock_shared(bigint) to public',
    'revoke execute on function pg_catalog.pg_advisory_lock_shared(bigint) from public',
  ),
  breakage(
    'published_table',
    'a table that is sent out',
    'added',
    'create publication added for table public.sites',
    'drop publication added',
  ),
  breakage(
    'server_with_known_holes',
    'a server that lacks a repair',
    'server',
    `create or replace view audit.server_fixes as
      select current_setting('server_version_num')::integer / 10000 * 10000 + 9999 as fixed_in, 'a hole' as hole`,
    `create or replace view audit.server_fixes as select 150000 as fixed_in, 'a hole' as hole`,
  ),
];

const LOGIN = 'create role test_bi login in role taxclaims_reporting;';

const ROLES_AND_RIGHTS: readonly Breakage[] = [
  breakage(
    'login_reaches_privilege',
    'a login that becomes BYPASSRLS by way of a role it does not inherit',
    'test_bi',
    `${LOGIN} create role test_strong bypassrls; create role test_middle noinherit in role test_strong;
      grant test_middle to test_bi`,
    'revoke test_middle from test_bi',
  ),
  breakage(
    'login_reaches_privilege',
    'a login that reads the files of the server',
    'test_bi',
    `${LOGIN} grant pg_read_server_files to test_bi`,
    'revoke pg_read_server_files from test_bi',
  ),
  breakage(
    'login_reaches_house_role',
    'a reporting login that becomes a request role',
    'test_bi',
    `${LOGIN} grant taxclaims_client to test_bi`,
    'revoke taxclaims_client from test_bi',
  ),
  breakage(
    'login_reaches_house_role',
    'a login of the API that has a request role’s rights without becoming it',
    'test_api',
    'create role test_api login in role taxclaims_api; grant taxclaims_client to test_api',
    'revoke taxclaims_client from test_api',
  ),
  breakage(
    'login_reaches_house_role',
    'a login that becomes the owner',
    'test_bi',
    `${LOGIN} grant taxclaims_owner to test_bi`,
    'revoke taxclaims_owner from test_bi',
  ),
  breakage(
    'login_reaches_house_role',
    'a login of the API that has all clients of reporting beside its requests',
    'test_api',
    'create role test_api login in role taxclaims_api; grant taxclaims_reporting_all to test_api',
    'revoke taxclaims_reporting_all from test_api',
  ),
  breakage(
    'login_reaches_house_role',
    'a reporting login that was given all clients by hand, without a record',
    'test_bi',
    `${LOGIN} grant taxclaims_reporting_all to test_bi`,
    `revoke taxclaims_reporting_all from test_bi; select reporting.grant_all_clients('test_bi')`,
  ),
  breakage(
    'login_reaches_house_role',
    'a reporting login that has all clients by way of another role',
    'test_bi',
    `${LOGIN} create role test_team in role taxclaims_reporting_all; grant test_team to test_bi`,
    'revoke test_team from test_bi',
  ),
  breakage(
    'login_reaches_house_role',
    'a reporting login that may give all clients to others',
    'test_bi',
    `${LOGIN} select reporting.grant_all_clients('test_bi');
      grant taxclaims_reporting_all to test_bi with admin option granted by taxclaims_definer`,
    'revoke admin option for taxclaims_reporting_all from test_bi granted by taxclaims_definer',
  ),
  breakage(
    'house_role_changed',
    'a group whose every login has all clients',
    'taxclaims_auditor',
    'grant taxclaims_reporting_all to taxclaims_auditor',
    'revoke taxclaims_reporting_all from taxclaims_auditor',
  ),
  breakage(
    'house_role_changed',
    'a privileged role of the house',
    'taxclaims_auditor',
    'alter role taxclaims_auditor createdb',
    'alter role taxclaims_auditor nocreatedb',
  ),
  breakage(
    'house_role_changed',
    'a role of the house in a role of the server',
    'taxclaims_reporting',
    'grant pg_monitor to taxclaims_reporting',
    'revoke pg_monitor from taxclaims_reporting',
  ),
  breakage(
    'api_inherits',
    'an API that need not become what it may become',
    'taxclaims_api',
    inheriting('inherit', 'grant taxclaims_client to taxclaims_api with inherit true'),
    inheriting('noinherit', 'grant taxclaims_client to taxclaims_api with inherit false'),
  ),
  breakage(
    'api_holds_rights',
    'an API that reads a table outside a request',
    'public.sites',
    'grant select on public.sites to taxclaims_api',
    'revoke select on public.sites from taxclaims_api',
  ),
  ...(
    [
      ['SELECT', 'client'],
      ['SELECT', 'reporting'],
      ['SELECT', 'definer'],
      ['INSERT', 'account_manager'],
      ['UPDATE', 'admin'],
    ] as const
  ).map(([privilege, role]) =>
    breakage(
      'table_wide_grant',
      `${privilege} of whatever columns a table will have, held by ${role}`,
      'public.cadastres',
      `grant ${privilege} on public.cadastres to taxclaims_${role}`,
      `revoke ${privilege} on public.cadastres from taxclaims_${role}`,
    ),
  ),
  ...['TRUNCATE', 'REFERENCES', 'TRIGGER'].map((privilege) =>
    breakage(
      'privilege_beyond_policies',
      `${privilege} in a request’s hands`,
      'public.sites',
      `grant ${privilege} on public.sites to taxclaims_admin`,
      `revoke ${privilege} on public.sites from taxclaims_admin`,
    ),
  ),
  breakage(
    'create_or_temp',
    'a schema in which others create',
    'schema app',
    'grant create on schema app to taxclaims_definer',
    'revoke create on schema app from taxclaims_definer',
  ),
  breakage(
    'create_or_temp',
    'temporary tables for everybody',
    'database this database',
    HERE('grant temporary on database %I to public'),
    HERE('revoke temporary on database %I from public'),
  ),
  breakage(
    'rights_outside_house',
    'a right of a role from elsewhere',
    'test_stranger',
    'create role test_stranger; grant select (site_name) on public.sites to test_stranger',
    'revoke select (site_name) on public.sites from test_stranger',
  ),
  breakage(
    'rights_outside_house',
    'a policy for a role from elsewhere',
    'added on public.documents',
    `create role test_stranger;
      create policy added on public.documents for update to test_stranger using (id is null) with check (id is null)`,
    DROP,
  ),
  breakage(
    'secret_readable',
    'a readable password hash',
    'public.users.password_hash',
    'grant select (password_hash) on public.users to taxclaims_admin',
    'revoke select (password_hash) on public.users from taxclaims_admin',
  ),
  breakage(
    'secret_readable',
    'a document’s path within reach of reporting',
    'public.documents.file_path',
    'grant select (file_path) on public.documents to taxclaims_reporting',
    'revoke select (file_path) on public.documents from taxclaims_reporting',
  ),
  breakage(
    'durability_off',
    'a role whose commits are acknowledged before they are kept',
    'synchronous_commit of taxclaims_client',
    'alter role taxclaims_client set synchronous_commit = false',
    'alter role taxclaims_client reset synchronous_commit',
  ),
  breakage(
    'durability_off',
    'a database whose commits are acknowledged before they are kept',
    'synchronous_commit of every role',
    HERE('alter database %I set synchronous_commit = off'),
    HERE('alter database %I reset synchronous_commit'),
  ),
  breakage(
    'durability_off',
    'a role whose commits wait for no standby',
    'synchronous_commit of taxclaims_client',
    'alter role taxclaims_client set synchronous_commit = local',
    'alter role taxclaims_client reset synchronous_commit',
  ),
  breakage(
    'durability_off',
    'a database whose commits wait for no standby to keep them',
    'synchronous_commit of every role',
    HERE('alter database %I set synchronous_commit = Remote_Write'),
    HERE('alter database %I reset synchronous_commit'),
  ),
  breakage(
    'durability_off',
    'a server on which no login’s commits are kept before they are acknowledged',
    'synchronous_commit of every role',
    'alter role all set synchronous_commit = off',
    'alter role all reset synchronous_commit',
  ),
  breakage(
    'setting_stored',
    'a role that starts with clients',
    'taxclaims_client',
    `alter role taxclaims_client set app.client_access = '{}'`,
    'alter role taxclaims_client reset app.client_access',
  ),
];

/** What waits for somebody outside. */
const UNDELIVERED: readonly Breakage[] = [
  breakage(
    'identity_change_undelivered',
    'a change of rights that the identity provider does not know for a day',
    'public.identity_changes',
    `insert into public.users (id, email, password_hash, name, role, subject)
     values ('e0000000-0000-4000-8000-0000000000d1', 'late@b.example', '!', 'Late', 'CLIENT', 'late');
     insert into public.identity_changes (user_id, actor, role, client_access, is_active, ends_tokens, created_at)
     values ('e0000000-0000-4000-8000-0000000000d1', 'x', 'CLIENT', '{}', true, true, now() - interval '25 hours'),
         ('e0000000-0000-4000-8000-0000000000d1', 'x', 'CLIENT', '{}', true, true, now() - interval '1 hour')`,
    'update public.identity_changes set delivered_at = now() where created_at < now()',
  ),
];

/** The months of the audit log, which the service makes ahead; of the latest of them. */
const LATEST = (statement: string): string =>
  `do $$ begin execute replace('${statement}', 'MONTH', (
      select max(relid::text) from pg_partition_tree('audit_log.months') where relid::text ~ 'month_'
  )); end $$`;
export const MONTHS: readonly Breakage[] = [
  breakage(
    'audit_month_differs',
    'a month of the audit log that holds nobody',
    'audit_log.month_',
    LATEST('alter table MONTH no force row level security'),
    LATEST('alter table MONTH force row level security'),
  ),
  breakage(
    'audit_month_missing',
    'a month that was taken out by hand',
    'audit_log.months',
    `do $$ begin execute 'drop table audit_log.month_'
        || to_char(date_trunc('month', now() at time zone 'UTC') + interval '1 month', 'YYYY_MM'); end $$`,
    'select app.tend_audit_log()',
  ),
];

/** Records of the days before this one, which were counted; whether yesterday is, depends on the hour. */
const COUNTED = `insert into public.audit_logs (action, resource_type, success, actor, created_at)
    select 'GET /x', 'sites', false, 'counted', now() - n * interval '1 day' from generate_series(1, 5) as n;
    select app.count_audit_days();`;
const PAST_TRIGGERS = (statement: string): string =>
  `set local session_replication_role = replica; ${statement}; set local session_replication_role = origin`;

export const LOST: readonly Breakage[] = [
  breakage(
    'audit_month_lost',
    'records of the audit log that were taken away past the triggers',
    'audit log of ',
    `${COUNTED} ${PAST_TRIGGERS(`delete from public.audit_logs where created_at < now() - interval '100 hours'`)}`,
    `select audit.accept('audit_month_lost', f.object, 'tried') from audit.finding_audit_month_lost as f`,
  ),
  breakage(
    'audit_month_lost',
    'counts of the audit log that were taken away past the triggers',
    'app.audit_days',
    `${COUNTED} ${PAST_TRIGGERS(`delete from app.audit_days where day = (now() at time zone 'UTC')::date - 4`)}`,
    `select audit.accept('audit_month_lost', 'app.audit_days', 'tried')`,
  ),
];

/** Since Postgres 16 inheritance is the membership's, before it was the member's. */
function inheriting(before16: string, since16: string): string {
  return `do $$ begin
    if current_setting('server_version_num')::integer < 160000 then execute 'alter role taxclaims_api ${before16}';
    else execute '${since16}'; end if;
  end $$`;
}

const CLAIM = `insert into public.clients (id, company_name, contact_email) values
      ('c1000000-0000-4000-8000-0000000000f1', 'A', 'a@b.example'), ('c1000000-0000-4000-8000-0000000000f2', 'B', 'b@b.example');
    insert into public.sites (id, client_id, site_name) values ('d1000000-0000-4000-8000-0000000000f1', 'c1000000-0000-4000-8000-0000000000f1', 'A');
    insert into public.reclamations (id, client_id, site_id, claim_type, amount) values
      ('e1000000-0000-4000-8000-0000000000f1', 'c1000000-0000-4000-8000-0000000000f1', 'd1000000-0000-4000-8000-0000000000f1', 'TF', 1);
    insert into public.documents (id, reclamation_id, filename, file_path) values
      ('f1000000-0000-4000-8000-0000000000f1', 'e1000000-0000-4000-8000-0000000000f1', 'x', 'impossible')`;
const IMPOSSIBLE: readonly Breakage[] = [
  breakage(
    'impossible_row',
    'a claim on the site of another client',
    'public.reclamations',
    `${CLAIM}; ${PAST_TRIGGERS(`update public.sites set client_id = 'c1000000-0000-4000-8000-0000000000f2'`)}`,
    PAST_TRIGGERS(`update public.sites set client_id = 'c1000000-0000-4000-8000-0000000000f1'`),
  ),
  breakage(
    'impossible_row',
    'a document whose copy for reporting differs',
    'app.client_documents',
    `${CLAIM}; ${PAST_TRIGGERS(`update app.client_documents set filename = 'y'`)}`,
    PAST_TRIGGERS(`update app.client_documents set filename = 'x'`),
  ),
  breakage(
    'impossible_row',
    'a user whose list names a client that never was',
    'public.users',
    PAST_TRIGGERS(`insert into public.users (email, password_hash, name, role, client_access)
      values ('l@b.example', '!', 'L', 'CLIENT', '{c1000000-0000-4000-8000-0000000000f9}')`),
    `update public.users set client_access = '{}'`,
  ),
  breakage(
    'impossible_row',
    'a grant to a reporting login of which the audit log does not tell',
    'reporting.grants',
    `${CLAIM}; create role test_bi login in role taxclaims_reporting; select reporting.place_login('test_bi');
     ${PAST_TRIGGERS(`insert into reporting.grants (login, client_id, login_oid)
       values ('test_bi', 'c1000000-0000-4000-8000-0000000000f1', 'test_bi'::regrole)`)}`,
    `select reporting.revoke_client('test_bi', 'c1000000-0000-4000-8000-0000000000f1')`,
  ),
];

const OUT = 'create role test_out_of_use login in role';
const OUT_OF_USE: readonly Breakage[] = [
  ...(
    [
      [
        'a login of the API that may have no connection',
        'taxclaims_api',
        'connection limit 0',
        'connection limit -1',
      ],
      [
        'a login of reporting whose password is out of date',
        'taxclaims_reporting',
        `valid until '2020-01-01'`,
        `valid until 'infinity'`,
      ],
      [
        'a login of the API whose statements end at once',
        'taxclaims_api',
        'set statement_timeout = 1',
        'reset statement_timeout',
      ],
      [
        'an auditor who waits for no lock',
        'taxclaims_auditor',
        `set lock_timeout = '0.5ms'`,
        'reset lock_timeout',
      ],
      [
        'a login of the API that only reads',
        'taxclaims_api',
        'set default_transaction_read_only = yes',
        'reset default_transaction_read_only',
      ],
    ] as const
  ).map(([what, group, bad, mend]) =>
    breakage(
      'login_out_of_use',
      what,
      'test_out_of_use',
      `${OUT} ${group}; alter role test_out_of_use ${bad}`,
      `alter role test_out_of_use ${mend}`,
    ),
  ),
  breakage(
    'login_out_of_use',
    'a database that lets in no login',
    '',
    HERE('alter database %I connection limit 0'),
    HERE('alter database %I connection limit -1'),
  ),
  breakage(
    'api_login_objection',
    'a login of the API that can make databases, through which the service would answer 503',
    'test_out_of_use',
    `${OUT} taxclaims_api createdb`,
    'alter role test_out_of_use nocreatedb',
  ),
  breakage(
    'api_login_objection',
    'a login of the API that is in a role which nobody knows',
    'test_out_of_use',
    `${OUT} taxclaims_api; create role test_unknown; grant test_unknown to test_out_of_use`,
    'revoke test_unknown from test_out_of_use',
  ),
];

export const BREAKAGES: readonly Breakage[] = [
  ...TABLES_AND_POLICIES,
  ...VIEWS_AND_FUNCTIONS,
  ...ROLES_AND_RIGHTS,
  ...UNDELIVERED,
  ...MONTHS,
  ...LOST,
  ...OUT_OF_USE,
  ...IMPOSSIBLE,
];
