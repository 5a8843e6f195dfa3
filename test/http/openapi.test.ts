import { expect, test } from '@jest/globals';
import { validate } from '@readme/openapi-parser';
import { ERRORS_BY_CODE } from '../../src/errors.ts';
import { PAGE_ROLES } from '../resources/access.ts';
import { startService } from '../support/service.ts';
import { resolved } from '../support/described.ts';
import { forSuite } from '../support/suite.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly schema: object;
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: object }> };
  readonly responses: Record<string, object>;
}

const service = await forSuite(startService());
const answer = await service.ask('GET /api-json', { token: await service.token('CLIENT') });
const document = answer.json as Record<string, unknown>;
const paths = document['paths'] as Record<string, Record<string, Operation>>;
const { schemas } = document['components'] as { schemas: Record<string, object> };

test('the service’s description of its own API is valid OpenAPI 3.0', async () => {
  expect(document).toMatchObject({ openapi: expect.stringMatching(/^3\.0\./), info: { version: '1.0.0' } });
  const result = await validate(structuredClone(document) as unknown as string);
  expect(result).toMatchObject({ valid: true });
});

test('the OpenAPI description requires a bearer token for every operation except the four public ones', () => {
  expect(document).toMatchObject({
    security: [{ bearer: [] }],
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
  });
  const all = document['paths'] as Record<string, Record<string, { security?: unknown[] }>>;
  const open = Object.entries(all).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { security }]) => (security === undefined ? [] : `${method} ${path}`)),
  );
  expect(open.toSorted()).toEqual(['get /', 'get /calendar/{secret}.ics', 'get /health', 'post /api/auth/login']);
});

/** The paths of the objects in the OpenAPI description for which the predicate is true. */
function placesOf(isSo: (part: object, path: string) => boolean, part: unknown = document, path = ''): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const below = Object.entries(part).flatMap(([key, inner]) => placesOf(isSo, inner, `${path}/${key}`));
  return isSo(part, path) ? [path, ...below] : below;
}

test('every schema of the OpenAPI description has a type or a reference', () => {
  const isTypeless = (part: object) => !('type' in part) && !('$ref' in part);
  expect(placesOf((part, path) => path.endsWith('/schema') && isTypeless(part))).toEqual([]);
});

test.each([
  ['/api/reclamations', ['Link', 'X-Total-Count'], '`limit`, `offset`, `after`, `count` are refused'],
  ['/api/reclamations/summary', ['Link'], '`limit`, `after` are refused'],
  ['/api/reclamations/{id}/moves', [], 'the whole list, without an ETag.'],
])('the OpenAPI description of the list %s has the paging headers that the list sends', (path, headers, words) => {
  const success = paths[path]?.['get']?.responses['200'] as { description: string; headers: object };
  const ofPages = Object.keys(success.headers).filter((name) => ['Link', 'X-Total-Count'].includes(name));
  expect(ofPages).toEqual(headers);
  expect(success.description).toContain(words);
});

const MOMENT = { type: 'string', format: 'date-time', description: 'Years 0001 to 9999.' };
const IN_YEARS = 'From 1900-01-01 to 2200-12-31.';

test('the OpenAPI description of a claim’s dates and times names their first and last allowed day', () => {
  const {
    NewReclamation: { properties },
  } = schemas as { NewReclamation: { properties: Record<string, unknown> } };
  expect(properties).toMatchObject({
    collection_date: { format: 'date', description: expect.stringContaining(IN_YEARS) },
    submitted_at: {
      description: expect.stringContaining('From 1900-01-01T00:00:00Z to 2200-12-31T23:59:59.999Z.'),
    },
  });
});

