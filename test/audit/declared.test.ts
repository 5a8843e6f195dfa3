import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { factFilePath, parseFacts, readDeclaredFacts } from '../../src/db/audit/declared.ts';
import { readStateWithRepositorySql, readServerRelease } from '../../src/db/audit/state.ts';
import { createTestDatabase, type TestDatabase, withAdmin } from '../support/database.ts';
import { declaredText, readFacts, textOfParts } from './golden.ts';

describe('what the repository declares', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterAll(() => database.close());

  test('is what a database holds as it was migrated (`npm run db:golden` writes it anew)', async () => {
    await withAdmin(database.adminUrl, async (admin) => {
      const release = await readServerRelease(admin);
      const text = await declaredText(admin, await readFacts(admin), release);
      expect(text.split('\n')).toEqual((await readFile(factFilePath(release), 'utf8')).split('\n'));
    });
  });

  test('is a database of which the audit finds nothing', async () => {
    await withAdmin(database.adminUrl, async (admin) => {
      // The server of the tests keeps nothing when it crashes.
      const { rows } = await admin.query(
        `select finding, object, remedy from audit.findings where finding <> 'durability_off'`,
      );
      expect(rows).toEqual([]);
    });
  });

  test('is compared with what audit.state() says, which is what its text says from outside', async () => {
    await withAdmin(database.adminUrl, async (admin) => {
      await admin.query('begin');
      const { facts } = await readStateWithRepositorySql(admin);
      const key = (fact: object): string => JSON.stringify(Object.values(fact));
      expect(facts.map(key).sort()).toEqual((await readFacts(admin)).map(key).sort());
    });
  });

  test('is written without loss, one part a line', async () => {
    await withAdmin(database.adminUrl, async (admin) => {
      const facts = await readFacts(admin);
      const key = (fact: object): string => JSON.stringify(fact, ['kind', 'object', 'definition']);
      const text = textOfParts(facts);
      expect(parseFacts(text).map(key).sort()).toEqual(facts.map(key).sort());
      expect(text.split('\n').length).toBeLessThan(facts.length);
      const gone = [{ kind: 'view', object: 'reporting.x', definition: null }];
      expect(parseFacts(textOfParts(gone))).toEqual(gone);
    });
  });

  test('is that of the newest release for a server that is newer, and nothing for one that is too old', async () => {
    expect((await readDeclaredFacts(18)).release).toBe(18);
    expect(await readDeclaredFacts(99)).toEqual(await readDeclaredFacts(18));
    expect((await readDeclaredFacts(15)).facts).not.toEqual((await readDeclaredFacts(18)).facts);
    await expect(readDeclaredFacts(14)).rejects.toThrow('db/audit/declared has no file for Postgres 14');
  });
});
