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
    line: z.int().optional().describe('Line of the table; only for imports.'),
    index: z.int().optional().describe('Index of the record in the array, starting at 0.'),
    field: z
      .string()
      .describe(
        'Name of the field, parameter or header; `body`, `path` or `query` if the problem concerns the whole body, path or query (with `line` or `index`: the whole row); … summarises the problems that are not listed.',
      ),
    code: labelledEnum(
      'ProblemCode',
      'Code of a problem. The labels have the names of `params` in braces.',
      collectProblemLabels(),
    ),
    params: problemParams,
    message: z.string().describe('Message, as in `details`.'),
  })
  .meta({ id: 'Problem', 'x-said': { code: 'Code of the broken rule.', params: 'Values in the message.' } });

const problemListSchema = z.array(problemSchema).describe('The problems in `details`, with codes for programs.');

const errorSchema = z.strictObject({
  code: labelledEnum(
    'ErrorCode',
    'Code of an error.',
    Object.fromEntries(Object.entries(ERRORS_BY_CODE).map(([code, { fr, en }]) => [code, [fr, en]] as const)),
  ),
  message: z.string().describe('Message for a person.'),
  details: z.record(z.string(), z.string()).describe('Message for each invalid field, for a person.').optional(),
  problems: problemListSchema.optional(),
  timestamp: z.iso.datetime().describe('Time of the response, in UTC.'),
  requestId: z.guid().describe('`X-Request-Id` of the response, as in the log.'),
});

const conflictDetailsSchema = z.record(z.string(), z.string()).meta({
  minProperties: 1,
  description:
    'Reason of the conflict for each field, for a person. `existing_id` is the id of the record that already exists, if the caller may see it.',
});

function createEnvelopeSchema(id: string, of: z.ZodObject): z.ZodObject {
  const error = of.meta({ description: 'Error.', 'x-said': { code: 'Code of the error.' } });
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
