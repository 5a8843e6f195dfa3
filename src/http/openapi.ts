import { OpenAPIRegistry, OpenApiGeneratorV3 } from '@asteasolutions/zod-to-openapi';
import type { ColumnComments } from '../db/comments.ts';
import { conflictEnvelopeSchema, errorEnvelopeSchema, createErrorResponses } from './description/errors.ts';
import { HEADER_DESCRIPTIONS } from './description/headers.ts';
import { describeFields } from './description/described-fields.ts';
import { describeOperation } from './description/operation.ts';
import type { Endpoint, PublicEndpoint } from './endpoint.ts';

type OpenApiDocument = ReturnType<OpenApiGeneratorV3['generateDocument']>;

/** The version of the HTTP interface, fixed by the project's specification; releases have other version numbers. */
const INTERFACE_VERSION = '1.0.0';

const API_DESCRIPTION = `Claims against property tax (TF) and business property tax (CFE) for many clients. The data of each client is kept apart.

A request needs an access token of the identity provider (\`Authorization: Bearer …\`) with the claims \`role\` and \`client_access\`. The caller can access only the records of these clients. A record of another client returns 403, a missing record 404.

A list is a JSON array, a record is a JSON object. \`PUT\` changes the fields in the body and keeps the other fields. A caller may send back a whole record with \`PUT\`: the service ignores read-only fields. A creation with a read-only field returns 400. Every path with \`GET\` also supports \`HEAD\`. Other methods return 405, with the header \`Allow\`. A request body may be compressed (\`Content-Encoding\`: gzip, deflate or br).

Every operation returns 400 for an unknown parameter or field, for a repeated parameter, for text with NUL or unpaired surrogates, for a time that is not RFC 3339 with an offset, for a leap second, for a body that is not JSON in UTF-8, and for a number of more than 15 digits.

Every error has the same envelope, \`{ "error": { code, message, details, problems, timestamp, requestId } }\`. \`code\` is for programs. \`details\` has a message for each invalid field. \`problems\` has the same problems with codes from a closed list. \`requestId\` identifies the request in the log. \`Accept-Language\` selects English or French for \`message\` and \`details\`; \`Content-Language\` names the selected language.`;

export function describeInterface(
  endpoints: readonly (Endpoint | PublicEndpoint)[],
  tags: Readonly<Record<string, string>>,
  commentOf: ColumnComments,
): OpenApiDocument {
  const registry = new OpenAPIRegistry();
  registry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'Access token of the identity provider.',
  });
  for (const [name, header] of Object.entries(HEADER_DESCRIPTIONS)) {
    registry.registerComponent('headers', name, { required: true, ...header });
  }
  const ids = new Map(
    endpoints.flatMap(({ of }) => (of?.exampleId === undefined ? [] : [[of.name, of.exampleId] as const])),
  );
  const errors = createErrorResponses(registry);
  for (const endpoint of endpoints) registry.registerPath(describeOperation(endpoint, ids, errors));
  const document = new OpenApiGeneratorV3([
    ...registry.definitions,
    { type: 'schema', schema: errorEnvelopeSchema },
    { type: 'schema', schema: conflictEnvelopeSchema },
  ]).generateDocument({
    openapi: '3.0.3',
    info: { title: 'Tax claim management', version: INTERFACE_VERSION, description: API_DESCRIPTION },
    servers: [{ url: '/', description: 'The server from which this description was loaded.' }],
    security: [{ bearer: [] }],
    tags: [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({ name, description: tags[name] ?? '' })),
  });
  return JSON.parse(JSON.stringify(document), (_key, value: unknown) =>
    typeof value === 'object' && value !== null ? describeFields(correctNullableSchema(value), commentOf) : value,
  ) as OpenApiDocument;
}

/** The French and English labels of each named enum, for GET /api/words. */
export function collectEnumLabels({ components }: OpenApiDocument): Readonly<Record<string, object>> {
  const entries = Object.entries(components?.schemas ?? {}) as [string, { 'x-enum-labels'?: object }][];
  return Object.fromEntries(
    entries.flatMap(([name, { 'x-enum-labels': labels }]) => (labels === undefined ? [] : [[name, labels]])),
  );
}

/** Corrects `nullable`, which OpenAPI 3.0 allows only beside a `type`. */
function correctNullableSchema(value: object): object {
  if ('anyOf' in value && Array.isArray(value.anyOf)) {
    const schemas = (value.anyOf as object[]).filter((one) => Object.keys(one).length > 0);
    const isNullable = schemas.length < value.anyOf.length;
    return { ...value, anyOf: isNullable ? schemas.map((one) => ({ ...one, nullable: true })) : schemas };
  }
  if ('nullable' in value && (value.nullable === false || !('type' in value || 'allOf' in value))) {
    return Object.fromEntries(Object.entries(value).filter(([key]) => key !== 'nullable'));
  }
  return value;
}