test('a filter of a percentage takes 0 to 100, and a filter of an amount larger numbers', () => {
  const filterOf = (path: string, name: string) =>
    paths[path]?.['get']?.parameters?.find((parameter) => parameter.name === name);
  for (const [path, name] of [
    ['/api/invoices', 'vat_rate_from'],
    ['/api/partner-invoices', 'vat_rate_to'],
    ['/api/partners', 'commission_rate_to'],
  ] as const)
    expect(filterOf(path, name)).toMatchObject({
      schema: { type: 'number', minimum: 0, maximum: 100 },
      description: expect.stringMatching(/\(0 to 100\.00, at most two decimal places\)\.$/),
    });
  expect(filterOf('/api/invoices', 'vat_amount_to')).toMatchObject({ schema: { maximum: 9999999999.99 } });
});

test('the OpenAPI description of a client’s claims has every parameter of the list with its type and limits', () => {
  const parameters = paths['/api/clients/{clientId}/reclamations']?.['get']?.parameters;
  const id = { type: 'string', format: 'uuid' };
  const query = (name: string, schema: object) => ({
    ...{ in: 'query', name, required: false, schema, description: expect.any(String) },
  });
  const several = (name: string, items: object, maxItems = 20) => ({
    ...query(name, {
      ...{ type: 'array', items, minItems: 1, maxItems },
      ...(name === 'sort' && { default: ['-created_at'] }),
    }),
    ...{ style: 'form', explode: false },
  });
  const range = (name: string, schema: object) => [query(`${name}_from`, schema), query(`${name}_to`, schema)];
  const renamed = (name: string, old: string, schema: object) => [
    ...range(name, schema),
    ...range(old, schema).map((one) => ({ ...one, deprecated: true })),
  ];
  const DAY = { type: 'string', format: 'date', description: IN_YEARS };
  const AMOUNT = { type: 'number', minimum: 0, maximum: 9999999999.99 };
  const NONE = { $ref: '#/components/schemas/None' };
  const OR_NONE = { type: 'string', pattern: expect.stringContaining('none|') };
  expect(parameters).toEqual([
    {
      ...{ in: 'path', name: 'clientId', required: true, schema: id },
      ...{ description: 'Id of the client.', example: 'c1000000-0000-4000-8000-000000000001' },
    },
    query('limit', { type: 'integer', minimum: 1, maximum: 1000, default: 1000 }),
    query('offset', { type: 'integer', minimum: 0, maximum: 2147483647, default: 0 }),
    query('after', { type: 'string' }),
    query('count', { $ref: '#/components/schemas/ListCount' }),
    ...renamed('created_at', 'created', MOMENT),
    ...renamed('updated_at', 'updated', MOMENT),
    {
      ...several('sort', { $ref: '#/components/schemas/ReclamationSort' }, 2),
      description: expect.stringContaining('records that change meanwhile move to the first page and are missed'),
    },
    several('id', id, 200),
    { ...several('site_id', id), description: 'Return only records with this site_id.' },
    several('claim_type', { $ref: '#/components/schemas/ClaimType' }),
    ...range('amount', AMOUNT),
    several('status', { $ref: '#/components/schemas/ReclamationStatus' }),
    several('not_status', { $ref: '#/components/schemas/ReclamationStatus' }),
    several('tax_year', OR_NONE),
    ...range('tax_year', { type: 'integer', minimum: 1900, maximum: 2200 }),
    several('commune_code', OR_NONE),
    query('notice_reference', NONE),
    ...[query('collection_date', NONE), ...renamed('collection_date', 'collection', DAY)],
    several('deadline_basis', { $ref: '#/components/schemas/DeadlineBasis' }),
    ...[query('claim_deadline', NONE), ...range('claim_deadline', DAY)],
    ...[query('submitted_at', NONE), ...renamed('submitted_at', 'submitted', MOMENT)],
    ...[query('submitted_amount', NONE), ...range('submitted_amount', AMOUNT)],
    ...[query('received_on', NONE), ...range('received_on', DAY)],
    query('response_extended', { type: 'boolean' }),
    ...[query('response_due_at', NONE), ...renamed('response_due_at', 'response_due', MOMENT)],
    ...[query('regularisation_asked_on', NONE), ...range('regularisation_asked_on', DAY)],
    ...[query('regularisation_due_on', NONE), ...range('regularisation_due_on', DAY)],
    ...[query('decision_date', NONE), ...renamed('decision_date', 'decision', DAY)],
    ...[query('decision_received_on', NONE), ...range('decision_received_on', DAY)],
    ...[query('court_deadline', NONE), ...range('court_deadline', DAY)],
    several('instance', { $ref: '#/components/schemas/CourtInstance' }),
    ...[query('judgment_notified_on', NONE), ...range('judgment_notified_on', DAY)],
    ...[query('appeal_deadline', NONE), ...range('appeal_deadline', DAY)],
    ...[query('granted_amount', NONE), ...range('granted_amount', AMOUNT)],
    ...[query('refund_amount', NONE), ...range('refund_amount', AMOUNT)],
    ...[query('refund_interest', NONE), ...range('refund_interest', AMOUNT)],
    query('grounds', NONE),
    query('status_reason', NONE),
    several('assignee_id', OR_NONE),
    several('partner_id', id),
    {
      ...query('q', { type: 'string', maxLength: 200 }),
      description: expect.stringContaining('or the name of the client or the name of the site'),
    },
    several('fields', { $ref: '#/components/schemas/ReclamationField' }, 34),
    several('expand', { $ref: '#/components/schemas/ReclamationExpansion' }),
    query('dialect', { $ref: '#/components/schemas/CsvDialect' }),
    { ...query('If-None-Match', { type: 'string' }), in: 'header' },
  ]);
  const order = [
    ...['created_at', 'claim_type', 'amount', 'status', 'tax_year', 'commune_code', 'notice_reference'],
    ...['collection_date', 'deadline_basis', 'claim_deadline', 'submitted_at', 'submitted_amount', 'received_on'],
    ...[
      'response_extended',
      'response_due_at',
      'regularisation_asked_on',
      'regularisation_due_on',
      'decision_date',
      'decision_received_on',
      'court_deadline',
    ],
    ...['instance', 'judgment_notified_on', 'appeal_deadline', 'granted_amount', 'refund_amount', 'refund_interest'],
    ...['status_reason', 'updated_at', 'id', 'client_id', 'client', 'site_id', 'site', 'assignee_id', 'assignee'],
  ].flatMap((field) => [field, `-${field}`]);
  expect(schemas).toMatchObject({
    ReclamationSort: {
      ...{ type: 'string', enum: order },
      'x-enum-varnames': order.map((word) => word.replace(/^-(.*)/, '$1_descending')),
    },
    ReclamationStatus: { enum: expect.arrayContaining(['DRAFT', 'CLOSED']) },
    ClaimType: { enum: ['TF', 'CFE'] },
  });
});

