import { withAdmin } from './database.ts';

/** Leaves a server that is not the run's own as it was found, but for the roles that migrating made. */
export default async function tearDown(): Promise<void> {
  const { testRun, testServer } = globalThis;
  try {
    if (testRun !== undefined) {
      const { prefix, login } = testRun;
      await withAdmin(testRun.adminUrl, async (admin) => {
        const { rows } = await admin.query<{ datname: string }>(
          'select datname from pg_database where starts_with(datname, $1)',
          [prefix],
        );
        for (const { datname } of rows) await admin.query(`drop database ${datname} with (force)`);
        await admin.query(`drop role if exists ${login.name}`);
      });
    }
  } finally {
    await testServer?.close();
  }
}
