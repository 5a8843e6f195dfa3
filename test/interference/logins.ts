import { randomBytes } from 'node:crypto';
import { readRun } from '../support/database.ts';
import type { TestRun } from '../support/database.ts';
import { makeLogin } from '../support/world.ts';

/**
 * The database logins that send SQL. All compared databases share them, because a login belongs to the whole Postgres
 * server.
 */
const LOGIN_NAMES = ['reporting', 'neighbour', 'auditor', 'api'] as const;
export type LoginName = (typeof LOGIN_NAMES)[number];
export type Logins = Readonly<Record<LoginName, TestRun['login']>>;

const GROUPS: Readonly<Record<LoginName, string>> = {
  reporting: 'taxclaims_reporting',
  neighbour: 'taxclaims_reporting',
  auditor: 'taxclaims_auditor',
  api: 'taxclaims_api',
};

/** Creates the database logins that send SQL to the compared databases. The end of the test run drops them. */
export async function makeLogins(): Promise<Logins> {
  const { adminUrl, prefix } = readRun();
  const made = LOGIN_NAMES.map(async (kind) => {
    const name = `${prefix}_${randomBytes(2).toString('hex')}_${kind}`;
    return [kind, await makeLogin(adminUrl, name, `in role ${GROUPS[kind]}`)] as const;
  });
  return Object.fromEntries(await Promise.all(made)) as Logins;
}

/**
 * SQL that grants clients to a BI login. The time of the grant is fixed, so that all compared databases have equal
 * rows.
 */
export function grantSql({ name }: TestRun['login'], clients: readonly string[]): string {
  const rows = clients.map(
    (client) => `('${name}', '${client}', timestamptz '2024-05-01 00:00:00Z', 'dba', '${name}'::regrole::oid)`,
  );
  return `begin;
    set local session_replication_role = replica;
    insert into reporting.grants (login, client_id, granted_at, granted_by, login_oid) values ${rows.join()};
    commit`;
}
