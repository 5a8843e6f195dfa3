import { expect, test } from '@jest/globals';
import { createTestDatabase, withAdmin } from '../../support/database.ts';
import { restore } from './restored.ts';

/**
 * The health check runs this query, which compares the present functions and triggers with those of the last deploy.
 */
const GUARDS_CHANGED = `
  select object, g.digest
  from app.digest_functions_and_triggers() as g
  full join jsonb_each_text(app.read_deployed_digests()) as d (object, digest) using (object)
  where g.digest is distinct from d.digest`;

test('in a database that was dumped and restored, the view audit.drift lists no changed object, until a DBA drops a constraint', async () => {
  const database = await createTestDatabase();
  try {
    await restore(database);
    await withAdmin(database.adminUrl, async (admin) => {
      expect((await admin.query('table audit.drift')).rows).toEqual([]);
      expect((await admin.query(GUARDS_CHANGED)).rows).toEqual([]);
      await admin.query('alter table public.factures drop constraint factures_status_known');
      expect((await admin.query('select kind, change, object from audit.drift')).rows).toEqual([
        { kind: 'constraint', change: 'removed', object: 'factures_status_known on public.factures' },
      ]);
    });
  } finally {
    await database.close();
  }
});
