import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { readColumnComments } from '../../src/db/comments.ts';
import { allEndpoints } from '../../src/resources/index.ts';
import { createTestDatabase, withAdmin } from '../support/database.ts';
import { document, resolved } from '../support/described.ts';
import { forSuite } from '../support/suite.ts';
import { FILE, written } from './written-description.ts';

/* These tests check that the OpenAPI description explains each field, enum value and body to a frontend developer. */

interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly description?: string;
  readonly enum?: readonly (string | null)[];
  readonly example?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly 'x-enum-labels'?: Readonly<Record<string, Readonly<Record<'fr' | 'en', string>>>>;
}

const SENTENCES = /^\S.+\.$/s;

/** Each object within the OpenAPI description, with its path. */
function* partsOf(part: unknown, path = ''): Generator<readonly [string, Schema]> {
  if (typeof part !== 'object' || part === null) return;
  yield [path, part];
  for (const [key, inner] of Object.entries(part))
    if (!/^examples?$/.test(key)) yield* partsOf(inner, `${path}/${key}`);
}

const parts = [...partsOf(document)];
const schemas = document.components?.schemas as Readonly<Record<string, Schema>>;

const database = await forSuite(createTestDatabase());
const columns = await withAdmin(database.adminUrl, (admin) =>
  admin.query<{ name: string; comment: string }>(`
    select c.relname || '.' || a.attname as name, col_description(c.oid, a.attnum) as comment
    from pg_class as c
    join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`),
);

describe('the OpenAPI description explains each field, enum value and body', () => {
  test('the OpenAPI description has a sentence for every field of every schema', () => {
    const fields = parts.flatMap(([path, { properties }]) =>
      typeof properties === 'object'
        ? Object.entries(properties).map(([name, field]) => [`${path}/${name}`, field.description] as const)
        : [],
    );
    expect(fields.length).toBeGreaterThan(450);
    expect(fields.filter(([, description]) => !SENTENCES.test(description ?? ''))).toEqual([]);
  });

  test('the OpenAPI description has a sentence for every enum, and a French and an English label for each of its values', () => {
    const enums = parts.filter(([, part]) => Array.isArray(part.enum));
    expect(enums.length).toBeGreaterThan(35);
    expect(enums.filter(([, { description }]) => !SENTENCES.test(description ?? ''))).toEqual([]);
    for (const [path, { enum: words = [], 'x-enum-labels': labels = {} }] of enums) {
      expect([path, Object.keys(labels)]).toEqual([path, words.filter((word) => word !== null)]);
      const unsaid = Object.values(labels).filter(
        ({ fr, en }) => !/^\p{Lu}/u.test(fr) || !/^(?:\p{Lu}|\{sentence\})/u.test(en),
      );
      expect([path, unsaid]).toEqual([path, []]);
    }
  });

  test('the OpenAPI description has an example of every request body', () => {
    const bodies = parts.flatMap(([path, part]) =>
      path.endsWith('/requestBody')
        ? Object.entries((part as { content: Record<string, { schema: Schema; example?: unknown }> }).content).map(
            ([type, { schema, example }]) =>
              [`${path} ${type}`, example ?? (resolved(schema) as Schema).example] as const,
          )
        : [],
    );
    expect(bodies.length).toBeGreaterThan(20);
    expect(bodies.filter(([, example]) => example === undefined || example === '')).toEqual([]);
  });

  test('the OpenAPI description does not contain the internal members x-table and x-said', () => {
    expect(JSON.stringify(document)).not.toMatch(/"x-(?:table|said)"/);
  });

  test('docs/openapi.json has exactly the content that npm run openapi writes', async () => {
    expect(await readFile(FILE, 'utf8')).toBe(written);
  });
});

describe('the OpenAPI description and the database describe a column in the same words', () => {
  const comments = new Map(columns.rows.map(({ name, comment }) => [name, comment]));

  test('readColumnComments reads from the migrations the same comment of each column as the database has', async () => {
    const commentOf = await readColumnComments();
    expect(comments.size).toBeGreaterThan(100);
    for (const [name, comment] of comments) {
      const [table = '', column = ''] = name.split('.');
      expect([name, commentOf(table, column)]).toEqual([name, comment]);
    }
  });

  /** Fields that have the name of a column and another meaning, such as a sum. */
  const ELSE = [
    ...['id', 'status', 'amount'].map((field) => `Deadline.${field}`),
    'PersonalDatum.id',
    ...['Document', 'DocumentChange'].map((schema) => `${schema}.file_path`),
    ...['amount', 'granted_amount', 'refund_amount'].map((field) => `ReclamationSummary.${field}`),
    ...['Invoice', 'PartnerInvoice'].flatMap((name) => [
      ...[`${name}Summary.amount_excl_tax`, `${name}Summary.amount_incl_tax`],
    ]),
    ...['Reclamation', 'Invoice', 'PartnerInvoice'].map((name) => `Possible${name}Move.requires`),
  ];

  test('the OpenAPI text of each field of a record begins with the database comment of its column', () => {
    const records = allEndpoints.flatMap(({ of }) => (of === undefined ? [] : [of]));
    const said = records.flatMap(({ name, table }) =>
      [name, `New${name}`, `${name}Change`].flatMap((schema) =>
        Object.entries(schemas[schema]?.properties ?? {}).flatMap(([field, { description = '' }]) => {
          const comment = comments.get(`${table}.${field}`);
          return comment === undefined ? [] : [{ field: `${schema}.${field}`, description, comment }];
        }),
      ),
    );
    expect(said.length).toBeGreaterThan(250);
    const others = said.filter(({ description, comment }) => !description.startsWith(comment));
    expect([...new Set(others.map(({ field }) => field))].toSorted()).toEqual(ELSE.toSorted());
  });
});