test('the OpenAPI description marks each field that can be null with nullable, and keeps the field’s type', () => {
  expect(placesOf((part) => 'nullable' in part && !('type' in part || 'allOf' in part))).toEqual([]);
  expect(JSON.stringify(document)).toContain('"nullable":true');
});

const operations = (): (Operation & { line: string })[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => ({ ...one, line: `${method.toUpperCase()} ${path}` })),
  );

/** The schemas of the records that callers can create and change. */
const RECORDS = ['User', 'Client', 'Site', 'Cadastre', 'Reclamation', 'Partner', 'Invoice', 'PartnerInvoice'];

test('every parameter and every tag of the OpenAPI description has a sentence', () => {
  const all = operations().flatMap(({ line, parameters = [] }) =>
    parameters.map(({ name, description }) => [`${line} ${name}`, description]),
  );
  expect(all.filter(([, description]) => !/^[A-Z].*\.$/.test(description ?? ''))).toEqual([]);
  const tags = document['tags'] as { name: string; description: string }[];
  expect(tags.filter(({ description }) => !/^[A-Z].*\.$/.test(description))).toEqual([]);
  expect(document['servers']).toEqual([{ url: '/', description: expect.any(String) }]);
});

test('the OpenAPI description lists If-Match, Range and similar headers at exactly the operations that use them', () => {
  const operationsWithHeader = (name: string): string[] =>
    operations()
      .filter(({ parameters = [] }) => parameters.some((one) => one.in === 'header' && one.name === name))
      .map(({ line }) => line);
  const lines = operations().map(({ line }) => line);
  const withoutVersion = /\/(?:calendar|password|reminders)$/;
  expect(operationsWithHeader('If-Match')).toEqual(
    lines.filter((line) => /^(?:PUT|DELETE)/.test(line) && !withoutVersion.test(line)),
  );
  const ofMe = ['GET /api/users/me/rights', 'GET /api/users/me/reminders'];
  const ofCaller = ['GET /api/auth/profile', ...ofMe, 'GET /api/changes'];
  const untagged = ['GET /', 'GET /health', ...ofCaller, 'GET /api/reclamations/{id}/documents.zip'];
  const tagged = lines.filter((line) => line.startsWith('GET') && !untagged.includes(line));
  expect(operationsWithHeader('If-None-Match')).toEqual(tagged);
  expect(operationsWithHeader('Last-Event-ID')).toEqual(['GET /api/changes']);
  for (const name of ['Range', 'If-Range'])
    expect(operationsWithHeader(name)).toEqual(['GET /api/documents/{id}/content']);
  const creations = operations().filter(({ line, responses }) => '201' in responses || /^POST .*\/changes$/.test(line));
  expect(operationsWithHeader('Idempotency-Key')).toEqual(creations.map(({ line }) => line));
});

