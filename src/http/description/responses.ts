import { z } from 'zod';
import { createsRecord } from '../endpoint.ts';
import type { Endpoint, PublicEndpoint, RecordShape, ResponseShapes } from '../endpoint.ts';
import { binaryContent, calendarFile, pageParameters } from '../fields.ts';
import { determineCommonHeaders, describeHeaders, type HeaderName } from './headers.ts';

export type AnyEndpoint = Endpoint | PublicEndpoint;

const SUCCESS_DESCRIPTIONS: Readonly<Record<string, string>> = {
  200: 'Success.',
  201: 'Created. `Location` is the address of the record.',
  204: 'Success, without a body.',
  206: 'Partial content.',
  304: 'Not modified.',
  307: 'Redirect to the content. The address in `Location` needs no token and is valid for at most one minute; send no `Authorization` header to it.',
};

const MEDIA_TYPES = new Map<z.ZodType, string>([
  [binaryContent, '*/*'],
  [calendarFile, 'text/calendar'],
]);

export function describeSuccesses(endpoint: AnyEndpoint) {
  return Object.fromEntries(
    Object.entries(determineResponseShapes(endpoint)).map(([status, of]) => {
      const isList = 'list' in endpoint && status === '200';
      const headers = describeHeaders(determineSentHeaders(endpoint, Number(status), of));
      const schema = chooseBodySchema(endpoint, status, of);
      const description = isList ? describeList(endpoint) : (SUCCESS_DESCRIPTIONS[status] ?? 'Success.');
      if (schema === null) return [status, { description, headers }] as const;
      const mediaType = MEDIA_TYPES.get(schema) ?? 'application/json';
      const content = {
        [mediaType]: { schema },
        ...(isList && { 'text/csv': { schema: csvFileSchema } }),
        ...(endpoint.events && { 'text/event-stream': { schema: endpoint.events } }),
      };
      return [status, { description, headers, content }] as const;
    }),
  );
}

export const mayAnswerNotModified = (endpoint: AnyEndpoint): boolean => 304 in determineResponseShapes(endpoint);

export const servesContent = (endpoint: AnyEndpoint): boolean => 206 in determineResponseShapes(endpoint);

export const isRateLimited = (endpoint: AnyEndpoint): boolean => !('isProbe' in endpoint);

function determineResponseShapes(endpoint: AnyEndpoint): ResponseShapes {
  if (endpoint.responses !== undefined) return endpoint.responses;
  const shape = endpoint.of ?? null;
  if ('remove' in endpoint) return { 204: null };
  if ('read' in endpoint || 'list' in endpoint) return { 200: shape, 304: shape };
  return createsRecord(endpoint) ? { 201: shape } : { 200: shape };
}

function isRecordShape(of: z.ZodType | RecordShape | null): of is RecordShape {
  return of !== null && 'table' in of;
}

function chooseBodySchema(endpoint: AnyEndpoint, status: string, of: z.ZodType | RecordShape | null): z.ZodType | null {
  if (status === '304') return null;
  if (!isRecordShape(of)) return of;
  return 'list' in endpoint ? z.array(of.schema) : of.schema;
}

function determineSentHeaders(endpoint: AnyEndpoint, status: number, of: z.ZodType | RecordShape | null) {
  const certain: HeaderName[] = [];
  const possible: HeaderName[] = [];
  const mayBeCsv = 'list' in endpoint && status === 200;
  if ('list' in endpoint && pageParametersOf(endpoint).includes('limit')) possible.push('Link');
  if ('list' in endpoint && pageParametersOf(endpoint).includes('count')) possible.push('X-Total-Count');
  if (mayBeCsv) possible.push('Content-Disposition');
  const isAlwaysTagged = !isRecordShape(of) || ('list' in endpoint ? !mayBeCsv : of.isAlwaysTagged);
  const isRedirect = status === 307;
  if ((mayAnswerNotModified(endpoint) || isRecordShape(of)) && !isRedirect)
    (isAlwaysTagged ? certain : possible).push('ETag');
  if (status === 201 || isRedirect) certain.push('Location');
  if (of === binaryContent) certain.push('Content-Disposition');
  if (servesContent(endpoint) && of === binaryContent) certain.push('Accept-Ranges');
  if (status === 206) certain.push('Content-Range');
  return { certain: [...determineCommonHeaders(isRateLimited(endpoint)), ...certain], possible };
}

function pageParametersOf({ query }: AnyEndpoint): readonly string[] {
  return Object.keys(pageParameters).filter((name) => query?.shape[name] !== undefined);
}

function describeList(endpoint: AnyEndpoint): string {
  const refused = pageParametersOf(endpoint).map((name) => `\`${name}\``);
  const note = refused.length === 0 ? '' : `; ${refused.join(', ')} are refused`;
  return `Success. With \`Accept: text/csv\`, the response is the whole list, without an ETag${note}.`;
}

const csvFileSchema = z.string().meta({
  description:
    'UTF-8 with a byte order mark, comma-separated, CRLF line endings. The first row contains the field names. Numbers and times are written as in JSON; null is an empty cell. An apostrophe is inserted wherever a spreadsheet would start a formula, including after a separator or a line break within a text. With dialect=fr, cells are separated by semicolons, and numbers, dates and times are written as French Excel reads them.',
});
