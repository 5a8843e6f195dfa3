import { expect, test } from '@jest/globals';
import { createTestDatabase, withAdmin } from '../support/database.ts';
import { restore } from './restored.ts';

test('a database that was dumped and restored is no drift, and what is broken then is one', async () => {
  const database = await createTestDatabase();
  try {
    await restore(database);
    await withAdmin(database.adminUrl, async (admin) => {
      expect((await admin.query('table audit.drift')).rows).toEqual([]);
      await admin.query('alter table public.factures drop constraint factures_status_known');
      expect((await admin.query('select kind, change, object from audit.drift')).rows).toEqual([
        { kind: 'constraint', change: 'removed', object: 'factures_status_known on public.factures' },
      ]);
    });
  } finally {
    await database.close();
  }
});
