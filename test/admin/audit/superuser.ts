import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

interface SuperusersDatabase {
  readonly database: TestDatabase;
  /**
   * A superuser’s connection without JIT compilation, because compiling the audit’s queries takes longer than it saves.
   */
  readonly admin: pg.Client;
  readonly close: () => Promise<void>;
}

/** Creates a new migrated database, and opens a superuser's connection to it. */
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
