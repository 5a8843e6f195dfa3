import type { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../../errors.ts';
import { creates } from '../endpoint.ts';
import { headersOf, sentWithError } from './headers.ts';
import { isConditional, isContent, isCounted, type AnyEndpoint } from './responses.ts';

const errorCode = z.enum(Object.keys(ERRORS)).meta({ id: 'ErrorCode' });

const details = z
  .record(z.string(), z.string())
  .meta({ description: 'What is wrong with which field, in words for a person.' });

const error = z.strictObject({
  code: errorCode,
  message: z.string(),
  details: details.optional(),
  timestamp: z.iso.datetime(),
  requestId: z.guid(),
});

export const errorEnvelope = z.strictObject({ error }).meta({ id: 'ErrorEnvelope' });

export const conflictEnvelope = z
  .strictObject({
    error: error.extend({
      details: z.record(z.string(), z.string()).meta({
        minProperties: 1,
        description:
          'Why not, by field, in words for a person; under `existing_id` the id of the record that exists already, where the caller may see it.',
      }),
    }),
  })
  .meta({ id: 'ConflictEnvelope' });

type Reference = Readonly<{ $ref: string }>;

export type ErrorResponses = (endpoint: AnyEndpoint) => Readonly<Record<string, Reference>>;

export function errorResponses(registry: OpenAPIRegistry): ErrorResponses {
  const known = new Map<string, Reference>();
  const referenceTo = (code: ErrorCode, endpoint: AnyEndpoint): Reference => {
    const isRepeatable = code === 'ERROR_CONFLICT' && creates(endpoint);
    const name = nameOf(code) + (isRepeatable ? 'OrUnderWay' : '') + (isCounted(endpoint) ? '' : 'OfProbe');
    const schema = code === 'ERROR_CONFLICT' ? 'ConflictEnvelope' : 'ErrorEnvelope';
    const reference =
      known.get(name) ??
      registry.registerComponent('responses', name, {
        description: ERRORS[code].message,
        headers: headersOf(sentWithError(code, isCounted(endpoint), isRepeatable)),
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
      }).ref;
    known.set(name, reference);
    return reference;
  };
  return (endpoint) =>
    Object.fromEntries(
      errorsOf(endpoint).map((code) => [ERRORS[code].status, referenceTo(code, endpoint)] as const),
    );
}

function nameOf(code: ErrorCode): string {
  const words = code.replace('ERROR', '').toLowerCase();
  return words.replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());
}

function errorsOf(endpoint: AnyEndpoint): ErrorCode[] {
  const errors: ErrorCode[] = ['ERROR_VALIDATION', 'ERROR_URI_TOO_LONG', 'ERROR_HEADERS_TOO_LARGE'];
  errors.push('ERROR_INTERNAL', 'ERROR_UNAVAILABLE');
  if (endpoint.roles !== 'public') errors.push('ERROR_UNAUTHORIZED', 'ERROR_FORBIDDEN', 'ERROR_RATE_LIMITED');
  if (endpoint.params !== undefined || (endpoint.method !== 'get' && endpoint.references !== undefined))
    errors.push('ERROR_NOT_FOUND');
  if (creates(endpoint)) errors.push('ERROR_NOT_FOUND');
  if (endpoint.method !== 'get') errors.push('ERROR_UNAUTHORIZED', 'ERROR_RATE_LIMITED', 'ERROR_CONFLICT');
  if (isConditional(endpoint)) errors.push('ERROR_PRECONDITION_FAILED');
  if (isContent(endpoint)) errors.push('ERROR_RANGE_NOT_SATISFIABLE');
  if (endpoint.body !== undefined || endpoint.rows !== undefined || endpoint.form !== undefined)
    errors.push('ERROR_PAYLOAD_TOO_LARGE', 'ERROR_REQUEST_TIMEOUT', 'ERROR_UNSUPPORTED_MEDIA_TYPE');
  return errors;
}
