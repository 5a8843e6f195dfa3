import type { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import { IDEMPOTENCY_KEY_CHARACTERS, MAX_BODY_ROWS } from '../../limits.ts';
import { acceptsIfMatch, createsRecord } from '../endpoint.ts';
import { describeParameter } from '../fields.ts';
import type { ErrorResponses } from './errors.ts';
import { toSpacedWords, buildOperationId, buildRecordName } from './names.ts';
import { describeConstraintRules } from './rules.ts';
import { mayAnswerNotModified, servesContent, describeSuccesses, type AnyEndpoint } from './responses.ts';

type ExampleIds = ReadonlyMap<string, string>;

export function describeOperation(
  endpoint: AnyEndpoint,
  ids: ExampleIds,
  errors: ErrorResponses,
): Parameters<OpenAPIRegistry['registerPath']>[0] {
  const { method, path, summary, tag, query, body, rows, form, roles } = endpoint;
  const params = pathParameters(endpoint, ids);
  const headers = headerParameters(endpoint);
  return {
    method,
    path,
    operationId: buildOperationId(endpoint),
    summary,
    tags: [tag],
    ...(roles === 'public' && { security: [] }),
    description: [
      roles === 'public' ? 'No token required.' : `Roles: ${roles.join(', ')}.`,
      ...describeConstraintRules(endpoint),
    ].join(' '),
    request: {
      ...(params && { params }),
      ...(query && { query }),
      ...(body && { body: { required: true, content: { 'application/json': { schema: body } } } }),
      ...(rows && {
        body: {
          required: true,
          content: { 'application/json': { schema: rows }, 'text/csv': buildCsvMediaType(rows) },
        },
      }),
      ...(form && { body: { required: true, content: { 'multipart/form-data': { schema: form } } } }),
      ...(headers && { headers }),
    },
    responses: { ...describeSuccesses(endpoint), ...errors(endpoint) },
  };
}

const csvTableSchema = z.string().meta({
  id: 'CsvTable',
  description: `UTF-8, with or without a byte order mark, separated by commas, semicolons or tabs; also with the media type application/vnd.ms-excel or without one, and in Windows-1252 with charset=windows-1252 or iso-8859-1. The first row contains the field names, in any order, followed by at most ${MAX_BODY_ROWS} rows. A field with an empty cell counts as not given. An apostrophe that keeps a spreadsheet from starting a formula is removed, also after a separator or a line break within a cell. Amounts may have a decimal comma; dates may be written as 31/12/2026, and times as 31/12/2026 23:59:59, the time in Paris. With commas or tabs, a date that could also have the month first is refused.`,
});

function buildCsvMediaType(rows: z.ZodType) {
  const records = rows.meta()?.['example'] as readonly object[];
  return { schema: csvTableSchema, example: stringify([...records], { header: true }) };
}

function headerParameters(endpoint: AnyEndpoint): z.ZodObject | undefined {
  const headers = {
    ...(acceptsIfMatch(endpoint) && {
      'If-Match': 'Returns 412 if the record no longer has this ETag.',
    }),
    ...(mayAnswerNotModified(endpoint) && {
      'If-None-Match': 'Returns 304 if the ETag still matches.',
    }),
    ...(servesContent(endpoint) && {
      Range: 'Part of the content to return: `bytes=0-1023`, `bytes=1024-` or `bytes=-1024`.',
      'If-Range': 'Returns the requested range only if the ETag still matches, otherwise the whole content.',
    }),
    ...(endpoint.events && { 'Last-Event-ID': 'For a stream: position at which to resume, instead of `after`.' }),
    ...(createsRecord(endpoint) && {
      'Idempotency-Key': `A new key for each record to create, 1 to ${IDEMPOTENCY_KEY_CHARACTERS} printable ASCII characters, such as a UUID. For 24 hours, the same request of the same caller (including the fields and the file of a form) returns the same response and creates nothing again. A different request with the same key returns 409; while the first request is still running, 409 with \`Retry-After\`.`,
    }),
  };
  const parameters = Object.entries(headers).map(
    ([name, sentence]) => [name, describeParameter(z.string(), sentence).optional()] as const,
  );
  return parameters.length === 0 ? undefined : z.object(Object.fromEntries(parameters));
}

function pathParameters({ params, path }: AnyEndpoint, ids: ExampleIds): z.ZodObject | undefined {
  if (params === undefined) return undefined;
  const described = Object.entries(params.shape as Record<string, z.ZodType>).map(([placeholder, rule]) => {
    if (rule.meta()?.['param'] !== undefined) return [placeholder, rule] as const;
    const record = buildRecordName(path, placeholder);
    const param = { description: `Id of the ${toSpacedWords(record)}.`, example: ids.get(record) };
    return [placeholder, rule.meta({ param })] as const;
  });
  return z.object(Object.fromEntries(described));
}
