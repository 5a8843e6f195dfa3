import type { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import { creates } from '../endpoint.ts';
import type { Endpoint, PublicEndpoint } from '../endpoint.ts';
import type { ErrorResponses } from './errors.ts';
import { ROWS } from '../../limits.ts';
import { operationIdOf } from './names.ts';
import { headerParameters, pathParameters } from './parameters.ts';
import type { ExampleIds, RequestHeader } from './parameters.ts';
import { hasVersions, isConditional, isContent, successesOf } from './responses.ts';

type Operation = Parameters<OpenAPIRegistry['registerPath']>[0];

/** What the description says of an endpoint. */
export function operation(
  endpoint: Endpoint | PublicEndpoint,
  ids: ExampleIds,
  errors: ErrorResponses,
): Operation {
  const { method, path, summary, tag, query, body, rows, form, roles } = endpoint;
  const params = pathParameters(endpoint, ids);
  const heard = requestHeaders(endpoint);
  return {
    ...{ method, path, operationId: operationIdOf(endpoint), summary, tags: [tag] },
    ...(roles === 'public' && { security: [] }),
    description: [
      roles === 'public' ? 'Needs no token.' : `Roles: ${roles.join(', ')}.`,
      ...rulesOf(endpoint),
    ].join(' '),
    request: {
      ...(params && { params }),
      ...(query && { query }),
      ...(body && { body: { required: true, content: { 'application/json': { schema: body } } } }),
      ...(rows && { body: manyOf(rows) }),
      ...(form && { body: { required: true, content: { 'multipart/form-data': { schema: form } } } }),
      ...(heard.length > 0 && { headers: headerParameters(heard) }),
    },
    responses: { ...successesOf(endpoint), ...errors(endpoint) },
  };
}

/** What is refused although each field by itself is as its schema says: a sentence, if anything is. */
function rulesOf({ constraints = {} }: Endpoint | PublicEndpoint): string[] {
  const rules = Object.values(constraints).flatMap((one) =>
    Object.entries(one).map(([name, rule]) => `\`${name}\` ${rule}`),
  );
  return rules.length === 0 ? [] : [`Rules: ${[...new Set(rules)].join('; ')}.`];
}

/** Many records at once, as an array or as a table. */
function manyOf(rows: z.ZodType) {
  return {
    required: true,
    content: { 'application/json': { schema: rows }, 'text/csv': { schema: csvTable } },
  };
}

const csvTable = z.string().meta({
  id: 'CsvTable',
  description: `UTF-8, with a byte order mark or without; commas or semicolons. The first row has the names of the fields, in any order; at most ${ROWS} follow. An empty cell says nothing of its field, an apostrophe before what would be a formula, also behind a separator or a line break in a cell, is taken off. Where semicolons stand between cells, amounts may have a decimal comma and dates may be 31/12/2026.`,
});

/** The headers that change what an endpoint does. */
function requestHeaders(endpoint: Endpoint | PublicEndpoint): readonly RequestHeader[] {
  return [
    ...(isConditional(endpoint) ? (['If-Match'] as const) : []),
    ...(hasVersions(endpoint) ? (['If-None-Match'] as const) : []),
    ...(isContent(endpoint) ? (['Range', 'If-Range'] as const) : []),
    ...(creates(endpoint) ? (['Idempotency-Key'] as const) : []),
  ];
}
