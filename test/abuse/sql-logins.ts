import { alike } from './attack.ts';
import type { Area } from './attack.ts';
import { overSql } from './over-sql.ts';
import type { SqlRow } from './over-sql.ts';
import { everyTable, forbidden, harmless, locks } from './sql-anybody.ts';
import type { World } from './world.ts';
import { words } from '../support/words.ts';

/*
 * Attacks by SQL. The attacker has the password of one of the database logins. To check these attacks, their author
 * once changed the policy of public.sites for reporting to `using (true)`, and once gave a login BYPASSRLS and
 * pg_read_all_data: some attacks then succeeded.
 */

/**
 * The reasons why a database login is allowed to see certain data of other tenants. Any other data of another tenant in
 * a result is a leak.
 */
const KNOWN = {
  login: 'the API’s login may change to each request role, so its SQL can read every tenant (trap 23 in db/README.md)',
  locate: 'the API answers 403 instead of 404 to a foreign id, so its login may read the id’s client',
  refusals: 'the auditor may read all refusals, with the clients whose data they protected',
  who: 'the auditor may read the emails of the users who see a client',
} as const;

const everything = (world: World): SqlRow[] => [...forbidden(), ...locks('42501'), ...harmless(), ...everyTable(world)];

function asApi({ mine, foreign }: World): SqlRow[] {
  const list = (client: string): string => `set local app.client_access = '{${client}}'`;
  return [
    ['the whole database as XML', 'rls-pitfalls 22', 'rows|42501', `select database_to_xml(true, true, '')`],
    [
      'the clients with a set client list and no role',
      'rls-pitfalls 1',
      '42501',
      `${list(foreign.clients)}; select id from public.clients`,
    ],
    [
      'the clients after RESET ROLE',
      'rls-pitfalls 23',
      '42501',
      `set local role taxclaims_client; reset role; select id from public.clients`,
    ],
    ...alike(['rls-pitfalls 32', '42501'], {
      'SET ROLE to the reporting role': 'set local role taxclaims_reporting',
      'SET ROLE to the auditor role': 'set local role taxclaims_auditor',
    }),
    ...alike(['rls-pitfalls 6', '42501'], {
      'a reporting view for the API’s login': 'select * from reporting.clients',
      'an audit view for the API’s login': 'select * from audit.matrix',
    }),
    ...alike(['API1:2023', '42501'], {
      'the stored answers of idempotent requests': 'select * from app.idempotency_keys',
      'the table of document links': 'select * from app.document_links',
      'the table of planned content removals': 'select * from app.content_removals',
    }),
    [
      'SET ROLE with the client list of a foreign tenant',
      'rls-pitfalls 23',
      'rows',
      `set local role taxclaims_client; ${list(foreign.clients)}; select id from public.clients`,
      KNOWN.login,
    ],
    ...alike(['API1:2023', 'rows'], {
      'the client of a foreign record by app.locate': [
        `select * from app.locate('sites', '${foreign.sites}')`,
        KNOWN.locate,
      ],
      'app.locate with the name of a system table': `select * from app.locate('pg_authid', '${mine.sites}')`,
    }),
    [
      'app.locate with SQL as a table name',
      'ASVS 5, 1.2.4',
      'rows',
      `select * from app.locate('sites; drop table public.sites', '${mine.sites}')`,
    ],
    [
      'a forged audit record of a refusal without its fields',
      'API10:2023',
      '23502|22023|42883|22P02|42P13|42501',
      `select app.record_refusals('{}')`,
    ],
  ];
}

