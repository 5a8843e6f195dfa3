import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { ROWS } from '../resources/access.ts';
import { loadDemonstration } from '../support/demonstration.ts';
import { document, resolved } from '../support/described.ts';
import { startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

/* These tests send each example of the OpenAPI description to a service with the demonstration’s data, as an ADMIN. */

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

/**
 * Returns the operations of the OpenAPI description with the given HTTP method. Their paths have the description’s
 * example ids.
 */
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

/** The schema of an operation's successful answer or of its body; undefined if the answer or body is not JSON. */
const answered = ({ responses }: Operation): Schema | undefined =>
  (responses['200'] ?? responses['201'])?.content?.['application/json']?.schema;
const asked = ({ requestBody }: Operation): Schema | undefined => requestBody?.content['application/json']?.schema;

const exampleOf = (schema: Schema | undefined): Schema['example'] => schema && (resolved(schema) as Schema).example;

/** A record without created_at and updated_at, which depend on when the demonstration was loaded. */
function lasting(record: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const fields = Object.entries(record);
  return Object.fromEntries(fields.filter(([name]) => !['created_at', 'updated_at'].includes(name)));
}

const service = await forSuite(startService());
await loadDemonstration(service);
const token = await service.token('ADMIN');

describe('each example of the OpenAPI description is a valid request', () => {
  // The test leaves out the path of a calendar, because a calendar has no address before its user creates one.
  const reads = operations('get').filter(([line]) => !line.startsWith('GET /calendar/'));

  test.each(reads)(
    'the example request %s of the OpenAPI description gets 200 with the record that the description shows',
    async (line, operation) => {
      const answer = await service.ask(line, { token });
      expect([line, answer.status]).toEqual([line, 200]);
      // The answer of a path that ends with /me depends on the caller, so the test does not compare it with the
      // example.
      const example = line.endsWith('/me') ? undefined : exampleOf(answered(operation));
      if (example === undefined) return;
      expect(lasting(answer.json as object as Record<string, unknown>)).toEqual(lasting(example));
    },
  );

  const writes = [...operations('post'), ...operations('put')].filter(
    ([, operation]) => asked(operation) !== undefined,
  );
  /**
   * The operations whose example the test cannot send, because they need a signed token, a password, or a stored
   * caller.
   */
  const ofMe = ['PUT /api/users/me/password', 'PUT /api/users/me/reminders'];
  const ofSomebody = ['POST /api/auth/login', ...ofMe];

  test.each(writes.filter(([line]) => !ofSomebody.includes(line)))(
    'the service accepts the example body of the request %s in the OpenAPI description',
    async (line, operation) => {
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
    },
  );

  const tables = operations('post').filter(([, one]) => one.requestBody?.content['text/csv'] !== undefined);

  test.each(tables)(
    'the service imports the example CSV of the request %s in the OpenAPI description',
    async (line, { requestBody }) => {
      const body = String(requestBody?.content['text/csv']?.example);
      const answer = await service.ask(line, { token, body, headers: { 'content-type': 'text/csv' } });
      expect([answer.status, answer.json]).toEqual([201, expect.objectContaining({ imported: 1 })]);
    },
  );

  test('each path parameter, record and import in the OpenAPI description has an example', () => {
    expect(reads.filter(([line]) => line.includes('undefined'))).toEqual([]);
    const shown = reads.filter(([, operation]) => exampleOf(answered(operation)) !== undefined);
    expect(shown.length).toBeGreaterThan(9);
    expect(writes.length).toBeGreaterThan(15);
    expect(tables.length).toBeGreaterThan(1);
  });
});

describe('a caller can send a record back unchanged', () => {
  const ajv = new Ajv({ strict: false, validateSchema: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'api');

  /** The path that lists the records of a resource; notes are listed at /api/tasks. */
  const listOf = (path: string): string => (path === '/api/notes' ? '/api/tasks' : path);

  /** Each list whose records a PUT changes, with the schema of the body of the PUT. */
  const changed = Object.entries(paths).flatMap(([path, { put }]) => {
    const [, list = ''] = /^(.*)\/\{\w+\}$/.exec(path) ?? [];
    const body = put && asked(put);
    return body?.$ref === undefined || paths[listOf(list)]?.['get'] === undefined ? [] : [[list, body.$ref] as const];
  });

  test.each(changed)(
    'a record read from the list %s can be sent back whole by PUT: it fits the described body, and nothing changes',
    async (list, body) => {
      const validate = ajv.getSchema(`api${body}`);
      const { json } = await service.ask(`GET ${listOf(list)}`, { token });
      const records = json as Record<string, unknown>[];
      expect(records.length).toBeGreaterThan(1);
      for (const record of records) {
        expect([record, validate?.(record), validate?.errors]).toEqual([record, true, null]);
        const answer = await service.ask(`PUT ${list}/${String(record['id'])}`, { token, body: record });
        expect([answer.status, lasting(answer.json as Record<string, unknown>)]).toEqual([200, lasting(record)]);
      }
    },
  );

  test('the tests that read a record and send it back unchanged try every endpoint with the method PUT', () => {
    const changes = ROWS.filter(({ line, body }) => line.startsWith('PUT') && body !== undefined);
    expect(changed.map(([list]) => list).sort()).toEqual(
      changes.map(({ line }) => line.replace(/^PUT (.*)\/\{\w+\}$/, '$1')).sort(),
    );
  });
});
