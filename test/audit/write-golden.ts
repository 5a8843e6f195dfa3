/**
 * `npm run db:golden`: writes the matrix of rights and the whole state that db:migrate leaves behind, from a database made of
 * the files under db/. For the other releases of Postgres, with TEST_DATABASE_URL, what is different there.
 */
import { writeFile } from 'node:fs/promises';
import { parseProcessArguments } from '../../src/commands/run-command.ts';
import { factFilePath } from '../../src/db/audit/declared.ts';
import { readRightsMatrix } from '../../src/db/audit/read.ts';
import { readServerRelease } from '../../src/db/audit/state.ts';
import { matrixText } from '../../src/db/audit/text.ts';
import { createTestDatabase, withAdmin } from '../support/database.ts';
import setUp from '../support/global-setup.ts';
import tearDown from '../support/global-teardown.ts';
import { declaredText, GOLDEN_FILE, readFacts } from './golden.ts';

parseProcessArguments({ usage: 'usage: npm run db:golden\n  --help, --version' });
await setUp();
try {
  const database = await createTestDatabase();
  await withAdmin(database.adminUrl, async (admin) => {
    const facts = await readFacts(admin);
    await writeFile(GOLDEN_FILE, [...matrixText(await readRightsMatrix(admin)), ''].join('\n'));
    const release = await readServerRelease(admin);
    await writeFile(factFilePath(release), await declaredText(admin, facts, release));
  });
  await database.close();
} finally {
  await tearDown();
}
