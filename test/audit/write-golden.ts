/**
 * `npm run db:golden`: writes the matrix of rights and the whole state that db:migrate leaves behind, from a database made of
 * the files under db/. For the other releases of Postgres, with TEST_DATABASE_URL, what is different there.
 */
import { writeFile } from 'node:fs/promises';
import { argumentsOf } from '../../src/commands/run-command.ts';
import { declaredFile } from '../../src/db/audit/declared.ts';
import { readMatrix } from '../../src/db/audit/read.ts';
import { readServerRelease } from '../../src/db/audit/state.ts';
import { matrixText } from '../../src/db/audit/text.ts';
import { createTestDatabase, withAdmin } from '../support/database.ts';
import setUp from '../support/global-setup.ts';
import tearDown from '../support/global-teardown.ts';
import { declaredText, GOLDEN_FILE, readFacts } from './golden.ts';

argumentsOf({ usage: 'usage: npm run db:golden\n  --help, --version' });
await setUp();
try {
  const database = await createTestDatabase();
  await withAdmin(database.adminUrl, async (admin) => {
    const facts = await readFacts(admin);
    await writeFile(GOLDEN_FILE, [...matrixText(await readMatrix(admin)), ''].join('\n'));
    const release = await readServerRelease(admin);
    await writeFile(declaredFile(release), await declaredText(admin, facts, release));
  });
  await database.close();
} finally {
  await tearDown();
}
