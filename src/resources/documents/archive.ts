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

/**
 * Streams the documents of a claim as a ZIP, and checks the caller's rights again before each document;
 * docs/decisions/claim-documents-zip.md
 */
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
  const archivePromise = request.documents.archiveLimit.run(request.caller.subject, async () => {
    const openContent = async (id: string): Promise<Readable> => (await findDocumentContent(request, id)).read();
    // Reads the first content before the response begins, so that a lost content gets an error response.
    const [firstId] = rows[0] ?? [];
    const firstContent = firstId == null ? undefined : await openContent(firstId);
    // The archive listens for errors only once it reads the content.
    firstContent?.on('error', () => undefined);
    if (firstContent !== undefined) await once(firstContent, 'readable');
    const { body, size } = createArchiveStream(rows, async (id) =>
      id === firstId && firstContent !== undefined ? firstContent : openContent(id),
    );
    const lengthHeader = size >= 0 && { 'Content-Length': String(size) };
    resolve({ status: 200, headers: { ...headers, ...lengthHeader }, body });
    await finished(body).catch(() => undefined);
  });
  archivePromise.catch(reject);
  return promise;
}

/**
 * Returns the ZIP as a stream with its size, which is negative if a document's size is unknown. The stream fails as
 * soon as a document cannot be read.
 */
function createArchiveStream(rows: readonly Row[], open: (id: string) => Promise<Readable>) {
  const zip = new ZipFile();
  const body = zip.outputStream as unknown as Readable;
  const destroyBody = (error: Error): void => void body.destroy(error);
  let documentStream: Readable | undefined;
  body.once('close', () => documentStream?.destroy());
  zip.on('error', destroyBody);
  const archivedFileNames = makeNamesDistinct(rows.map(([, filename]) => filename ?? ''));
  for (const [index, [id, , uploadedAt, bytes]] of rows.entries()) {
    const entryOptions: Partial<ReadStreamOptions> = {
      compress: false,
      mtime: new Date(Number(uploadedAt) * 1000),
    };
    if (bytes != null) entryOptions.size = Number(bytes);
    zip.addReadStreamLazy(archivedFileNames[index] ?? '', entryOptions, (use) => {
      open(id ?? '').then((stream) => {
        documentStream = stream.on('error', destroyBody);
        if (body.destroyed) documentStream.destroy();
        else use(null, documentStream);
      }, destroyBody);
    });
  }
  let size = -1;
  const setArchiveSize = (whole: number): void => {
    size = whole;
  };
  // yazl passes the length of the archive to the callback of `end`, but its type declarations lack this argument.
  zip.end({ forceZip64Format: false, comment: '' }, setArchiveSize as () => void);
  return { body, size };
}
