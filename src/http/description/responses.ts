import { z } from 'zod';
import { creates } from '../endpoint.ts';
import type { Endpoint, PublicEndpoint, RecordShape, Responses } from '../endpoint.ts';
import { bytes, page } from '../fields.ts';
import { everySent, headersOf } from './headers.ts';
import type { HeaderName, Sent } from './headers.ts';

const SUCCESSES: Readonly<Record<string, string>> = {
  200: 'Success.',
  201: 'Created; Location is its address.',
  204: 'Done; there is nothing to say of it.',
  206: 'A part of the content.',
  304: 'The caller has this version.',
  307: 'Location is where the content is read, by whoever has that address, for a minute at most; without Authorization.',
};

type Body = z.ZodType | null;

interface Response {
  readonly description: string;
  readonly headers: ReturnType<typeof headersOf>;
  readonly content?: Record<string, { readonly schema: z.ZodType }>;
}

export function successesOf(endpoint: Endpoint | PublicEndpoint): Record<string, Response> {
  const successes = Object.entries(responsesOf(endpoint)).map(([status, of]) => {
    const sent = sentWith(endpoint, Number(status), of);
    const described = response(SUCCESSES[status] ?? 'Success.', sent, bodyOf(endpoint, status, of));
    return [
      status,
      'list' in endpoint && status === '200' ? alsoAsCsv(described, endpoint) : described,
    ] as const;
  });
  return Object.fromEntries(successes);
}

export function hasVersions(endpoint: Endpoint | PublicEndpoint): boolean {
  return 304 in responsesOf(endpoint);
}

export function isContent(endpoint: Endpoint | PublicEndpoint): boolean {
  return 206 in responsesOf(endpoint);
}

export function isConditional(endpoint: Endpoint | PublicEndpoint): boolean {
  return endpoint.method === 'put' || endpoint.method === 'delete';
}

export function isCounted(endpoint: Endpoint | PublicEndpoint): boolean {
  return !('isProbe' in endpoint);
}

/** What the kind of an endpoint answers with, unless it says so itself. */
function responsesOf(endpoint: Endpoint | PublicEndpoint): Responses {
  if (endpoint.responses !== undefined) return endpoint.responses;
  const record = endpoint.of ?? null;
  if ('remove' in endpoint) return { 204: null };
  if ('read' in endpoint || 'list' in endpoint) return { 200: record, 304: record };
  return creates(endpoint) ? { 201: record } : { 200: record };
}

function isRecord(of: z.ZodType | RecordShape | null): of is RecordShape {
  return of !== null && 'table' in of;
}

function bodyOf(
  endpoint: Endpoint | PublicEndpoint,
  status: string,
  of: z.ZodType | RecordShape | null,
): Body {
  if (status === '304') return null;
  if (!isRecord(of)) return of;
  return 'list' in endpoint ? z.array(of.schema) : of.schema;
}

function sentWith(
  endpoint: Endpoint | PublicEndpoint,
  status: number,
  of: z.ZodType | RecordShape | null,
): Sent {
  const always: HeaderName[] = [];
  const sometimes: HeaderName[] = [];
  const mayBeCsv = 'list' in endpoint && status === 200;
  if ('list' in endpoint && pagesOf(endpoint).includes('limit')) sometimes.push('Link');
  if ('list' in endpoint && pagesOf(endpoint).includes('count')) sometimes.push('X-Total-Count');
  if (mayBeCsv) sometimes.push('Content-Disposition');
  const isTagged = !isRecord(of) || ('list' in endpoint ? !mayBeCsv : of.isAlwaysTagged);
  const isElsewhere = status === 307;
  if ((hasVersions(endpoint) || isRecord(of)) && !isElsewhere) (isTagged ? always : sometimes).push('ETag');
  if (status === 201 || isElsewhere) always.push('Location');
  if (isContent(endpoint) && status !== 304 && !isElsewhere)
    always.push('Content-Disposition', 'Accept-Ranges');
  if (status === 206) always.push('Content-Range');
  return { always: [...everySent(isCounted(endpoint)), ...always], sometimes };
}

function response(description: string, sent: Sent, schema: Body): Response {
  const headers = headersOf(sent);
  if (schema === null) return { description, headers };
  return { description, headers, content: { [mediaTypeOf(schema)]: { schema } } };
}

function pagesOf({ query }: Endpoint | PublicEndpoint): readonly string[] {
  return Object.keys(page).filter((name) => query?.shape[name] !== undefined);
}

/** What `Accept: text/csv` makes of a list. */
function alsoAsCsv({ content, ...described }: Response, endpoint: Endpoint | PublicEndpoint): Response {
  const refused = pagesOf(endpoint).map((name) => `\`${name}\``);
  const withoutPages = refused.length === 0 ? '' : `, without pages: ${refused.join(', ')} are refused`;
  return {
    ...described,
    description: `Success. As text/csv all records${withoutPages}; there is no ETag.`,
    content: { ...content, 'text/csv': { schema: csvFile } },
  };
}

const csvFile = z.string().meta({
  description:
    'UTF-8 with a byte order mark, commas, CRLF; the first row has the names of the fields. Numbers and times are as in JSON, null is empty, and an apostrophe stands before whatever in a text a spreadsheet would take for a formula, also behind a separator or a line break in it.',
});

function mediaTypeOf(schema: z.ZodType): string {
  return schema === bytes ? '*/*' : 'application/json';
}
