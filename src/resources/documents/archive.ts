import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { create as contentDisposition } from 'content-disposition';
import { RequestError, validationError } from '../../errors.ts';
import type { CallerRequest } from '../../http/caller-request.ts';
import type { EndpointReply } from '../../http/envelope.ts';
import { requireVisibleRecord } from '../../http/visibility.ts';
import { CONCURRENT_ZIP_CHECKS, MAX_NAMED_LOST_DOCUMENTS, MAX_ZIP_DOCUMENTS } from '../../limits.ts';
import { rule } from '../../problems.ts';
import { findDocumentContent } from './content.ts';
import { makeNamesDistinct } from './names.ts';
import { createZip } from './zip.ts';

interface ArchivedDocument {
  readonly id: string;
  readonly filename: string;
  readonly path: string;
  readonly modifiedAt: Date;
  readonly expectedSize: number | undefined;
}

/** Checks the caller's rights again before each document; docs/decisions/claim-documents-zip.md */
export async function replyWithArchive(request: CallerRequest, claim: string): Promise<EndpointReply> {
  const documents = await findDocuments(request, claim);
  if (documents.length === 0) await requireVisibleRecord(request);
  if (documents.length > MAX_ZIP_DOCUMENTS)
    throw validationError('id', rule('too_many_records.documents', { max: MAX_ZIP_DOCUMENTS }));
  const headers = {
    'Content-Type': 'application/zip',
    'Content-Disposition': contentDisposition(`documents-${claim}.zip`),
  };
  if (request.incoming.method === 'HEAD') return { status: 200, headers };
  const { promise, resolve, reject } = Promise.withResolvers<EndpointReply>();
  const archive = request.documents.archiveLimit.run(request.caller.subject, async () => {
    const sizes = await measureContents(request, documents);
    const names = makeNamesDistinct(documents.map(({ filename }) => filename));
    const { body, size } = createZip(
      documents.map(({ id, modifiedAt }, index) => ({
        ...{ name: names[index] ?? '', modifiedAt, size: sizes.get(id) ?? 0 },
        open: async () => (await findDocumentContent(request, id)).read(),
      })),
    );
    // The stream opens the first content before the response begins, so that a failing store gets an error response.
    await once(body, 'readable');
    resolve({ status: 200, headers: { ...headers, 'Content-Length': String(size) }, body });
    await finished(body).catch(() => undefined);
  });
  archive.catch(reject);
  return promise;
}

async function findDocuments(request: CallerRequest, claim: string): Promise<readonly ArchivedDocument[]> {
  const { rows } = await request.run({
    text: `
select r.id, r.filename, r.file_path, extract(epoch from r.uploaded_at), r.file_size
from public.documents as r
where r.reclamation_id = $1
order by r.uploaded_at, r.id
limit $2`,
    values: [claim, MAX_ZIP_DOCUMENTS + 1],
  });
  return rows.map(([id, filename, path, uploadedAt, size]) => ({
    ...{ id: id ?? '', filename: filename ?? '', path: path ?? '' },
    modifiedAt: new Date(Number(uploadedAt) * 1000),
    expectedSize: size == null ? undefined : Number(size),
  }));
}

/** Returns the sizes of the contents by document. @throws RequestError ERROR_UNAVAILABLE that names each lost content */
async function measureContents(
  request: CallerRequest,
  documents: readonly ArchivedDocument[],
): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  const lost: ArchivedDocument[] = [];
  const unchecked = documents.values();
  const checkNext = async (): Promise<void> => {
    for (const document of unchecked) {
      const size = await request.documents.size(document.path);
      if (size === undefined || size !== (document.expectedSize ?? size)) lost.push(document);
      else sizes.set(document.id, size);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_ZIP_CHECKS }, checkNext));
  if (lost.length > 0) throw await createLostContentsError(request, lost);
  return sizes;
}

/** A content is not lost if its document was deleted meanwhile: the caller then asks again. */
async function createLostContentsError(
  request: CallerRequest,
  lost: readonly ArchivedDocument[],
): Promise<RequestError> {
  await requireVisibleRecord(request);
  const { rows } = await request.run({
    text: 'select r.filename, r.file_path from public.documents as r where r.id = any ($1) order by r.uploaded_at, r.id',
    values: [lost.map(({ id }) => id)],
  });
  const values = rows.slice(0, MAX_NAMED_LOST_DOCUMENTS).map(([filename]) => filename ?? '');
  const paths = rows.map(([, path]) => path ?? '').join(', ');
  return new RequestError('ERROR_UNAVAILABLE', 'a content of an archive was not found', {
    kind: 'documents',
    ...(rows.length > 0 && {
      problems: [{ field: 'id', rule: rule('content_lost', { values }) }],
      cause: request.documents.damaged(`the contents of documents are lost: ${paths}`),
    }),
  });
}
