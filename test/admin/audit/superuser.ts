import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

interface SuperusersDatabase {
  readonly database: TestDatabase;
  /**
   * A superuser’s connection on which JIT is off. Postgres would need more time to compile the audit’s queries than to
   * run them.
   */
  readonly admin: pg.Client;
  readonly close: () => Promise<void>;
}

/** Creates and migrates a new database. Returns a superuser’s connection to it. */
export async function openAsSuperuser(): Promise<SuperusersDatabase> {
  const database = await createTestDatabase();
  const admin = new pg.Client({ connectionString: database.adminUrl, options: '-c jit=off' });
  await admin.connect();
  return {
    database,
    admin,
    close: async () => {
      await admin.end();
      await database.close();
    },
  };
}
