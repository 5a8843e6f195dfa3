import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { connected, createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { Scales } from './footprint.ts';
import { CATALOG_KINDS, type CatalogMutant, catalogMutantsOf } from './kinds.ts';
import { objectsOfTheHouse } from './objects.ts';
import { UNCHANGED_CATALOGS, UNCHANGED_COLUMNS } from './unchanged.ts';

describe('the changes that npm run proofs -- mutation makes to database objects', () => {
  let database: TestDatabase;
  let admin: pg.Client;
  const mutants = new Map<string, readonly CatalogMutant[]>();
  const columns = new Set<string>();
  const catalogs = new Set<string>();

  beforeAll(async () => {
    database = await createTestDatabase();
    admin = await connected(database.adminUrl, '-c search_path= -c jit=off');
    for (const kind of CATALOG_KINDS) mutants.set(kind, await catalogMutantsOf(admin, kind));
    const scales = await Scales.open(database.adminUrl);
    try {
      for (const [first] of mutants.values()) {
        if (first === undefined) continue;
        const footprint = await scales.weigh(first);
        for (const column of footprint.columns) columns.add(column);
        for (const catalog of footprint.catalogs) catalogs.add(catalog);
      }
    } finally {
      await scales.close();
    }
  }, 300_000);

  afterAll(async () => {
    await admin.end();
    await database.close();
  });

  test('npm run proofs -- mutation changes every database object of the service, to test that db:audit reports each change', async () => {
    const covered = new Set([...mutants.values()].flat().map((mutant) => mutant.covers));
    const objects = await objectsOfTheHouse(admin);
    expect(objects.size).toBeGreaterThan(1000);
    expect([...objects].filter(([covers]) => !covered.has(covers)).map(([, name]) => name)).toEqual([]);
  });

  test('npm run proofs -- mutation changes every column of a Postgres catalog that describes the service’s objects, except those in the list UNCHANGED_COLUMNS', async () => {
    const objects = await objectsOfTheHouse(admin);
    const ofTheHouse = new Set([...objects.keys()].map((covers) => covers.split(' ')[0]));
    const { rows } = await admin.query<{ catalog: string; column: string }>(
      `select c.relname as catalog, a.attname as column
       from pg_attribute as a join pg_class as c on c.oid = a.attrelid
       where c.relnamespace = 'pg_catalog'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped`,
    );
    const missing = rows
      .filter(({ catalog }) => ofTheHouse.has(catalog) || ['pg_index', 'pg_sequence'].includes(catalog))
      .map(({ catalog, column }) => `${catalog}.${column}`)
      .filter((column) => !columns.has(column) && !UNCHANGED_COLUMNS.has(column));
    expect(missing).toEqual([]);
    // If Postgres rewrites a table, it also changes some columns of the catalog pg_class that only describe the table’s
    // rows.
    for (const name of ['pg_class.relminmxid', 'pg_attribute.atthasmissing', 'pg_attribute.attmissingval'])
      columns.delete(name);
    expect([...UNCHANGED_COLUMNS.keys()].filter((column) => columns.has(column))).toEqual([]);
  });

  test('npm run proofs -- mutation changes a row of every Postgres catalog, except the catalogs in the list UNCHANGED_CATALOGS', async () => {
    const { rows } = await admin.query<{ relname: string }>(
      `select relname from pg_class where relnamespace = 'pg_catalog'::regnamespace and relkind = 'r'`,
    );
    const missing = rows
      .map(({ relname }) => relname)
      .filter((catalog) => !catalogs.has(catalog) && !UNCHANGED_CATALOGS.has(catalog));
    expect(missing).toEqual([]);
    expect([...UNCHANGED_CATALOGS.keys()].filter((catalog) => catalogs.has(catalog))).toEqual([]);
  });
});
