import { randomBytes } from 'node:crypto';
import { readRun, withAdmin } from '../support/database.ts';
import type { TestRun } from '../support/database.ts';

/** The logins that ask in SQL. They are the cluster's, so that each is one and the same in every world. */
export const LOGIN_NAMES = ['reporting', 'neighbour', 'auditor', 'api'] as const;
export type LoginName = (typeof LOGIN_NAMES)[number];
export type Logins = Readonly<Record<LoginName, TestRun['login']>>;

const GROUPS: Readonly<Record<LoginName, string>> = {
  reporting: 'taxclaims_reporting',
  neighbour: 'taxclaims_reporting',
  auditor: 'taxclaims_auditor',
  api: 'taxclaims_api',
};

/** They go with the run. */
export async function makeLogins(): Promise<Logins> {
  const { adminUrl, prefix } = readRun();
  const logins = LOGIN_NAMES.map((kind) => {
    const login = {
      name: `${prefix}_${randomBytes(2).toString('hex')}_${kind}`,
      password: randomBytes(24).toString('base64url'),
    };
    return [kind, login] as const;
  });
  await withAdmin(adminUrl, async (admin) => {
    for (const [kind, { name, password }] of logins)
      await admin.query(`create role ${name} login password '${password}' in role ${GROUPS[kind]}`);
  });
  return Object.fromEntries(logins) as Logins;
}

/** The SQL that grants clients to a login, at a time that is always the same. */
export function grantSql({ name }: TestRun['login'], clients: readonly string[]): string {
  const rows = clients.map(
    (client) =>
      `('${name}', '${client}', timestamptz '2024-05-01 00:00:00Z', 'dba', '${name}'::regrole::oid)`,
  );
  return `begin;
    set local session_replication_role = replica;
    insert into reporting.grants (login, client_id, granted_at, granted_by, login_oid) values ${rows.join()};
    commit`;
}
