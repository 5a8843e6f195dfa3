import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { ROWS } from '../resources/access.ts';
import { loadDemonstration } from '../support/demonstration.ts';
import { document, resolved } from '../support/described.ts';
import { startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

/* The examples of the description, each tried on the demonstration as an administrator would. */

interface Schema {
  readonly $ref?: string;
  readonly example?: Readonly<Record<string, unknown>>;
}

interface Body {
  readonly schema: Schema;
  readonly example?: string;
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly example?: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Body>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema: Schema }>> }>>;
}

const paths = document.paths as Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** Each operation of a method, at the records that its path has as examples. */
function operations(method: string): (readonly [line: string, operation: Operation])[] {
  return Object.entries(paths).flatMap(([path, { [method]: operation }]) => {
    if (operation === undefined) return [];
    const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
      const parameter = operation.parameters?.find((one) => one.in === 'path' && one.name === name);
      return String(parameter?.example);
    });
    return [[`${method.toUpperCase()} ${filled}`, operation] as const];
  });
}

/** The schema of the JSON of a success, or of the body; undefined where that is no JSON. */
const answered = ({ responses }: Operation): Schema | undefined =>
  (responses['200'] ?? responses['201'])?.content?.['application/json']?.schema;
const asked = ({ requestBody }: Operation): Schema | undefined => requestBody?.content['application/json']?.schema;

const exampleOf = (schema: Schema | undefined): Schema['example'] => schema && (resolved(schema) as Schema).example;

/** A record but for the times at which the demonstration was filled or changed. */
function lasting(record: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const fields = Object.entries(record);
  return Object.fromEntries(fields.filter(([name]) => !['created_at', 'updated_at'].includes(name)));
}

const service = await forSuite(startService());
await loadDemonstration(service);
const token = await service.token('ADMIN');

describe('an example of the description can be tried', () => {
  // An address of a calendar is nobody's before it is made.
  const reads = operations('get').filter(([line]) => !line.startsWith('GET /calendar/'));

  test.each(reads)('%s', async (line, operation) => {
    const answer = await service.ask(line, { token });
    expect([line, answer.status]).toEqual([line, 200]);
    // The caller's own record is another one.
    const example = line.endsWith('/me') ? undefined : exampleOf(answered(operation));
    if (example === undefined) return;
    expect(lasting(answer.json as object as Record<string, unknown>)).toEqual(lasting(example));
  });

  const writes = [...operations('post'), ...operations('put')].filter(
    ([, operation]) => asked(operation) !== undefined,
  );
  /** A token is nobody's before it is signed; who has no password has none to say, and who is not stored no choice. */
  const ofMe = ['PUT /api/users/me/password', 'PUT /api/users/me/reminders'];
  const ofSomebody = ['POST /api/auth/login', ...ofMe];

  test.each(writes.filter(([line]) => !ofSomebody.includes(line)))('%s', async (line, operation) => {
    const body = exampleOf(asked(operation));
    expect([line, body]).toEqual([line, expect.any(Object)]);
    const answer = await service.ask(line, { token, body: body ?? {} });
    expect([line, answer.status, answer.text]).toEqual([
      line,
      line.startsWith('POST') && !line.endsWith('/changes') ? 201 : 200,
      expect.any(String),
    ]);
    const expected = Array.isArray(body) ? { imported: body.length } : (body?.['changes'] ?? body ?? {});
    expect(answer.json).toMatchObject(expected);
  });

  const tables = operations('post').filter(([, one]) => one.requestBody?.content['text/csv'] !== undefined);

  test.each(tables)('%s, as a table', async (line, { requestBody }) => {
    const body = String(requestBody?.content['text/csv']?.example);
    const answer = await service.ask(line, { token, body, headers: { 'content-type': 'text/csv' } });
    expect([answer.status, answer.json]).toEqual([201, expect.objectContaining({ imported: 1 })]);
  });

  test('and each kind of record and body that a path or a request names has one', () => {
    expect(reads.filter(([line]) => line.includes('undefined'))).toEqual([]);
    const shown = reads.filter(([, operation]) => exampleOf(answered(operation)) !== undefined);
    expect(shown.length).toBeGreaterThan(9);
    expect(writes.length).toBeGreaterThan(15);
    expect(tables.length).toBeGreaterThan(1);
  });
});

describe('a record that was read', () => {
  const ajv = new Ajv({ strict: false, validateSchema: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'api');

  /** Where records are listed, if not at the address below which they can be changed. */
  const listOf = (path: string): string => (path === '/api/notes' ? '/api/tasks' : path);

  /** Each list whose records can be changed, and what a change takes. */
  const changed = Object.entries(paths).flatMap(([path, { put }]) => {
    const [, list = ''] = /^(.*)\/\{\w+\}$/.exec(path) ?? [];
    const body = put && asked(put);
    return body?.$ref === undefined || paths[listOf(list)]?.['get'] === undefined ? [] : [[list, body.$ref] as const];
  });

  test.each(changed)('of %s is, sent back whole, a change as described, which changes nothing', async (list, body) => {
    const validate = ajv.getSchema(`api${body}`);
    const { json } = await service.ask(`GET ${listOf(list)}`, { token });
    const records = json as Record<string, unknown>[];
    expect(records.length).toBeGreaterThan(1);
    for (const record of records) {
      expect([record, validate?.(record), validate?.errors]).toEqual([record, true, null]);
      const answer = await service.ask(`PUT ${list}/${String(record['id'])}`, { token, body: record });
      expect([answer.status, lasting(answer.json as Record<string, unknown>)]).toEqual([200, lasting(record)]);
    }
  });

  test('can be sent back wherever records can be changed', () => {
    const changes = ROWS.filter(({ line, body }) => line.startsWith('PUT') && body !== undefined);
    expect(changed.map(([list]) => list).sort()).toEqual(
      changes.map(({ line }) => line.replace(/^PUT (.*)\/\{\w+\}$/, '$1')).sort(),
    );
  });
});
