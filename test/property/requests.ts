import fc from 'fast-check';
import { document, resolved } from '../support/described.ts';
import { idFor, NUMBERS, objectOf, stringOf, SURPRISES, valueOf } from './values.ts';
import type { Schema } from './values.ts';

/** A generated request with names such as `<own.sites>` in place of ids. */
export interface Request {
  readonly operation: string;
  readonly target: string;
  readonly caller: Caller;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export const CALLERS = ['ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST', 'CLIENT', 'nobody'] as const;
export type Caller = (typeof CALLERS)[number];

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** Returns a part of the OpenAPI description with its references resolved. */
function inFull(part: unknown): unknown {
  return JSON.parse(JSON.stringify(part), (_key, value: unknown) => {
    const isReference = typeof value === 'object' && value !== null && '$ref' in value;
    return isReference ? inFull(resolved({ $ref: String(value.$ref) })) : value;
  });
}

export const OPERATIONS = Object.entries(inFull(document.paths) as Paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    operation,
  })),
);

/** The request fields that an operation stores as they are sent. */
export function writableFields(name: string): readonly string[] {
  const content = OPERATIONS.find((one) => one.name === name)?.operation.requestBody?.content;
  const { properties = {} } = content?.['application/json']?.schema ?? {};
  return Object.keys(properties).filter((field) => properties[field]?.readOnly !== true);
}

/** Returns the database table of the record that the parameter `id` of a path names. */
function tableOf(path: string): string {
  const table = path.split('/')[2]?.replace('-', '_') ?? '';
  return { invoices: 'factures', '': 'clients' }[table] ?? table;
}

const MALFORMED = [
  ...['1', 'null', 'undefined', '%00', '%2e%2e', '%ZZ', '%ff', "'", '__proto__', 'constructor', '%F0%9F%8F%A0'],
];

function pathOf(path: string): fc.Arbitrary<string> {
  const parts = path.split(/(\{\w+\})/).map((part): fc.Arbitrary<string> => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined) return fc.constant(part);
    const id = idFor(name, name === 'id' ? tableOf(path) : undefined);
    return fc.oneof({ weight: 15, arbitrary: id }, { weight: 1, arbitrary: fc.constantFrom(...MALFORMED) });
  });
  return fc.tuple(...parts).map((all) => all.join(''));
}

const QUERY_SURPRISES = ['x=1', '%00=1', '=', '%', 'limit[]=1', 'limit[a]=1', 'limit=1&limit=2', 'after=AAAA', 'a=%ff'];

function queryOf(parameters: readonly Parameter[]): fc.Arbitrary<string> {
  const each = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema }) => {
      const text = fc.oneof(
        { weight: 8, arbitrary: queryValue(schema, name) },
        { weight: 1, arbitrary: fc.constantFrom('', '\0', ' ', 'null', '[]', '-1', '%', '\\', '_', ...NUMBERS) },
      );
      const pair = text.map((value) => `${name}=${encodeURIComponent(value.toWellFormed())}`);
      return fc.oneof({ weight: 5, arbitrary: fc.constant('') }, { weight: 1, arbitrary: pair });
    });
  const surprise = fc.oneof(
    { weight: 30, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: fc.constantFrom(...QUERY_SURPRISES, ...SURPRISES.map((name) => `${name}=1`)) },
  );
  return fc
    .tuple(...each, surprise)
    .map((pairs) => pairs.filter((pair) => pair !== '').join('&'))
    .map((query) => (query === '' ? '' : `?${query}`));
}

function queryValue(schema: Schema, name: string): fc.Arbitrary<string> {
  if (schema.type === 'integer') {
    const { minimum = 0, maximum = 1000 } = schema;
    return fc.oneof(
      fc.integer({ min: minimum, max: Math.min(maximum, minimum + 50) }).map(String),
      fc.constantFrom(minimum - 1, minimum, maximum, maximum + 1).map(String),
    );
  }
  if (schema.type === 'number')
    return fc.oneof(fc.integer({ min: 0, max: 2_000 }).map(String), fc.constantFrom(...NUMBERS));
  if (schema.items !== undefined)
    return fc.array(queryValue(schema.items, name), { minLength: 1, maxLength: 3 }).map((values) => values.join());
  return stringOf(schema, name);
}

const TAGS = ['*', '"x"', 'W/"x"', '"a", "b"', 'x', '""', '"', ','];
const JSON_TYPES = [
  ...Array<string>(12).fill('application/json'),
  'application/json; charset=utf-8',
  'text/plain',
  ';',
  '',
];