test('every body, record and enum of the OpenAPI description is a named schema', () => {
  const unnamed = operations().flatMap(({ line, requestBody }) =>
    Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => ('$ref' in schema ? [] : [line])),
  );
  expect(unnamed).toEqual([]);
  const bodies = RECORDS.flatMap((one) => [one, `New${one}`, `${one}Change`]);
  expect(Object.keys(schemas)).toEqual(expect.arrayContaining([...bodies, 'LoginToken', 'DocumentUpload']));
  const choices = placesOf((part) => 'enum' in part && (part.enum as unknown[]).length > 1);
  expect(choices.filter((path) => !/^\/components\/schemas\/\w+$/.test(path))).toEqual([]);
  expect(schemas['Role']).toMatchObject({ type: 'string', enum: PAGE_ROLES });
  expect(schemas['ErrorCode']).toMatchObject({ type: 'string', enum: Object.keys(ERRORS_BY_CODE) });
});

test('no schema of the OpenAPI description has both named properties and typed additionalProperties', () => {
  // From a schema with both kinds of properties, a code generator makes a TypeScript type that does not compile
  // (TS2411), because the type of an optional property includes undefined.
  const isWrong = (part: object) => {
    const { properties, additionalProperties: others = {} } = part as Record<string, object | undefined>;
    return properties !== undefined && Object.keys(others).length > 0;
  };
  expect(placesOf(isWrong)).toEqual([]);
});

test('no two names in the OpenAPI description differ only in letter case, since a generator makes a file of each', () => {
  const names = [
    ...operations().map(({ operationId }) => operationId),
    ...Object.values(document['components'] as Record<string, object>).flatMap((one) => Object.keys(one)),
    ...(document['tags'] as { name: string }[]).map(({ name }) => name),
  ];
  expect(names).toContain('logIn');
  const different = [...new Set(names)].map((name) => name.toLowerCase());
  expect(different.filter((name, index) => different.indexOf(name) !== index)).toEqual([]);
});

test('enum values of the OpenAPI description that differ only in punctuation have different x-enum-varnames', () => {
  const nameOf = (word: unknown): string =>
    String(word)
      .replaceAll(/[^A-Za-z0-9]/g, '')
      .toLowerCase();
  type Choice = { readonly enum: readonly unknown[]; readonly 'x-enum-varnames'?: readonly string[] };
  const choices = Object.entries(schemas as Record<string, Choice>).filter(([, schema]) => 'enum' in schema);
  for (const [name, { enum: words, 'x-enum-varnames': names = words }] of choices) {
    expect([name, names.length]).toEqual([name, words.length]);
    expect([name, new Set(names.map(nameOf)).size]).toEqual([name, words.length]);
  }
  expect(choices.map(([name]) => name)).toContain('ReclamationSort');
});

