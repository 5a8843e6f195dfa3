/**
 * `npm run db:golden`: writes the rights that the files under db/ give and the whole state that db:migrate leaves behind,
 * from a database made of them. For the other releases of Postgres, with TEST_DATABASE_URL, what is different there.
 */
import { writeFile } from 'node:fs/promises';
import { argumentsOf } from '../../src/commands/run-command.ts';
import { fileOf } from '../../src/db/audit/declared.ts';
import { readMatrix } from '../../src/db/audit/read.ts';
import { serverRelease } from '../../src/db/audit/state.ts';
import { createTestDatabase, withAdmin } from '../support/database.ts';
import setUp from '../support/global-setup.ts';
import tearDown from '../support/global-teardown.ts';
import { declaredLines, GOLDEN_FILE, readFacts, renderGolden } from './golden.ts';

argumentsOf({ usage: 'usage: npm run db:golden\n  --help, --version' });
await setUp();
try {
  const database = await createTestDatabase();
  await withAdmin(database.adminUrl, async (admin) => {
    const facts = await readFacts(admin);
    await writeFile(GOLDEN_FILE, renderGolden(await readMatrix(admin), facts));
    const release = await serverRelease(admin);
    await writeFile(fileOf(release), await declaredLines(admin, facts, release));
  });
  await database.close();
} finally {
  await tearDown();
}
