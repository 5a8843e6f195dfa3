import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { sqlFolder } from '../../src/db/sql-folder.ts';
import { connected, createTestDatabase } from '../support/database.ts';
import { forSuite } from '../support/suite.ts';

/*
 * Constraints and sequences of the database ignore row-level security. This suite tests that each of them concerns the
 * rows of only one client, or that db/README.md names the exception.
 */

const database = await forSuite(createTestDatabase());
const admin = await forSuite(connected(database.adminUrl));
const readme = await readFile(sqlFolder('README.md'), 'utf8');
const explained = /\n## What knows no tenants\n(.*?)\n## /s.exec(readme)?.[1] ?? '';

/** SQL queries that find the constraints and sequences across tenants, which the list in db/README.md must name. */
const EXISTING: Readonly<Record<string, string>> = {
  'unique and exclusion constraints whose key does not begin with the client': `
    select c.relname as name
    from pg_index as i
    join pg_class as c on c.oid = i.indexrelid
    join audit.house_tables as t on t.oid = i.indrelid
    where (i.indisunique or i.indisexclusion)
      and pg_get_indexdef(i.indexrelid, 1, false) <> 'client_id'`,
  'foreign keys without the client in them': `
    select f.conname as name
    from pg_constraint as f
    join audit.house_tables as t on t.oid = f.conrelid
    where f.contype = 'f'
      and not exists (
        select from pg_attribute as a
        where a.attrelid = f.conrelid and a.attnum = any (f.conkey) and a.attname = 'client_id'
      )`,
  sequences: `
    select c.relname as name
    from pg_class as c
    join audit.house_schemas as s on s.oid = c.relnamespace
    where c.relkind = 'S'`,
};

async function existing(): Promise<string[]> {
  const { rows } = await admin.query<{ name: string }>(Object.values(EXISTING).join(' union '));
  return rows.map(({ name }) => name).sort();
}

/** Reads the list of constraints and sequences across tenants in db/README.md, and returns the reason for each. */
function listed(): Map<string, string> {
  const reasons = new Map<string, string>();
  for (const [, names = '', reason = ''] of explained.matchAll(/^- (`.*?`): (.*?)(?=\n- |\n\n)/gms)) {
    for (const [, name = ''] of names.matchAll(/`(\w+)`/g)) reasons.set(name, reason);
  }
  return reasons;
}

test('db/README.md lists, with a reason, each constraint and sequence that spans several tenants', async () => {
  const reasons = listed();
  expect([...reasons.keys()].sort()).toEqual(await existing());
  expect([...reasons].filter(([, reason]) => reason.length < 20)).toEqual([]);
});

test.each([
  [
    'a unique constraint',
    'added_key',
    'alter table public.sites add constraint added_key unique (site_name, client_id)',
  ],
  ['a unique index', 'added_idx', 'create unique index added_idx on public.clients (lower(company_name))'],
  [
    'an exclusion constraint',
    'added_excl',
    'alter table public.sites add constraint added_excl exclude (site_name with =)',
  ],
  [
    'a foreign key',
    'added_fkey',
    'alter table public.sites add column partner_id uuid constraint added_fkey references public.partners',
  ],
  ['a sequence', 'sites_n_seq', 'alter table public.sites add column n integer generated always as identity'],
])(
  'a migration that adds an object across tenants (%s) must name the object in db/README.md',
  async (_what, name, sql) => {
    await admin.query('begin');
    try {
      await admin.query(sql);
      expect((await existing()).filter((found) => !listed().has(found))).toEqual([name]);
    } finally {
      await admin.query('rollback');
    }
  },
);

test('a migration that adds a unique key beginning with client_id need not name that key in db/README.md', async () => {
  await admin.query('begin');
  try {
    await admin.query('alter table public.sites add constraint added_key unique (client_id, site_name)');
    expect((await existing()).filter((found) => !listed().has(found))).toEqual([]);
  } finally {
    await admin.query('rollback');
  }
});
