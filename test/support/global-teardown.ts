import { withAdmin } from './database.ts';
import { dropRun } from './leftovers.ts';

/** Drops the databases and logins of the test run, because a server at TEST_DATABASE_URL outlives the run. */
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
    // In Jest’s watch mode the next test run is in the same process, so the environment variable of the ended run must
    // not stay set.
    delete process.env['TAXCLAIMS_TEST_FOLDER'];
    for (const name of ['testConnection', 'testFolder', 'testPooler', 'testRun', 'testServer'] as const)
      globalThis[name] = undefined;
  }
}
