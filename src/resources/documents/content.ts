import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { create as contentDisposition } from 'content-disposition';
import type { ContentHeaders } from '../../documents/content-store.ts';
import { withDigestCheck } from '../../documents/content-store.ts';
import { isShownByBrowsers } from '../../documents/content-type.ts';
import { RequestError } from '../../errors.ts';
import type { CallerRequest } from '../../http/caller-request.ts';
import type { EndpointReply } from '../../http/envelope.ts';
import { isNotModified } from '../../http/preconditions.ts';
import { RecordNotFound } from '../../http/errors.ts';
import { requireVisibleRecord } from '../../http/visibility.ts';
import { formatEtag } from '../../records/version.ts';

interface DocumentContent {
  readonly size: number;
  readonly type: string;
  readonly tag: string;
  readonly disposition: string;
  /** Returns a presigned URL of the S3 store; undefined for a folder store. */
  readonly addressOf?: ((headers: ContentHeaders) => Promise<string>) | undefined;
  read(range?: { readonly start: number; readonly end: number }): Promise<Readable>;
}

/** Checks that the caller may read the document now. @throws RecordNotFound, and the errors of the store */
export async function findDocumentContent(request: CallerRequest, document: string): Promise<DocumentContent> {
  const { documents, state } = request;
  const { rows } = await request.run({
    text: `
select r.file_path, coalesce(r.mime_type, 'application/octet-stream'), r.filename, r.uploaded_at, r.file_size,
    encode(r.sha256, 'hex')
from public.documents as r
where r.id = $1`,
    values: [document],
  });
  const [row] = rows;
  if (row === undefined) throw new RecordNotFound();
  const [path, type, filename, uploadedAt, expected, digest] = row;
  if (path == null || filename == null || type == null || uploadedAt == null)
    throw new Error('null in a column that has none');
  const size = await documents.size(path);
  if (size === undefined || size !== Number(expected ?? size)) {
    await requireVisibleRecord(request);
    throw documents.damaged(`the content of document ${document} is lost: ${String(size)} bytes at ${path}`);
  }
  // A caller with a document link gets no presigned URL: such a URL would lack the link's headers and outlive the link.
  const addressOf = state.isLinked ? undefined : documents.addressOf;
  return {
    size,
    type,
    tag: formatEtag(uploadedAt),
    disposition: contentDisposition(filename, {
      type: state.isLinked && isShownByBrowsers(type) ? 'inline' : 'attachment',
    }),
    addressOf: addressOf && ((headers) => addressOf(path, headers)),
    read: async (range) => {
      const stream = await documents.read(path, range);
      if (digest == null || (range && range.end - range.start + 1 < size)) return stream;
      return withDigestCheck(digest, stream, () =>
        documents.damaged(`the content of document ${document} is not what was uploaded: ${path}`),
      );
    },
  };
}

/**
 * Answers with the content or one byte range of it (RFC 9110, 14); a request for several ranges gets the whole
 * content. @throws RequestError
 */
export async function createContentReply(incoming: IncomingMessage, content: DocumentContent): Promise<EndpointReply> {
  const { size, type, disposition, tag } = content;
  if (isNotModified(incoming, tag)) return { status: 304, headers: { ETag: tag } };
  const shown = { type: type.startsWith('text/') ? `${type}; charset=utf-8` : type, disposition };
  const headers = {
    ETag: tag,
    'Accept-Ranges': 'bytes',
    'Content-Type': shown.type,
    'Content-Disposition': shown.disposition,
  };
  const whole = { ...headers, 'Content-Length': String(size) };
  if (incoming.method === 'HEAD') return { status: 200, headers: whole };
  const range = readByteRange(incoming, content);
  if (content.addressOf !== undefined) return { status: 307, headers: { Location: await content.addressOf(shown) } };
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

const SINGLE_RANGE_PATTERN = /^bytes=\s*(?:(?<first>\d+)-(?<last>\d*)|-(?<suffix>\d+))\s*$/i;

function readByteRange(
  { headers }: IncomingMessage,
  { size, tag }: DocumentContent,
): { start: number; end: number } | undefined {
  const range = SINGLE_RANGE_PATTERN.exec(headers.range ?? '')?.groups;
  if (range === undefined || (headers['if-range'] ?? tag) !== tag) return undefined;
  const { first, last, suffix } = range;
  const start = first === undefined ? Math.max(size - Number(suffix), 0) : Number(first);
  const end = last ? Number(last) : size - 1;
  if (last && end < start) return undefined;
  if (start < size) return { start, end: Math.min(end, size - 1) };
  throw new RequestError('ERROR_RANGE_NOT_SATISFIABLE', `${headers.range ?? ''} of ${size} bytes`, {
    headers: { 'Content-Range': `bytes */${size}` },
  });
}