function asReporting({ foreign }: World): SqlRow[] {
  const views = words(`
    clients sites cadastres reclamations reclamation_history documents partners client_partners invoices
    partner_invoices users tasks deadlines
  `);
  const settings = ['app.client_access', 'app.user_id', 'app.actor', 'app.role', 'app.request_id'];
  return [
    ['the whole database as XML', 'rls-pitfalls 22', 'rows|42501', `select database_to_xml(true, true, '')`],
    ...views.flatMap((view): SqlRow[] => [
      [`the view reporting.${view}`, 'rls-pitfalls 6', 'rows', `select * from reporting.${view}`],
      [
        `the view reporting.${view} with row_security off`,
        'rls-pitfalls 17',
        '42501',
        `set local row_security = off; select * from reporting.${view}`,
      ],
      [`a deletion from the view reporting.${view}`, 'API3:2023', '42501|55000', `delete from reporting.${view}`],
      [
        `the view reporting.${view} by EXPLAIN ANALYZE`,
        'rls-pitfalls 20',
        'rows',
        `explain (analyze, verbose) select * from reporting.${view}`,
      ],
      [
        `the view reporting.${view} as JSON`,
        'rls-pitfalls 6',
        'rows|42501',
        `select to_jsonb(v) from reporting.${view} as v`,
      ],
      [
        `the view reporting.${view} with all settings of a request`,
        'rls-pitfalls 1, 2',
        'rows',
        `${settings.map((name) => `select set_config('${name}', '{${foreign.clients}}', false)`).join(';')}; select * from reporting.${view}`,
      ],
    ]),
    ...words(`
      taxclaims_admin taxclaims_scoped_admin taxclaims_client taxclaims_api taxclaims_auditor
    `).map((role): SqlRow => [`SET ROLE to ${role}`, 'rls-pitfalls 32', '42501', `set local role ${role}`]),
    ['the table of reporting grants', 'rls-pitfalls 31', '42501|rows', 'select * from reporting.grants'],
    ...alike(['rls-pitfalls 31', '42501'], {
      'a grant of a client to the own login by reporting.grant_client': `select reporting.grant_client(session_user::text, '${foreign.clients}')`,
      'a grant of a client to the own login by INSERT': `insert into reporting.grants values (session_user, '${foreign.clients}')`,
      'the view reporting.granted for the reporting login': 'select * from reporting.granted',
    }),
    ...alike(['API3:2023', '42501'], {
      'the password hashes of users': 'select password_hash from public.users',
      'the calendar digests of users': 'select calendar_digest from public.users',
      'the client lists of users': 'select client_access from public.users',
      'the content paths of documents': 'select file_path from public.documents',
    }),
    ['the audit records for the reporting login', 'API1:2023', '42501', 'select * from public.audit_logs'],
    ...[
      "authenticate('x', now(), 'x')",
      `locate('sites', '${foreign.sites}')`,
      'client_access()',
      "objections('{}')",
      'due_removals()',
      'contents_of_documents()',
      'forget_answers()',
    ].map((call): SqlRow => [`the function app.${call}`, 'API5:2023', '42501|42883', `select app.${call}`]),
  ];
}

function asAuditor({ foreign, mine }: World): SqlRow[] {
  return [
    ['the whole database as XML', 'rls-pitfalls 22', 'rows', `select database_to_xml(true, true, '')`, KNOWN.refusals],
    ...['matrix', 'findings', 'drift', 'exceptions', 'policies', 'rights', 'logins'].map(
      (view): SqlRow => [
        `the view audit.${view}`,
        'what an auditor reads',
        'rows|no rows',
        `select * from audit.${view}`,
      ],
    ),
    ...alike(['what an auditor reads', 'rows'], {
      'the view of refusals for the auditor': ['select * from audit.denials', KNOWN.refusals],
      'the users who see a foreign client': [`select * from audit.who_can_see('${foreign.clients}')`, KNOWN.who],
      'the view reporting.granted for the auditor': 'select * from reporting.granted',
    }),
    ...['read', 'select', 'insert', 'update', 'delete', 'truncate', `select'; drop table public.sites; --`].map(
      (command): SqlRow => [
        `audit.explain_access with the command ${command}`,
        'CWE-441',
        'rows|no rows|22023|P0001',
        `select * from audit.explain_access('ADMIN', '{}', 'sites', '${command.replaceAll("'", "''")}', '${foreign.sites}')`,
      ],
    ),
    [
      'audit.explain_access with an unknown role',
      'CWE-441',
      'rows|22023|P0001|42704',
      `select * from audit.explain_access('postgres', '{}', 'sites', 'select', '${mine.sites}')`,
    ],
    [
      'audit.explain_access with a system table',
      'CWE-441',
      'rows|22023|P0001|42P01',
      `select * from audit.explain_access('ADMIN', '{}', 'pg_catalog.pg_authid', 'select', '${mine.sites}')`,
    ],
    [
      'the audit records of successful requests for the auditor',
      'API1:2023',
      '42501',
      'select 1 from public.audit_logs where success',
    ],
    ...alike(['API5:2023', '42501'], {
      'a deletion of audit records': 'delete from public.audit_logs',
      'an update of audit records': 'update public.audit_logs set success = true',
      'a grant of a client by the auditor': `select reporting.grant_client('abuse_reporting', '${foreign.clients}')`,
    }),
    ['a reporting view for the auditor', 'API1:2023', '42501|no rows', 'select * from reporting.clients'],
    ...['taxclaims_admin', 'taxclaims_client', 'taxclaims_reporting', 'taxclaims_api'].map(
      (role): SqlRow => [`SET ROLE to ${role}`, 'rls-pitfalls 32', '42501', `set local role ${role}`],
    ),
    ['the rights of an administrator by audit.as_admin', 'CWE-441', '42883|42501', `select audit.as_admin('select 1')`],
  ];
}

const area = (name: string, login: 'api' | 'reporting' | 'auditor', rows: (world: World) => SqlRow[]): Area => ({
  name,
  attacks: (world) => overSql(world.logins[login], '', [...everything(world), ...rows(world)]),
});

export const sqlLogins: readonly Area[] = [
  area('sql-api-login', 'api', asApi),
  area('sql-reporting', 'reporting', asReporting),
  area('sql-auditor', 'auditor', asAuditor),
];
