import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { migrate } from '../../src/admin/deploy/migrate.ts';
import { withAdmin } from '../support/database.ts';
import { blockOf } from '../support/pages.ts';
import { createScratchFolder } from '../support/scratch.ts';
import { ROOT } from '../support/suites.ts';
import { furnitureSql, newTenant, tenantSql } from '../support/tenant.ts';
import { HOME_NAMES, HOMES, openHome, type Home } from './homes.ts';

/*
 * These tests run the commands of db/README.md that restore a dump on a bought Postgres. They need pg_dump, which Debian
 * installs beside its server of Postgres 15, so the homes of this suite are servers of Postgres 15.
 */

const TOOLS = '/usr/lib/postgresql/15/bin';

const log = pino({ level: 'silent' });
const tenant = newTenant();

/** Runs the commands of db/README.md in a shell, which ends at the first command that fails. */
async function restore(from: Home, to: Home, logins: string): Promise<string> {
  const files = await createScratchFolder();
  const commands = blockOf('db/README.md', 'pg_dumpall --dbname="$OLD"', {
    'logins.sql': join(files, 'logins.sql'),
    'taxclaims.dump': join(files, 'taxclaims.dump'),
    'taxclaims.list': join(files, 'taxclaims.list'),
  });
  const env = {
    PATH: `${TOOLS}:${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    ...{ OLD: from.adminUrl, NEW: to.adminUrl, LOGINS: logins },
  };
  const { stderr } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', commands], { cwd: ROOT, env });
  return stderr;
}

/** Reads all rows of the service's tables, and the rights to all objects. */
async function readAll(home: Home): Promise<Record<string, unknown>> {
  return withAdmin(home.providerUrl, async (provider) => {
    const { rows: tables } = await provider.query<{ name: string }>(
      `select c.oid::regclass::text as name
       from pg_class as c
       join pg_namespace as n on n.oid = c.relnamespace
       where c.relkind = 'r' and n.nspname in ('public', 'app', 'reporting', 'audit', 'audit_log') order by 1`,
    );
    const all: Record<string, unknown> = {};
    for (const { name } of tables) {
      const { rows } = await provider.query<{ row: string }>(
        `select to_jsonb(t)::text as row from ${name} as t order by 1`,
      );
      all[name] = rows.map(({ row }) => row);
    }
    const { rows: facts } = await provider.query(
      `select kind, object, definition from audit.state() where kind in ('grant', 'policy', 'function', 'trigger', 'membership') order by 1, 2`,
    );
    return { ...all, facts };
  });
}

/** Reads who is a member of a role of the service, except the login that the restore leaves behind. */
async function readMemberships(home: Home): Promise<unknown> {
  return withAdmin(home.providerUrl, async (provider) => {
    const { rows } = await provider.query<{ role: string; member: string }>(
      `select m.roleid::regrole::text as role, m.member::regrole::text as member from pg_auth_members as m
       where starts_with(m.roleid::regrole::text, 'taxclaims_') and m.member::regrole::text <> 'left_behind' order by 1, 2`,
    );
    return rows;
  });
}

const ABLE = HOME_NAMES.filter((name) => 'canDump' in HOMES[name]);

test('the tests of dumps run for the three providers that let their administrator dump the database', () => {
  expect(ABLE).toEqual(['neon', 'supabase', 'ovh']);
});

describe.each(ABLE)('a dump of the home %s', (name) => {
  test('an administrator restores the administrator’s own dump on a new server without an error, with all rows, rights and audit records', async () => {
    const [from, to] = [await openHome(name, 'debian'), await openHome(name, 'debian')];
    try {
      await migrate({ adminUrl: from.adminUrl, log });
      await withAdmin(from.providerUrl, (provider) => provider.query(tenantSql(tenant, 'Own') + furnitureSql(tenant)));
      await from.createLogin('bi_own', 'in role taxclaims_reporting');
      await withAdmin(from.adminUrl, (admin) =>
        admin.query('select reporting.grant_client($1, $2)', ['bi_own', tenant.clients]),
      );
      // A login that is not taken along does not stop the restore.
      await from.createLogin('left_behind', 'in role taxclaims_reporting');
      const [before, memberships] = [await readAll(from), await readMemberships(from)];
      expect(Object.values(before).flat().length).toBeGreaterThan(1_000);
      expect(await restore(from, to, 'bi_own')).not.toMatch(/error|warning/i);
      expect(await readAll(to)).toEqual(before);
      await withAdmin(to.adminUrl, async (admin) => {
        await admin.query(`select reporting.adopt_grants('bi_own')`);
        const { rows } = await admin.query(`select finding from audit.findings where object = 'bi_own'`);
        expect(rows).toEqual([]);
      });
      expect(await readMemberships(to)).toEqual(memberships);
    } finally {
      await from.close();
      await to.close();
    }
  });
});
