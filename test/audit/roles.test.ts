import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROLES } from '../../src/db/audit/symbols.ts';
import { createTestDatabase, withAdmin } from '../support/database.ts';

/* The cast of roles is made in one file, judged by the audit and drawn in an order of its own: three lists of the same. */

test('every role that is made is one that the audit judges and draws, and no other is', async () => {
  const text = await readFile(join(import.meta.dirname, '../../db/roles.sql'), 'utf8');
  const list = /house constant text\[\] := array\[([^\]]+)\]/.exec(text)?.[1] ?? '';
  const made = [...list.matchAll(/'(\w+)'/g)].map(([, name = '']) => name);
  expect(made.toSorted()).toEqual([...ROLES].toSorted());
  const postgres = await createTestDatabase();
  try {
    const { rows } = await withAdmin(postgres.adminUrl, (admin) =>
      admin.query<{ name: string }>('select name::text from audit.house_roles'),
    );
    expect(rows.map(({ name }) => name).toSorted()).toEqual(made.toSorted());
  } finally {
    await postgres.close();
  }
});
