import type pg from 'pg';
import type { Judge, Judged, Verdict } from './judge.ts';
import type { CatalogMutant } from './kinds.ts';

/**
 * A test changes each of these settings of the Postgres server by ALTER SYSTEM. This cannot be rolled back, so a second
 * ALTER SYSTEM resets the setting.
 */
export const SERVER_KIND = 'setting of the server';

/**
 * Server settings with values that weaken the database. They take effect without a restart, and Postgres still accepts
 * connections.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  session_replication_role: 'replica',
  row_security: 'off',
  lo_compat_privileges: 'on',
  zero_damaged_pages: 'on',
  ignore_checksum_failure: 'on',
};

const TIMEOUT_MS = 10_000;

const MUTANTS: readonly CatalogMutant[] = Object.entries(SETTINGS).map(([object, value]) => ({
  kind: SERVER_KIND,
  object,
  covers: 'pg_settings',
  sql: `alter system set ${object} = '${value}'`,
}));

export async function judgeServerSettings(judge: Judge): Promise<Judged> {
  const verdicts = new Map<CatalogMutant, Verdict>();
  for (const mutant of MUTANTS) {
    const before = await settingOf(judge.admin, mutant.object);
    try {
      await judge.admin.query(mutant.sql);
      await reload(judge.admin, mutant.object, (value) => value !== before);
      verdicts.set(mutant, await judge.ask());
    } finally {
      await judge.admin.query(`alter system reset ${mutant.object}`);
      await reload(judge.admin, mutant.object, (value) => value === before);
    }
  }
  return verdicts;
}

async function settingOf(admin: pg.Client, name: string): Promise<string | undefined> {
  const { rows } = await admin.query<{ setting: string }>('select setting from pg_settings where name = $1', [name]);
  return rows[0]?.setting;
}

/**
 * Postgres reads its configuration file a moment after the change, so this function queries the setting until it has
 * the new value.
 */
async function reload(admin: pg.Client, name: string, heard: (value: string | undefined) => boolean): Promise<void> {
  await admin.query('select pg_reload_conf()');
  const end = performance.now() + TIMEOUT_MS;
  while (!heard(await settingOf(admin, name))) {
    if (performance.now() > end) throw new Error(`the server did not read its file again: ${name}`);
  }
}
