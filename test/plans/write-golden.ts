/** `npm run plans:golden` writes the query plans for the embedded Postgres, or for the server of TEST_DATABASE_URL. */
import { parseProcessArguments } from '../../src/admin/commands/run-command.ts';
import { createTestDatabase } from '../support/database.ts';
import setUp from '../support/global-setup.ts';
import tearDown from '../support/global-teardown.ts';
import { renderPlans, writePlans } from './golden.ts';

parseProcessArguments({ usage: 'usage: npm run plans:golden\n  --help, --version' });
await setUp();
try {
  const database = await createTestDatabase();
  await writePlans(await renderPlans(database));
  await database.close();
} finally {
  await tearDown();
}
