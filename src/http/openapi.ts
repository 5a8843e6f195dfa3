import { OpenAPIRegistry, OpenApiGeneratorV3 } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import { ERRORS } from '../errors.ts';
import type { ErrorCode } from '../errors.ts';
import { creates } from './endpoint.ts';
import type { Endpoint, PublicEndpoint, Responses } from './endpoint.ts';
import { bytes } from './fields.ts';
import { LONGEST_KEY } from './idempotency-key.ts';

type Document = ReturnType<OpenApiGeneratorV3['generateDocument']>;
type Route = Parameters<OpenAPIRegistry['registerPath']>[0];

const errorEnvelope = z
  .strictObject({
    error: z.strictObject({
      code: z.string(),
      message: z.string(),
      details: z.looseObject({}).optional(),
      timestamp: z.iso.datetime(),
      requestId: z.string(),
    }),
  })
  .meta({ id: 'Error' });

const SUCCESSES: Readonly<Record<string, string>> = {
  200: 'Success.',
  201: 'Created; Location is its address.',
  204: 'Done; there is nothing to say of it.',
  206: 'A part of the content.',
};

const ifMatch = z.object({
  'If-Match': z
    .string()
    .optional()
    .meta({ description: 'Refuses with 412 when the record has changed since it had this ETag.' }),
});

const idempotencyKey = z.object({
  'Idempotency-Key': z
    .string()
    .optional()
    .meta({
      description: `A new one for each record that is to be made, 1 to ${LONGEST_KEY} printable characters, such as a UUID. For 24 hours the same caller's same request, byte by byte, gets the same answer and makes nothing again; another one is a conflict (409), and so is one while the first is under way (409 with Retry-After).`,
    }),
});

/** The OpenAPI document of these endpoints. */
export function describeInterface(endpoints: readonly (Endpoint | PublicEndpoint)[]): Document {
  const registry = new OpenAPIRegistry();
  registry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
  });
  for (const endpoint of endpoints) registry.registerPath(routeOf(endpoint));
  const document = new OpenApiGeneratorV3(registry.definitions).generateDocument({
    openapi: '3.0.3',
    info: { title: 'Tax claim management', version: '1.0.0' },
    security: [{ bearer: [] }],
    tags: [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({ name })),
  });
  return JSON.parse(JSON.stringify(document), mendNullable) as Document;
}

/**
 * OpenAPI 3.0 knows `nullable` beside a `type` alone. The generator also writes it as one more alternative, which then
 * allows anything, and beside nothing, where anything is allowed already.
 */
function mendNullable(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('anyOf' in value && Array.isArray(value.anyOf)) {
    const typed = (value.anyOf as object[]).filter((one) => Object.keys(one).length > 0);
    const isNullable = typed.length < value.anyOf.length;
    return { ...value, anyOf: isNullable ? typed.map((one) => ({ ...one, nullable: true })) : typed };
  }
  if ('nullable' in value && !('type' in value || 'allOf' in value)) {
    return Object.fromEntries(Object.entries(value).filter(([key]) => key !== 'nullable'));
  }
  return value;
}

function routeOf(endpoint: Endpoint | PublicEndpoint): Route {
  const { method, path, summary, tag, params, query, body, form, roles } = endpoint;
  const responses = responsesOf(endpoint);
  return {
    method,
    path,
    summary,
    tags: [tag],
    ...(roles === 'public' ? { security: [] } : { description: `Roles: ${roles.join(', ')}.` }),
    request: {
      ...(params && { params }),
      ...(query && { query }),
      ...(body && { body: { required: true, content: { 'application/json': { schema: body } } } }),
      ...(form && { body: { required: true, content: { 'multipart/form-data': { schema: form } } } }),
      ...(isConditional(endpoint) && { headers: [ifMatch] }),
      ...(creates(endpoint) && { headers: [idempotencyKey] }),
    },
    responses: {
      ...Object.fromEntries(Object.entries(responses).map(([status, schema]) => success(status, schema))),
      ...(hasVersions(endpoint) && { 304: { description: 'The caller has this version.' } }),
      ...Object.fromEntries(errorsOf(endpoint).map(errorResponse)),
    },
  };
}

/** What the kind of an endpoint answers with, unless it says so itself. */
function responsesOf(endpoint: Endpoint | PublicEndpoint): Responses {
  const schema = endpoint.of?.schema ?? null;
  if (endpoint.responses !== undefined) return endpoint.responses;
  if ('list' in endpoint) return { 200: z.array(endpoint.of.schema) };
  if ('create' in endpoint) return { 201: schema };
  return 'remove' in endpoint ? { 204: null } : { 200: schema };
}

function success(status: string, schema: z.ZodType | null): [string, Route['responses'][string]] {
  const description = SUCCESSES[status] ?? 'Success.';
  return [
    status,
    schema === null ? { description } : { description, content: { [mediaTypeOf(schema)]: { schema } } },
  ];
}

/** A record by its id, or a content. */
function hasVersions(endpoint: Endpoint | PublicEndpoint): boolean {
  return 'read' in endpoint || 206 in responsesOf(endpoint);
}

/** A content may be of any type that a document may have. */
function mediaTypeOf(schema: z.ZodType): string {
  return schema === bytes ? '*/*' : 'application/json';
}

/** A change or a deletion that can be bound to the version that the caller has read. */
function isConditional(endpoint: Endpoint | PublicEndpoint): boolean {
  return endpoint.method === 'put' || endpoint.method === 'delete';
}

function errorResponse(code: ErrorCode): [number, Route['responses'][string]] {
  const { status, message } = ERRORS[code];
  return [status, { description: message, content: { 'application/json': { schema: errorEnvelope } } }];
}

/** The errors that an endpoint can answer with, by what it takes. */
function errorsOf(endpoint: Endpoint | PublicEndpoint): ErrorCode[] {
  const errors: ErrorCode[] = ['ERROR_VALIDATION', 'ERROR_URI_TOO_LONG', 'ERROR_HEADERS_TOO_LARGE'];
  errors.push('ERROR_INTERNAL', 'ERROR_UNAVAILABLE');
  if (endpoint.roles !== 'public') errors.push('ERROR_UNAUTHORIZED', 'ERROR_FORBIDDEN', 'ERROR_RATE_LIMITED');
  if (endpoint.params !== undefined || (endpoint.method !== 'get' && endpoint.references !== undefined))
    errors.push('ERROR_NOT_FOUND');
  // A repeated request whose record is gone.
  if (creates(endpoint)) errors.push('ERROR_NOT_FOUND');
  if (endpoint.method !== 'get') errors.push('ERROR_UNAUTHORIZED', 'ERROR_RATE_LIMITED', 'ERROR_CONFLICT');
  if (isConditional(endpoint)) errors.push('ERROR_PRECONDITION_FAILED');
  if (206 in responsesOf(endpoint)) errors.push('ERROR_RANGE_NOT_SATISFIABLE');
  if (endpoint.body !== undefined || endpoint.form !== undefined)
    errors.push('ERROR_PAYLOAD_TOO_LARGE', 'ERROR_REQUEST_TIMEOUT', 'ERROR_UNSUPPORTED_MEDIA_TYPE');
  return errors;
}
