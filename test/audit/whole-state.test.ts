import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { CHANGES, ORDINARY } from './changes.ts';

describe('the whole state', () => {
  let database: TestDatabase;
  let admin: pg.Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    admin = new pg.Client({ connectionString: database.adminUrl });
    await admin.connect();
  });

  afterAll(async () => {
    await admin.end();
    await database.close();
  });

  /** What is drift after something was done, which is taken back. */
  async function driftAfter(sql: string): Promise<readonly { kind: string; object: string }[]> {
    await admin.query('begin');
    try {
      await admin.query(sql);
      return (await admin.query<{ kind: string; object: string }>('select kind, object from audit.drift'))
        .rows;
    } finally {
      await admin.query('rollback');
    }
  }

  test.each(CHANGES.map((change) => [change.what, change] as const))(
    'shows a DBA %s',
    async (_what, { sql, kind, object }) => {
      expect(await driftAfter(sql)).toContainEqual({ kind, object });
    },
  );

  test.each(ORDINARY)('is silent about %s', async (_what, sql) => {
    expect(await driftAfter(sql)).toEqual([]);
  });
});