const headers: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 10, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('if-match', 'if-none-match', 'range', 'accept', 'origin'), fc.constantFrom(...TAGS))
      .map(([name, value]) => ({ [name]: value })),
  },
);

const BOUNDARY = 'boundary-of-the-form';

/** Generates upload forms with unusual file names, and malformed forms. */
const form: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('file', 'file', 'file', 'file', 'other', '__proto__'),
    fc.constantFrom(
      'avis.txt',
      '../../x.txt',
      'é🏠.csv',
      'x'.repeat(255),
      'x'.repeat(256),
      '',
      'a\\"b.txt',
      'x.exe',
      '%00.txt',
    ),
    fc.oneof(
      fc.constantFrom('Avis', '', '%PDF-1.7\n%%EOF', 'MZ\u0000\u0001', 'a;b\n1;2'),
      fc.string({ maxLength: 500 }),
    ),
    fc.constantFrom('--', '--', '--', '--', ''),
  )
  .map(([field, filename, content, end]) =>
    [
      `--${BOUNDARY}`,
      `Content-Disposition: form-data; name="${field}"; filename="${filename}"`,
      'Content-Type: text/plain',
      '',
      content,
      `--${BOUNDARY}${end}`,
      '',
    ].join('\r\n'),
  );

const NO_BODIES = [
  ...['', '[]', 'null', '1', '"x"', '{', '{}', '{"a":1,}', '\u0000', '['.repeat(5_000), '{"a":'.repeat(2_000)],
];

/** Generates CSV tables of records, and malformed tables. */
function tableOfMany({ properties = {} }: Schema = {}) {
  const name = fc.constantFrom(...Object.keys(properties), 'surprise', '', '__proto__');
  const cell = fc.oneof(
    idFor('client_id', undefined),
    idFor('site_id', undefined),
    fc.constantFrom('TF', '1200,50', '31/12/2024', "'=1", '"a;b"', '"a\n""b"', '"', 'a"b', '', ...NUMBERS),
    fc.string({ maxLength: 20 }),
  );
  return fc
    .tuple(
      fc.array(name, { minLength: 1, maxLength: 6 }),
      fc.array(fc.array(cell, { maxLength: 7 }), { maxLength: 4 }),
      fc.constantFrom(',', ';'),
      fc.constantFrom('\r\n', '\n', '\r'),
      fc.constantFrom('', '\uFEFF'),
    )
    .map(([header, rows, delimiter, end, mark]) => ({
      body: mark + [header, ...rows].map((cells) => cells.join(delimiter) + end).join(''),
      headers: { 'content-type': 'text/csv' },
    }));
}

function bodyOf({ requestBody }: Operation): fc.Arbitrary<{ body?: string; headers: Record<string, string> }> {
  const content = requestBody?.content ?? {};
  const json = content['application/json'];
  const isMany = json?.schema.type === 'array';
  if (json !== undefined) {
    const text = fc.oneof(
      { weight: 25, arbitrary: isMany ? valueOf(json.schema, '') : objectOf(json.schema) },
      { weight: 1, arbitrary: fc.constantFrom(...NO_BODIES) },
    );
    const sent = fc
      .tuple(text, fc.constantFrom(...JSON_TYPES))
      .map(([body, type]) => ({ body, headers: type === '' ? {} : { 'content-type': type } }));
    return isMany ? fc.oneof(sent, tableOfMany(json.schema.items)) : sent;
  }
  if (content['multipart/form-data'] === undefined) return fc.constant({ headers: {} });
  const type = fc.constantFrom(`multipart/form-data; boundary=${BOUNDARY}`, 'multipart/form-data', 'text/plain');
  return fc
    .tuple(fc.oneof({ weight: 9, arbitrary: form }, fc.constantFrom(...NO_BODIES)), type)
    .map(([body, contentType]) => ({ body, headers: { 'content-type': contentType } }));
}

/** Generates a request that the OpenAPI description allows, or that differs from an allowed request in a detail. */
export const anyRequest: fc.Arbitrary<Request> = fc.oneof(
  ...OPERATIONS.map(({ name, method, path, operation }) =>
    fc
      .tuple(
        pathOf(path),
        queryOf(operation.parameters ?? []),
        fc.constantFrom('ADMIN' as const, 'ADMIN' as const, ...CALLERS.slice(0, 4), ...CALLERS),
        headers,
        bodyOf(operation),
      )
      .map(
        ([target, query, caller, others, content]): Request => ({
          operation: name,
          target: `${method} ${target}${query}`,
          caller,
          headers: { ...others, ...content.headers },
          ...(content.body === undefined ? {} : { body: content.body }),
        }),
      ),
  ),
);