test('the items of every array parameter in the OpenAPI description have a type', () => {
  const typeless = operations().flatMap(({ line, parameters = [] }) =>
    parameters.flatMap(({ name, schema }) => {
      const { items } = schema as { readonly items?: object };
      return items === undefined || 'type' in (resolved(items) as object) ? [] : [`${line} ${name}`];
    }),
  );
  expect(typeless).toEqual([]);
});

test('a read-only field in the body of a change has the same type in the OpenAPI description as in the record', () => {
  type Fields = Record<string, { readonly readOnly?: boolean; readonly allOf?: readonly object[] }>;
  const fieldsOf = (name: string): Fields => (schemas[name] as { properties: Fields }).properties;
  for (const name of RECORDS) {
    const readOnly = Object.entries(fieldsOf(`${name}Change`)).filter(([, field]) => field.readOnly);
    expect(readOnly.map(([field]) => field)).toEqual(expect.arrayContaining(['id', 'created_at', 'updated_at']));
    for (const [field, schema] of readOnly) {
      const { allOf: [named] = [], ...inRecord } = fieldsOf(name)[field] ?? {};
      const whole = { ...(resolved(named ?? {}) as object), ...inRecord, readOnly: true };
      expect([name, field, schema]).toEqual([name, field, whole]);
    }
  }
});

test('no operation of the OpenAPI description has a parameter of one name in two places', () => {
  const twice = Object.values(paths).flatMap((operations) =>
    Object.values(operations).flatMap(({ operationId, parameters = [] }) => {
      const names = parameters.filter((one) => one.in !== 'header').map(({ name }) => name);
      return new Set(names).size === names.length ? [] : [operationId];
    }),
  );
  expect(twice).toEqual([]);
});

/** The required fields by which a list cannot be sorted: long texts, lists and fields that the service derives. */
const UNSORTED: Record<string, readonly string[]> = {
  '/api/users': ['client_access'],
  '/api/clients': ['nom', 'address'],
  '/api/clients/{clientId}/reclamations': ['response_is_estimate', 'grounds'],
  '/api/sites': ['address'],
  '/api/cadastres': ['address'],
  '/api/reclamations': ['response_is_estimate', 'grounds'],
  '/api/reclamations/{id}/history': ['reason', 'actor'],
  '/api/partners': ['address', 'client_ids'],
  '/api/invoices': ['description', 'vat_exemption_reason', 'buyer_address'],
  '/api/partner-invoices': [],
  '/api/reclamations/{id}/documents': ['file_path', 'sha256'],
  '/api/documents': ['file_path', 'sha256'],
  '/api/tasks': ['text'],
  '/api/reclamations/{id}/notes': ['text'],
};

test('every field of a record that is no long text, no list and not derived sorts the record’s list', () => {
  const sortsOf = ({ parameters = [] }: Operation) =>
    resolved((parameters.find(({ name }) => name === 'sort')?.schema as { items?: object } | undefined)?.items ?? {});
  const unsorted = Object.entries(paths).flatMap(([path, { get }]) => {
    const { enum: sorts } = (get === undefined ? {} : sortsOf(get)) as { enum?: readonly string[] };
    if (sorts === undefined || /audit-logs|identity-changes/.test(path)) return [];
    const { content } = get?.responses['200'] as { content: Record<string, { schema: { items: object } }> };
    const { required } = resolved(content['application/json']?.schema.items ?? {}) as { required: readonly string[] };
    return [[path, required.filter((name) => !sorts.includes(name))] as const];
  });
  expect(Object.fromEntries(unsorted)).toEqual(UNSORTED);
});
