/** `npm run db:golden`: writes the rights that the files under db/ give, from a database made of them. */
import { writeFile } from 'node:fs/promises';
import { GOLDEN_FILE, renderGolden } from '../../src/db/audit/golden.ts';
import { readAudit } from '../../src/db/audit/read.ts';
import { createTestDatabase } from '../support/database.ts';
import setUp from '../support/global-setup.ts';
import tearDown from '../support/global-teardown.ts';

await setUp();
try {
  const database = await createTestDatabase();
  await writeFile(GOLDEN_FILE, renderGolden(await readAudit(database.adminUrl)));
  await database.close();
} finally {
  await tearDown();
}
