import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { create as contentDisposition } from 'content-disposition';
import type { ContentHeaders } from '../../documents/content-store.ts';
import { RequestError } from '../../errors.ts';
import type { Reply } from '../../http/endpoint.ts';
import { isNotModified } from '../../http/preconditions.ts';

export interface Content {
  readonly size: number;
  readonly type: string;
  readonly filename: string;
  readonly tag: string;
  /** An address at the store, from which the caller reads the content; absent for a store without addresses. */
  readonly addressOf?: ((headers: ContentHeaders) => Promise<string>) | undefined;
  read(range?: { readonly start: number; readonly end: number }): Promise<Readable>;
}

/** Answers with the content, or one range of it (RFC 9110, 14); several ranges give the whole. @throws RequestError */
export async function contentReply(incoming: IncomingMessage, content: Content): Promise<Reply> {
  const { size, type, filename, tag } = content;
  if (isNotModified(incoming, tag)) return { status: 304, headers: { ETag: tag } };
  const sent = {
    type: type.startsWith('text/') ? `${type}; charset=utf-8` : type,
    disposition: contentDisposition(filename),
  };
  const headers = {
    ETag: tag,
    'Accept-Ranges': 'bytes',
    'Content-Type': sent.type,
    'Content-Disposition': sent.disposition,
  };
  const whole = { ...headers, 'Content-Length': String(size) };
  if (incoming.method === 'HEAD') return { status: 200, headers: whole };
  const range = rangeOf(incoming, content);
  if (content.addressOf !== undefined)
    return { status: 307, headers: { Location: await content.addressOf(sent) } };
  if (range === undefined) return { status: 200, headers: whole, body: await content.read() };
  const { start, end } = range;
  return {
    status: 206,
    headers: {
      ...headers,
      'Content-Range': `bytes ${start}-${end}/${size}`,
      'Content-Length': String(end - start + 1),
    },
    body: await content.read({ start, end }),
  };
}

const ONE_RANGE = /^bytes=\s*(?:(?<first>\d+)-(?<last>\d*)|-(?<suffix>\d+))\s*$/i;

function rangeOf(
  { headers }: IncomingMessage,
  { size, tag }: Content,
): { start: number; end: number } | undefined {
  const condition = headers['if-range'];
  const asked = ONE_RANGE.exec(headers.range ?? '')?.groups;
  if (asked === undefined || (condition !== undefined && condition !== tag)) return undefined;
  const { first, last, suffix } = asked;
  const start = first === undefined ? Math.max(size - Number(suffix), 0) : Number(first);
  const end = last ? Number(last) : size - 1;
  if (last && end < start) return undefined;
  if (start < size) return { start, end: Math.min(end, size - 1) };
  throw new RequestError('ERROR_RANGE_NOT_SATISFIABLE', `${headers.range ?? ''} of ${size} bytes`, {
    headers: { 'Content-Range': `bytes */${size}` },
  });
}
