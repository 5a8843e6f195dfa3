import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { Readable } from 'node:stream';
import { create as contentDisposition } from 'content-disposition';
import { ZipFile, type ReadStreamOptions } from 'yazl';
import { validationError } from '../../errors.ts';
import type { CallerRequest } from '../../http/caller-request.ts';
import type { Row } from '../../http/endpoint.ts';
import type { EndpointReply } from '../../http/envelope.ts';
import { requireVisibleRecord } from '../../http/visibility.ts';
import { MAX_ZIP_DOCUMENTS } from '../../limits.ts';
import { rule } from '../../problems.ts';
import { findDocumentContent } from './content.ts';
import { makeNamesDistinct } from './names.ts';

/** Checks the caller's rights again before each document; docs/decisions/claim-documents-zip.md */
export async function replyWithArchive(request: CallerRequest, claim: string): Promise<EndpointReply> {
  const { rows } = await request.run({
    text: `
select r.id, r.filename, extract(epoch from r.uploaded_at), r.file_size
from public.documents as r
where r.reclamation_id = $1
order by r.uploaded_at, r.id
limit $2`,
    values: [claim, MAX_ZIP_DOCUMENTS + 1],
  });
  if (rows.length === 0) await requireVisibleRecord(request);
  if (rows.length > MAX_ZIP_DOCUMENTS)
    throw validationError('id', rule('too_many_records.documents', { max: MAX_ZIP_DOCUMENTS }));
  const headers = {
    'Content-Type': 'application/zip',
    'Content-Disposition': contentDisposition(`documents-${claim}.zip`),
  };
  if (request.incoming.method === 'HEAD') return { status: 200, headers };
  const { promise, resolve, reject } = Promise.withResolvers<EndpointReply>();
  const archive = request.documents.archiveLimit.run(request.caller.subject, async () => {
    const openContent = async (id: string): Promise<Readable> => (await findDocumentContent(request, id)).read();
    // Reads the first content before the response begins, so that a lost content gets an error response.
    const [firstId] = rows[0] ?? [];
    const first = firstId == null ? undefined : await openContent(firstId);
    // The archive listens for errors only once it reads the content.
    first?.on('error', () => undefined);
    if (first !== undefined) await once(first, 'readable');
    const { body, size } = createArchiveStream(rows, async (id) =>
      id === firstId && first !== undefined ? first : openContent(id),
    );
    const length = size >= 0 && { 'Content-Length': String(size) };
    resolve({ status: 200, headers: { ...headers, ...length }, body });
    await finished(body).catch(() => undefined);
  });
  archive.catch(reject);
  return promise;
}

/** The size is negative if a document's is unknown. The stream fails as soon as a document cannot be read. */
function createArchiveStream(rows: readonly Row[], open: (id: string) => Promise<Readable>) {
  const zip = new ZipFile();
  const body = zip.outputStream as unknown as Readable;
  const fail = (error: Error): void => void body.destroy(error);
  let current: Readable | undefined;
  body.once('close', () => current?.destroy());
  zip.on('error', fail);
  const names = makeNamesDistinct(rows.map(([, filename]) => filename ?? ''));
  for (const [index, [id, , uploadedAt, bytes]] of rows.entries()) {
    const entry: Partial<ReadStreamOptions> = { compress: false, mtime: new Date(Number(uploadedAt) * 1000) };
    if (bytes != null) entry.size = Number(bytes);
    zip.addReadStreamLazy(names[index] ?? '', entry, (use) => {
      open(id ?? '').then((stream) => {
        current = stream.on('error', fail);
        if (body.destroyed) current.destroy();
        else use(null, current);
      }, fail);
    });
  }
  let size = -1;
  const setSize = (whole: number): void => {
    size = whole;
  };
  // yazl passes the length of the archive to the callback of `end`, but its type declarations lack this argument.
  zip.end({ forceZip64Format: false, comment: '' }, setSize as () => void);
  return { body, size };
}
