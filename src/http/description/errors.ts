import type { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import { ERRORS_BY_CODE, type ErrorCode } from '../../errors.ts';
import { collectProblemLabels, problemParams } from '../../problems.ts';
import { acceptsIfMatch, createsRecord } from '../endpoint.ts';
import { labelledEnum } from '../fields.ts';
import { describeHeaders, determineErrorHeaders } from './headers.ts';
import { servesContent, isRateLimited, type AnyEndpoint } from './responses.ts';

const problemSchema = z
  .strictObject({
    line: z.int().optional().describe('Of an import: the line of the table.'),
    index: z.int().optional().describe('The place of the record in the array, from 0.'),
    field: z
      .string()
      .describe(
        'The field, parameter or header; `body`, `path` or `query` for the whole of it, with line or index for the whole row, and … for all that are not listed.',
      ),
    code: labelledEnum('ProblemCode', 'What is wrong, with the values of params in braces.', collectProblemLabels()),
    params: problemParams,
    message: z.string().describe('The sentence that stands in details.'),
  })
  .meta({ id: 'Problem', 'x-said': { code: 'The rule that is broken.', params: 'The values in the message.' } });

const problemListSchema = z.array(problemSchema).describe('The same as details, for programs.');

const errorSchema = z.strictObject({
  code: labelledEnum(
    'ErrorCode',
    'What went wrong, for programs.',
    Object.fromEntries(Object.entries(ERRORS_BY_CODE).map(([code, { fr, en }]) => [code, [fr, en]] as const)),
  ),
  message: z.string().describe('The same in a sentence, for a person.'),
  details: z
    .record(z.string(), z.string())
    .describe('What is wrong with which field, in words for a person.')
    .optional(),
  problems: problemListSchema.optional(),
  timestamp: z.iso.datetime().describe('Time of the answer, in UTC.'),
  requestId: z.guid().describe('X-Request-Id of the answer, which finds the request in the log.'),
});

const conflictDetailsSchema = z.record(z.string(), z.string()).meta({
  minProperties: 1,
  description:
    'Why not, by field, in words for a person; under `existing_id` the id of the record that exists already, where the caller may see it.',
});

function createEnvelopeSchema(id: string, of: z.ZodObject): z.ZodObject {
  const error = of.meta({ description: 'What went wrong.', 'x-said': { code: 'The kind of the error.' } });
  return z.strictObject({ error }).meta({ id });
}

export const errorEnvelopeSchema = createEnvelopeSchema('ErrorEnvelope', errorSchema);
export const conflictEnvelopeSchema = createEnvelopeSchema(
  'ConflictEnvelope',
  errorSchema.extend({ details: conflictDetailsSchema, problems: problemListSchema.min(1) }),
);

type ReferenceObject = Readonly<{ $ref: string }>;

export type ErrorResponses = (endpoint: AnyEndpoint) => Readonly<Record<string, ReferenceObject>>;

export function createErrorResponses(registry: OpenAPIRegistry): ErrorResponses {
  const responses = new Map<string, ReferenceObject>();
  const register = (code: ErrorCode, endpoint: AnyEndpoint): ReferenceObject => {
    const isCounted = isRateLimited(endpoint);
    const isRepeatable = code === 'ERROR_CONFLICT' && createsRecord(endpoint);
    const name = buildComponentName(code) + (isRepeatable ? 'OrUnderWay' : '') + (isCounted ? '' : 'OfProbe');
    const schema = code === 'ERROR_CONFLICT' ? 'ConflictEnvelope' : 'ErrorEnvelope';
    const reference =
      responses.get(name) ??
      registry.registerComponent('responses', name, {
        description: ERRORS_BY_CODE[code].en,
        headers: describeHeaders(determineErrorHeaders(code, isCounted, isRepeatable)),
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
      }).ref;
    responses.set(name, reference);
    return reference;
  };
  return (endpoint) =>
    Object.fromEntries(
      determineErrorCodes(endpoint).map((code) => [ERRORS_BY_CODE[code].status, register(code, endpoint)] as const),
    );
}

function buildComponentName(code: ErrorCode): string {
  return code
    .replace('ERROR', '')
    .toLowerCase()
    .replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());
}

function determineErrorCodes(endpoint: AnyEndpoint): ErrorCode[] {
  const codes: ErrorCode[] = ['ERROR_VALIDATION', 'ERROR_URI_TOO_LONG', 'ERROR_HEADERS_TOO_LARGE'];
  codes.push('ERROR_INTERNAL', 'ERROR_UNAVAILABLE');
  if (endpoint.roles !== 'public') codes.push('ERROR_UNAUTHORIZED', 'ERROR_FORBIDDEN');
  if (isRateLimited(endpoint)) codes.push('ERROR_RATE_LIMITED');
  if (endpoint.params !== undefined || (endpoint.method !== 'get' && endpoint.references !== undefined))
    codes.push('ERROR_NOT_FOUND');
  if (createsRecord(endpoint)) codes.push('ERROR_NOT_FOUND');
  if (endpoint.method !== 'get') codes.push('ERROR_UNAUTHORIZED', 'ERROR_CONFLICT');
  if (acceptsIfMatch(endpoint) || endpoint.isRepeatable) codes.push('ERROR_PRECONDITION_FAILED');
  if (servesContent(endpoint)) codes.push('ERROR_RANGE_NOT_SATISFIABLE');
  if (endpoint.body !== undefined || endpoint.rows !== undefined || endpoint.form !== undefined)
    codes.push('ERROR_PAYLOAD_TOO_LARGE', 'ERROR_REQUEST_TIMEOUT', 'ERROR_UNSUPPORTED_MEDIA_TYPE');
  return codes;
}
