/** `npm run db:golden`: writes the rights that the files under db/ give, from a database made of them. */
import { writeFile } from 'node:fs/promises';
import { readMatrix } from '../../src/db/audit/read.ts';
import { createTestDatabase, withAdmin } from '../support/database.ts';
import setUp from '../support/global-setup.ts';
import tearDown from '../support/global-teardown.ts';
import { GOLDEN_FILE, readFacts, renderGolden } from './golden.ts';

await setUp();
try {
  const database = await createTestDatabase();
  await withAdmin(database.adminUrl, async (admin) => {
    await writeFile(GOLDEN_FILE, renderGolden(await readMatrix(admin), await readFacts(admin)));
  });
  await database.close();
} finally {
  await tearDown();
}
