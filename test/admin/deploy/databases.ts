import { afterEach } from '@jest/globals';
import type { TestDatabase } from '../../support/database.ts';

/** Returns a function with which a test opens databases that are closed after the test. */
export function openForTest(): (made: Promise<TestDatabase>) => Promise<TestDatabase> {
  const open: TestDatabase[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((database) => database.close()));
  });
  return async (made) => {
    const database = await made;
    open.push(database);
    return database;
  };
}
