import type { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import { IDEMPOTENCY_KEY_CHARACTERS, MAX_BODY_ROWS } from '../../limits.ts';
import { formatProblemText } from '../../problems.ts';
import { acceptsIfMatch, createsRecord } from '../endpoint.ts';
import { describeParameter } from '../fields.ts';
import type { ErrorResponses } from './errors.ts';
import { toSpacedWords, buildOperationId, buildRecordName } from './names.ts';
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
      roles === 'public' ? 'Needs no token.' : `Roles: ${roles.join(', ')}.`,
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

function describeConstraintRules({ constraints = {} }: AnyEndpoint): string[] {
  const rules = Object.values(constraints).flatMap((one) =>
    Object.entries(one).map(([name, rule]) => `\`${name}\` ${formatProblemText(rule)}`),
  );
  return rules.length === 0 ? [] : [`Rules: ${[...new Set(rules)].join('; ')}.`];
}

const csvTableSchema = z.string().meta({
  id: 'CsvTable',
  description: `UTF-8, with a byte order mark or without; commas, semicolons or tabs. Also as application/vnd.ms-excel or without a type, and in Windows-1252 with charset=windows-1252 or iso-8859-1. The first row has the names of the fields, in any order; at most ${MAX_BODY_ROWS} follow. An empty cell says nothing of its field, an apostrophe before what would be a formula, also behind a separator or a line break in a cell, is taken off. Amounts may have a decimal comma, dates may be 31/12/2026, and times 31/12/2026 23:59:59 by the clock in Paris; where commas or tabs stand between cells, a date is refused that could have the month first.`,
});

function buildCsvMediaType(rows: z.ZodType) {
  const records = rows.meta()?.['example'] as readonly object[];
  return { schema: csvTableSchema, example: stringify([...records], { header: true }) };
}

function headerParameters(endpoint: AnyEndpoint): z.ZodObject | undefined {
  const headers = {
    ...(acceptsIfMatch(endpoint) && {
      'If-Match': 'Refuses with 412 when the record has changed since it had this ETag.',
    }),
    ...(mayAnswerNotModified(endpoint) && {
      'If-None-Match': 'Answers 304, without a body, while the ETag is this one still.',
    }),
    ...(servesContent(endpoint) && {
      Range: 'Asks for a part of the content: bytes=0-1023, bytes=1024- or bytes=-1024.',
      'If-Range': 'Gives the part only while the ETag is this one still, and otherwise the whole.',
    }),
    ...(endpoint.events && { 'Last-Event-ID': 'Of a stream: the place that it had reached, in place of after.' }),
    ...(createsRecord(endpoint) && {
      'Idempotency-Key': `A new one for each record that is to be made, 1 to ${IDEMPOTENCY_KEY_CHARACTERS} printable characters, such as a UUID. For 24 hours the same caller's same request (of a form its fields and its file) gets the same answer and makes nothing again; another one is a conflict (409), and so is one while the first is under way (409 with Retry-After).`,
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
    const param = { description: `The id of the ${toSpacedWords(record)}.`, example: ids.get(record) };
    return [placeholder, rule.meta({ param })] as const;
  });
  return z.object(Object.fromEntries(described));
}
