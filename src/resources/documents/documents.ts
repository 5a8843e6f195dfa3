import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { sqlState } from '../../db/errors.ts';
import { contentTypeOf } from '../../documents/content-type.ts';
import { failingUnless } from '../../documents/content-store.ts';
import { invalid, RequestError } from '../../errors.ts';
import { contentReply } from './content.ts';
import { inviteBody } from '../../http/body.ts';
import { create, storedAnswer } from '../../http/creation.ts';
import { endpoint } from '../../http/endpoint.ts';
import type { CallerRequest } from '../../http/caller-request.ts';
import * as field from '../../http/fields.ts';
import { NAMED, readForm } from './form.ts';
import { NothingFound, requireVisible } from '../../http/why-not.ts';
import { ROLES, SPECIALISTS } from '../../identity/caller.ts';
import * as column from '../../records/column.ts';
import { endpointsOf } from '../../records/endpoints.ts';
import { by, containedIn } from '../../records/filters.ts';
import { list as listOf } from '../../records/list.ts';
import { record } from '../../records/record.ts';
import { reclamation } from '../reclamation-record.ts';

const ALLOWED = 'a PDF, an image (PNG, JPEG, WebP, GIF, TIFF), an office file, or text or CSV in UTF-8';
const FILE = `Not empty; ${ALLOWED}, with ${NAMED} in UTF-8 without control characters.`;

const document = record(
  'Document',
  'documents',
  {
    id: column.id,
    reclamation_id: column.naming('reclamation', reclamation.label, column.read(column.uuid)),
    filename: column.read(column.text(255)),
    file_size: column.read(column.nullable(column.integer)),
    mime_type: column.read(column.nullable(column.text(100))),
    uploaded_at: column.read(column.time),
    sha256: column.said(
      column.nullable(column.text(64)),
      'SHA-256 of the content, in hex; null for a document from before it was kept.',
      "encode(r.sha256, 'hex')",
    ),
  },
  {
    version: 'uploaded_at',
    examples: {
      record: {
        id: 'd0000000-0000-4000-8000-000000000001',
        reclamation_id: reclamation.exampleId,
        filename: 'avis-taxe-foncière-2024.pdf',
        file_size: 1024,
        mime_type: 'application/pdf',
        uploaded_at: '2024-10-07T09:40:00Z',
        sha256: '31cadabf1722c3ff0dd3c1e4510f4f17d4e4f7818fbdea058e9f09e8e9722fb9',
      },
    },
    hasDocuments: true,
  },
);

const documents = listOf({
  of: document,
  sorts: ['uploaded_at', 'filename'],
  filters: {
    reclamation_id: by(field.uuid, 'r.reclamation_id = $'),
    q: containedIn('r.filename'),
  },
});

const ofClaim = {
  tag: 'Documents',
  resource: 'reclamations',
  path: '/api/reclamations/{id}/documents',
  of: document,
} as const;
const { common, read, remove } = endpointsOf(document, { tag: 'Documents', path: '/api/documents' });

async function receive(request: CallerRequest) {
  const { incoming, documents } = request;
  inviteBody(incoming);
  const { filename, declaredType, upload } = await readForm(incoming, documents);
  try {
    if (upload.size === 0) throw invalid('file', 'must not be empty');
    const mimeType = await contentTypeOf(upload.file, { filename, declaredType });
    if (mimeType === undefined) {
      throw new RequestError('ERROR_UNSUPPORTED_MEDIA_TYPE', `the file is of no allowed type`, {
        details: { file: `must be ${ALLOWED}` },
      });
    }
    const fingerprint = JSON.stringify([filename, declaredType, upload.sha256]);
    const kept = await storedAnswer(request, fingerprint);
    if (kept !== undefined) await documents.discard(upload);
    return { filename, mimeType, upload, fingerprint, kept };
  } catch (error) {
    await documents.discard(upload);
    throw error;
  }
}

export const documentEndpoints = [
  endpoint({
    ...ofClaim,
    method: 'get',
    summary: 'List the documents of a claim',
    roles: ROLES,
    query: documents.query.omit({ reclamation_id: true }),
    list: ({ params, query }, caller) => documents.statement({ ...query, reclamation_id: params.id }, caller),
  }),
  endpoint({
    ...ofClaim,
    method: 'post',
    summary: 'Attach a document to a claim',
    operationId: 'uploadDocument',
    roles: ROLES,
    form: z.strictObject({ file: field.bytes.meta({ description: FILE }) }).meta({ id: 'DocumentUpload' }),
    responses: { 201: document },
    handle: async ({ params }, request) => {
      await requireVisible(request);
      const { filename, mimeType, upload, fingerprint, kept } = await receive(request);
      if (kept !== undefined) return kept;
      const id = randomUUID();
      return request.documents
        .keep(upload, (path) =>
          create(request, {
            ...{ of: document, id, location: `/api/documents/${id}`, fingerprint },
            make: [
              {
                text: `
insert into public.documents as r (id, reclamation_id, filename, file_path, file_size, mime_type, sha256)
values ($1, $2, $3, $4, $5, $6, decode($7, 'hex'))
returning ${document.selected}`,
                values: [id, params.id, filename, path, upload.size, mimeType, upload.sha256],
              },
            ],
          }),
        )
        .catch(async (error: unknown) => {
          // A claim that was deleted meanwhile is a 404, whichever policy or key fails.
          if (sqlState(error) !== undefined) await requireVisible(request);
          throw error;
        });
    },
  }),
  read({ summary: 'Read what is known of a document', roles: ROLES }),
  endpoint({
    ...common,
    method: 'get',
    path: '/api/documents/{id}/content',
    operationId: 'downloadDocument',
    summary: 'Download a document',
    roles: ROLES,
    responses: { 200: field.bytes, 206: field.bytes, 304: null, 307: null },
    handle: async ({ params }, request) => {
      const { documents, incoming } = request;
      const { addressOf } = documents;
      const { rows } = await request.run({
        text: `
select r.file_path, coalesce(r.mime_type, 'application/octet-stream'), r.filename, r.uploaded_at, r.file_size,
    encode(r.sha256, 'hex')
from public.documents as r
where r.id = $1`,
        values: [params.id],
      });
      const [row] = rows;
      if (row === undefined) throw new NothingFound();
      const [path, type, filename, uploadedAt, expected, digest] = row;
      if (path == null || filename == null || type == null || uploadedAt == null)
        throw new Error('null in a column that has none');
      const size = await documents.size(path);
      if (size === undefined || size !== Number(expected ?? size)) {
        await requireVisible(request);
        throw documents.damaged(
          `the content of document ${params.id} is lost: ${String(size)} bytes at ${path}`,
        );
      }
      return contentReply(incoming, {
        ...{ size, type, filename, tag: document.tagOf(uploadedAt) },
        addressOf: addressOf && ((headers) => addressOf(path, headers)),
        read: async (range) => {
          const content = await documents.read(path, range);
          if (digest == null || (range && range.end - range.start + 1 < size)) return content;
          return failingUnless(digest, content, () =>
            documents.damaged(`the content of document ${params.id} is not what was uploaded: ${path}`),
          );
        },
      });
    },
  }),
  remove({ summary: 'Delete a document with its content', roles: SPECIALISTS }),
];
