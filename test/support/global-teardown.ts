import { withAdmin } from './database.ts';
import { dropRun } from './leftovers.ts';

/** Leaves a server that is not the run's own as it was found, but for the roles that migrating made. */
export default async function tearDown(): Promise<void> {
  const { testConnection, testFolder, testPooler, testRun, testServer } = globalThis;
  try {
    await testPooler?.close();
    if (testRun !== undefined) {
      const { adminUrl, prefix } = testRun;
      await withAdmin(adminUrl, (admin) => dropRun(admin, prefix));
    }
  } finally {
    await testConnection?.end();
    await testServer?.close();
    await testFolder?.remove();
    // In watch mode the next run is of the same process.
    delete process.env['TAXCLAIMS_TEST_FOLDER'];
    for (const name of ['testConnection', 'testFolder', 'testPooler', 'testRun', 'testServer'] as const)
      globalThis[name] = undefined;
  }
}
