import { alike } from './attack.ts';
import type { Area } from './attack.ts';
import { overSql } from './over-sql.ts';
import type { SqlRow } from './over-sql.ts';
import { everyTable, forbidden, harmless, locks } from './sql-anybody.ts';
import type { World } from './world.ts';
import { words } from '../support/words.ts';

/*
 * SQL as each login that a deployment makes, as whoever has its password writes it. Seen red where the
 * policy of public.sites for reporting is `using (true)`, and where the API's login and the auditor's have BYPASSRLS and
 * are in pg_read_all_data.
 */

/** What Postgres cannot hide, or is theirs to know, and why; everything else of others may not be told. */
const KNOWN = {
  login: 'whoever writes SQL as the API’s login is every tenant: it may become each request role (trap 23)',
  locate: 'the API turns a record of others into 403 instead of 404, and so is told whose it is',
  refusals: 'refusals are the auditor’s to read, with whose data they protected',
  who: 'who sees a client is what an auditor asks, and the answer is by email',
} as const;

const everything = (world: World): SqlRow[] => [...forbidden(), ...locks('42501'), ...harmless(), ...everyTable(world)];

function asApi({ mine, foreign }: World): SqlRow[] {
  const list = (client: string): string => `set local app.client_access = '{${client}}'`;
  return [
    ['everything there is, as XML', 'rls-pitfalls 22', 'rows|42501', `select database_to_xml(true, true, '')`],
    ['a setting, and no role', 'rls-pitfalls 1', '42501', `${list(foreign.clients)}; select id from public.clients`],
    [
      'to leave a role',
      'rls-pitfalls 23',
      '42501',
      `set local role taxclaims_client; reset role; select id from public.clients`,
    ],
    ...alike(['rls-pitfalls 32', '42501'], {
      'to become a role of reporting': 'set local role taxclaims_reporting',
      'to become an auditor': 'set local role taxclaims_auditor',
    }),
    ...alike(['rls-pitfalls 6', '42501'], {
      'the views of reporting': 'select * from reporting.clients',
      'the views of the audit': 'select * from audit.matrix',
    }),
    ...alike(['API1:2023', '42501'], {
      'kept answers': 'select * from app.idempotency_keys',
      'addresses of documents': 'select * from app.document_links',
      'contents to be removed': 'select * from app.content_removals',
    }),
    [
      'to become another tenant',
      'rls-pitfalls 23',
      'rows',
      `set local role taxclaims_client; ${list(foreign.clients)}; select id from public.clients`,
      KNOWN.login,
    ],
    ...alike(['API1:2023', 'rows'], {
      'whose a record is': [`select * from app.locate('sites', '${foreign.sites}')`, KNOWN.locate],
      'a record of no table': `select * from app.locate('pg_authid', '${mine.sites}')`,
    }),
    [
      'a table by SQL',
      'ASVS 5, 1.2.4',
      'rows',
      `select * from app.locate('sites; drop table public.sites', '${mine.sites}')`,
    ],
    [
      'to forge a refusal without its fields',
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
    ['everything there is, as XML', 'rls-pitfalls 22', 'rows|42501', `select database_to_xml(true, true, '')`],
    ...views.flatMap((view): SqlRow[] => [
      [`reporting.${view}`, 'rls-pitfalls 6', 'rows', `select * from reporting.${view}`],
      [
        `reporting.${view} with row security off`,
        'rls-pitfalls 17',
        '42501',
        `set local row_security = off; select * from reporting.${view}`,
      ],
      [`reporting.${view} changed`, 'API3:2023', '42501|55000', `delete from reporting.${view}`],
      [
        `reporting.${view} by plans`,
        'rls-pitfalls 20',
        'rows',
        `explain (analyze, verbose) select * from reporting.${view}`,
      ],
      [`reporting.${view} as rows`, 'rls-pitfalls 6', 'rows|42501', `select to_jsonb(v) from reporting.${view} as v`],
      [
        `reporting.${view} with every setting of a request`,
        'rls-pitfalls 1, 2',
        'rows',
        `${settings.map((name) => `select set_config('${name}', '{${foreign.clients}}', false)`).join(';')}; select * from reporting.${view}`,
      ],
    ]),
    ...words(`
      taxclaims_admin taxclaims_scoped_admin taxclaims_client taxclaims_api taxclaims_auditor
    `).map((role): SqlRow => [`to become ${role}`, 'rls-pitfalls 32', '42501', `set local role ${role}`]),
    ['the grants', 'rls-pitfalls 31', '42501|rows', 'select * from reporting.grants'],
    ...alike(['rls-pitfalls 31', '42501'], {
      'to grant oneself a client': `select reporting.grant_client(session_user::text, '${foreign.clients}')`,
      'to grant oneself everything': `insert into reporting.grants values (session_user, '${foreign.clients}')`,
      'the granted': 'select * from reporting.granted',
    }),
    ...alike(['API3:2023', '42501'], {
      'secrets of users': 'select password_hash from public.users',
      'calendars of users': 'select calendar_digest from public.users',
      'lists of users': 'select client_access from public.users',
      'paths of documents': 'select file_path from public.documents',
    }),
    ['audit records', 'API1:2023', '42501', 'select * from public.audit_logs'],
    ...[
      "authenticate('x', now(), 'x')",
      `locate('sites', '${foreign.sites}')`,
      'client_access()',
      "objections('{}')",
      'due_removals()',
      'contents_of_documents()',
      'forget_answers()',
    ].map((call): SqlRow => [`the function ${call}`, 'API5:2023', '42501|42883', `select app.${call}`]),
  ];
}

function asAuditor({ foreign, mine }: World): SqlRow[] {
  return [
    [
      'everything there is, as XML',
      'rls-pitfalls 22',
      'rows',
      `select database_to_xml(true, true, '')`,
      KNOWN.refusals,
    ],
    ...['matrix', 'findings', 'drift', 'exceptions', 'policies', 'rights', 'logins'].map(
      (view): SqlRow => [`audit.${view}`, 'what an auditor reads', 'rows|no rows', `select * from audit.${view}`],
    ),
    ...alike(['what an auditor reads', 'rows'], {
      'the refusals': ['select * from audit.denials', KNOWN.refusals],
      'who sees a client': [`select * from audit.who_can_see('${foreign.clients}')`, KNOWN.who],
      'what was granted': 'select * from reporting.granted',
    }),
    ...['read', 'select', 'insert', 'update', 'delete', 'truncate', `select'; drop table public.sites; --`].map(
      (command): SqlRow => [
        `to try ${command} as somebody else`,
        'CWE-441',
        'rows|no rows|22023|P0001',
        `select * from audit.explain_access('ADMIN', '{}', 'sites', '${command.replaceAll("'", "''")}', '${foreign.sites}')`,
      ],
    ),
    [
      'to try a role that is none',
      'CWE-441',
      'rows|22023|P0001|42704',
      `select * from audit.explain_access('postgres', '{}', 'sites', 'select', '${mine.sites}')`,
    ],
    [
      'to try a table that is none',
      'CWE-441',
      'rows|22023|P0001|42P01',
      `select * from audit.explain_access('ADMIN', '{}', 'pg_catalog.pg_authid', 'select', '${mine.sites}')`,
    ],
    ['audit records that are no refusals', 'API1:2023', '42501', 'select 1 from public.audit_logs where success'],
    ...alike(['API5:2023', '42501'], {
      'to delete audit records': 'delete from public.audit_logs',
      'to change audit records': 'update public.audit_logs set success = true',
      'to grant': `select reporting.grant_client('abuse_reporting', '${foreign.clients}')`,
    }),
    ['the views of reporting', 'API1:2023', '42501|no rows', 'select * from reporting.clients'],
    ...['taxclaims_admin', 'taxclaims_client', 'taxclaims_reporting', 'taxclaims_api'].map(
      (role): SqlRow => [`to become ${role}`, 'rls-pitfalls 32', '42501', `set local role ${role}`],
    ),
    ['to become an administrator by a function', 'CWE-441', '42883|42501', `select audit.as_admin('select 1')`],
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
