import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fileOf, readDeclared } from '../../src/db/audit/declared.ts';
import { readStateFromOutside, serverRelease } from '../../src/db/audit/state.ts';
import { createTestDatabase, type TestDatabase, withAdmin } from '../support/database.ts';
import { declaredLines, readFacts } from './golden.ts';

describe('what the repository declares', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterAll(() => database.close());

  test('is what a database holds as it was migrated (`npm run db:golden` writes it anew)', async () => {
    await withAdmin(database.adminUrl, async (admin) => {
      const release = await serverRelease(admin);
      const lines = await declaredLines(admin, await readFacts(admin), release);
      expect(lines.split('\n')).toEqual((await readFile(fileOf(release), 'utf8')).split('\n'));
    });
  });

  test('is compared with what audit.state() says, which is what its text says from outside', async () => {
    await withAdmin(database.adminUrl, async (admin) => {
      await admin.query('begin');
      const { facts } = await readStateFromOutside(admin);
      const key = (fact: object): string => JSON.stringify(Object.values(fact));
      expect(facts.map(key).sort()).toEqual((await readFacts(admin)).map(key).sort());
    });
  });

  test('is that of the newest release for a server that is newer, and nothing for one that is too old', async () => {
    expect((await readDeclared(18)).release).toBe(18);
    expect(await readDeclared(99)).toEqual(await readDeclared(18));
    expect((await readDeclared(15)).facts).not.toEqual((await readDeclared(18)).facts);
    await expect(readDeclared(14)).rejects.toThrow('db/audit/declared has no file for Postgres 14');
  });
});
