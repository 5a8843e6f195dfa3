import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { validate } from '@readme/openapi-parser';
import { startService } from '../support/service.ts';
import type { Service } from '../support/service.ts';

let service: Service;
let document: Record<string, unknown>;

beforeAll(async () => {
  service = await startService();
  const answer = await service.ask('GET /api-json', { token: await service.token('CLIENT') });
  document = answer.json as Record<string, unknown>;
});
afterAll(() => service.close());

test('the description is valid OpenAPI 3.0 of version 1.0.0', async () => {
  expect(document).toMatchObject({ openapi: expect.stringMatching(/^3\.0\./), info: { version: '1.0.0' } });
  const result = await validate(structuredClone(document) as unknown as string);
  expect(result).toMatchObject({ valid: true });
});

test('the bearer token is asked for on every path but those that are public', () => {
  expect(document).toMatchObject({
    security: [{ bearer: [] }],
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
  });
  const paths = document['paths'] as Record<string, Record<string, { security?: unknown[] }>>;
  const open = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { security }]) =>
      security === undefined ? [] : `${method} ${path}`,
    ),
  );
  expect(open.toSorted()).toEqual(['get /', 'get /health', 'post /api/auth/login']);
});

test('no schema is without a type', () => {
  const typeless: string[] = [];
  const look = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    if (path.endsWith('/schema') && !('type' in value) && !('$ref' in value)) typeless.push(path);
    for (const [key, inner] of Object.entries(value)) look(inner, `${path}/${key}`);
  };
  look(document, '');
  expect(typeless).toEqual([]);
});

test('a list describes what its parameters may be', () => {
  const paths = document['paths'] as Record<string, Record<string, { parameters: unknown[] }>>;
  const parameters = paths['/api/clients/{clientId}/reclamations']?.['get']?.parameters;
  const query = (name: string, schema: { description?: unknown; [rule: string]: unknown }) => ({
    ...{ in: 'query', name, required: false, schema },
    ...('description' in schema && { description: schema.description }),
  });
  const order = ['created_at', 'updated_at', 'amount', 'status'].flatMap((field) => [field, `-${field}`]);
  expect(parameters).toEqual([
    { in: 'path', name: 'clientId', required: true, schema: { type: 'string', format: 'uuid' } },
    query('limit', { type: 'integer', minimum: 1, maximum: 1000, default: 1000 }),
    query('offset', { type: 'integer', minimum: 0, maximum: 2147483647, default: 0 }),
    query('after', { type: 'string' }),
    query('count', { type: 'string', enum: ['exact'] }),
    query('created_from', { type: 'string', format: 'date-time' }),
    query('created_to', { type: 'string', format: 'date-time' }),
    query('updated_from', { type: 'string', format: 'date-time', description: expect.any(String) }),
    query('updated_to', { type: 'string', format: 'date-time' }),
    query('sort', {
      ...{ type: 'string', enum: order, default: '-created_at' },
      description: expect.stringContaining('misses records that change meanwhile'),
    }),
    query('site_id', { type: 'string', format: 'uuid' }),
    query('status', { type: 'string', enum: expect.arrayContaining(['DRAFT', 'CLOSED']) }),
    query('claim_type', { type: 'string', enum: ['TF', 'CFE'] }),
    query('q', { type: 'string', maxLength: 200 }),
  ]);
});

test('a field that may be null says so beside its type, never as one more alternative', () => {
  const wrong: string[] = [];
  const look = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('nullable' in value && !('type' in value || 'allOf' in value)) wrong.push(path);
    for (const [key, inner] of Object.entries(value)) look(inner, `${path}/${key}`);
  };
  look(document, '');
  expect(wrong).toEqual([]);
  expect(JSON.stringify(document)).toContain('"nullable":true');
});
