import { z } from 'zod';
import { creates } from '../endpoint.ts';
import type { Endpoint, PublicEndpoint, RecordShape, Responses } from '../endpoint.ts';
import { bytes } from '../fields.ts';
import { everySent, headersOf } from './headers.ts';
import type { HeaderName, Sent } from './headers.ts';

const SUCCESSES: Readonly<Record<string, string>> = {
  200: 'Success.',
  201: 'Created; Location is its address.',
  204: 'Done; there is nothing to say of it.',
  206: 'A part of the content.',
};

type Body = z.ZodType | null;

interface Response {
  readonly description: string;
  readonly headers: ReturnType<typeof headersOf>;
  readonly content?: Record<string, { readonly schema: z.ZodType }>;
}

/** The successes of an endpoint, by status, and 304 where it knows versions. */
export function successesOf(endpoint: Endpoint | PublicEndpoint): Record<string, Response> {
  const successes = Object.entries(responsesOf(endpoint)).map(([status, of]) => {
    const sent = sentWith(endpoint, Number(status), of);
    return [status, response(SUCCESSES[status] ?? 'Success.', sent, bodyOf(endpoint, of))] as const;
  });
  if (!hasVersions(endpoint)) return Object.fromEntries(successes);
  const tags: Sent = isTagged(endpoint) ? { always: ['ETag'] } : { always: [], sometimes: ['ETag'] };
  const unchanged = response('The caller has this version.', withEvery(endpoint, tags), null);
  return Object.fromEntries([...successes, ['304', unchanged]]);
}

/** A record by its id, or a content. */
export function hasVersions(endpoint: Endpoint | PublicEndpoint): boolean {
  return 'read' in endpoint || isContent(endpoint);
}

/** A content, which a request may ask a part of. */
export function isContent(endpoint: Endpoint | PublicEndpoint): boolean {
  return 206 in responsesOf(endpoint);
}

/** A change or a deletion that can be bound to the version that the caller has read. */
export function isConditional(endpoint: Endpoint | PublicEndpoint): boolean {
  return endpoint.method === 'put' || endpoint.method === 'delete';
}

/** Whether a limit counts the requests. */
export function isCounted(endpoint: Endpoint | PublicEndpoint): boolean {
  return !('isProbe' in endpoint);
}

/** What the kind of an endpoint answers with, unless it says so itself. */
function responsesOf(endpoint: Endpoint | PublicEndpoint): Responses {
  if (endpoint.responses !== undefined) return endpoint.responses;
  const record = endpoint.of ?? null;
  if ('remove' in endpoint) return { 204: null };
  return creates(endpoint) ? { 201: record } : { 200: record };
}

function isRecord(of: z.ZodType | RecordShape | null): of is RecordShape {
  return of !== null && 'table' in of;
}

function bodyOf(endpoint: Endpoint | PublicEndpoint, of: z.ZodType | RecordShape | null): Body {
  if (!isRecord(of)) return of;
  return 'list' in endpoint ? z.array(of.schema) : of.schema;
}

/** The headers of a success, besides those that every answer has. */
function sentWith(
  endpoint: Endpoint | PublicEndpoint,
  status: number,
  of: z.ZodType | RecordShape | null,
): Sent {
  const always: HeaderName[] = [];
  const sometimes: HeaderName[] = [];
  if ('list' in endpoint) sometimes.push('Link', 'X-Total-Count');
  else if (isRecord(of)) (of.isAlwaysTagged ? always : sometimes).push('ETag');
  if (status === 201) always.push('Location');
  if (isContent(endpoint)) always.push('ETag', 'Content-Disposition', 'Accept-Ranges');
  if (status === 206) always.push('Content-Range');
  return withEvery(endpoint, { always, sometimes });
}

function withEvery(endpoint: Endpoint | PublicEndpoint, { always, sometimes = [] }: Sent): Sent {
  return { always: [...everySent(isCounted(endpoint)), ...always], sometimes };
}

function isTagged(endpoint: Endpoint | PublicEndpoint): boolean {
  return isContent(endpoint) || endpoint.of?.isAlwaysTagged === true;
}

function response(description: string, sent: Sent, schema: Body): Response {
  const headers = headersOf(sent);
  if (schema === null) return { description, headers };
  return { description, headers, content: { [mediaTypeOf(schema)]: { schema } } };
}

/** A content may be of any type that a document may have. */
function mediaTypeOf(schema: z.ZodType): string {
  return schema === bytes ? '*/*' : 'application/json';
}
