/**
 * `npm run db:golden` migrates a new database, writes its table of rights and its objects (the rows of audit.state())
 * into files of db/audit, and prints what changed. On a Postgres server older than 18 (TEST_DATABASE_URL) it writes
 * only what differs from Postgres 18.
 */
import { writeFile } from 'node:fs/promises';
import { parseProcessArguments } from '../../../src/admin/commands/run-command.ts';
import { factFilePath } from '../../../src/admin/audit/declared.ts';
import { readRightsMatrix } from '../../../src/admin/audit/read.ts';
import { readServerRelease } from '../../../src/admin/audit/state.ts';
import { matrixText } from '../../../src/admin/audit/text.ts';
import { createTestDatabase, withAdmin } from '../../support/database.ts';
import setUp from '../../support/global-setup.ts';
import tearDown from '../../support/global-teardown.ts';
import { declaredText, describeChanges, GOLDEN_FILE, readFacts } from './golden.ts';

parseProcessArguments({ usage: 'usage: npm run db:golden\n  --help, --version' });
await setUp();
try {
  const database = await createTestDatabase();
  await withAdmin(database.adminUrl, async (admin) => {
    const facts = await readFacts(admin);
    await writeFile(GOLDEN_FILE, [...matrixText(await readRightsMatrix(admin)), ''].join('\n'));
    const release = await readServerRelease(admin);
    const changes = await describeChanges(admin, facts, release);
    if (changes !== '') console.log(changes);
    await writeFile(factFilePath(release), await declaredText(admin, facts, release));
  });
  await database.close();
} finally {
  await tearDown();
}
