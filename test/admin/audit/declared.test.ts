import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { factFilePath, parseFacts, readDeclaredFacts } from '../../../src/admin/audit/declared.ts';
import { readStateWithRepositorySql, readServerRelease } from '../../../src/admin/audit/state.ts';
import { findingsBeside, type Found } from '../../support/durability.ts';
import { forSuite } from '../../support/suite.ts';
import { declaredText, describeChanges, readFacts, textOfParts } from './golden.ts';
import { openAsSuperuser } from './superuser.ts';

const { admin } = await forSuite(openAsSuperuser());

test('the objects and rights of a newly migrated database are as db/audit/declared lists (`npm run db:golden` writes the file)', async () => {
  const release = await readServerRelease(admin);
  const facts = await readFacts(admin);
  expect(await describeChanges(admin, facts, release)).toBe('');
  expect(await declaredText(admin, facts, release)).toBe(await readFile(factFilePath(release), 'utf8'));
});

test('the view audit.findings is empty in a newly migrated database', async () => {
  const { rows } = await admin.query<Found>('select finding, object, remedy from audit.findings');
  expect(await findingsBeside(admin, rows)).toEqual([]);
});

test('the function audit.state() of the database lists the same objects and rights as the version of this function in the repository', async () => {
  await admin.query('begin');
  const { facts } = await readStateWithRepositorySql(admin);
  await admin.query('rollback');
  const key = (fact: object): string => JSON.stringify(Object.values(fact));
  expect(facts.map(key).sort()).toEqual((await readFacts(admin)).map(key).sort());
});

test('a file of db/audit/declared contains every row that the function audit.state() returns, with one database object per line', async () => {
  const facts = await readFacts(admin);
  const key = (fact: object): string => JSON.stringify(fact, ['kind', 'object', 'definition']);
  const text = textOfParts(facts);
  expect(parseFacts(text).map(key).sort()).toEqual(facts.map(key).sort());
  expect(text.split('\n').length).toBeLessThan(facts.length);
  const gone = [{ kind: 'view', object: 'reporting.x', definition: null }];
  expect(parseFacts(textOfParts(gone))).toEqual(gone);
});

test('if db/audit/declared has no file for the server’s Postgres release, db:audit uses the newest file, but refuses a release older than all files', async () => {
  expect((await readDeclaredFacts(18)).release).toBe(18);
  expect(await readDeclaredFacts(99)).toEqual(await readDeclaredFacts(18));
  expect((await readDeclaredFacts(15)).facts).not.toEqual((await readDeclaredFacts(18)).facts);
  await expect(readDeclaredFacts(14)).rejects.toThrow('db/audit/declared has no file for Postgres 14');
});
