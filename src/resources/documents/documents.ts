import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { detectContent } from '../../documents/content-type.ts';
import { validationError, RequestError } from '../../errors.ts';
import { replyWithArchive } from './archive.ts';
import { findDocumentContent, createContentReply } from './content.ts';
import { sendContinue } from '../../http/body.ts';
import { createRecord, findStoredAnswer } from '../../http/creation.ts';
import { endpoint } from '../../http/endpoint.ts';
import type { CallerRequest } from '../../http/caller-request.ts';
import * as field from '../../http/fields.ts';
import { FILE_NAME_LENGTH_TEXT, readForm } from './form.ts';
import { documentLink, linkQuery, documentLinkEndpoint } from './link.ts';
import { fileName } from './names.ts';
import { requireVisibleRecord, rethrowIfRecordVisible } from '../../http/visibility.ts';
import { ROLES, SPECIALIST_ROLES } from '../../identity/caller.ts';
import { rule, formatProblemText } from '../../problems.ts';
import * as column from '../../records/column.ts';
import { endpointsOf } from '../../records/endpoints.ts';
import { filterByCondition, filterByAny, filterByWords } from '../../records/filters.ts';
import { list as listOf } from '../../records/list.ts';
import { record } from '../../records/record.ts';
import { reclamation } from '../reclamation-record.ts';

const ALLOWED_TYPES_TEXT = formatProblemText(rule('file_type')).replace('must be ', '');
const FILE_DESCRIPTION = `File to upload: ${ALLOWED_TYPES_TEXT}. It must not be empty; it must have ${FILE_NAME_LENGTH_TEXT} in UTF-8 without control characters.`;

const documentKind = field.enumOf('DocumentKind');

const document = record(
  'Document',
  'documents',
  {
    id: column.id,
    reclamation_id: column.reference('reclamation', reclamation.label, column.readOnly(column.uuid)),
    kind: column.writableOnChange(column.enumText(documentKind), documentKind),
    filename: column.writableOnChange(column.text(255), fileName),
    file_path: column.readOnlyWithDescription(
      column.text(500),
      'Path of the file’s content below the address of the API, for GET with a token.',
      "'/api/documents/' || r.id || '/content'",
    ),
    file_size: column.readOnly(column.nullable(column.integer)),
    mime_type: column.readOnly(column.nullable(column.text(100))),
    uploaded_at: column.readOnly(column.time),
    updated_at: column.readOnly(column.time),
    sha256: column.readOnly(
      column.withMeta(column.nullable(column.text(64)), { description: '64 hexadecimal digits.' }),
      "encode(r.sha256, 'hex')",
    ),
  },
  {
    examples: {
      record: {
        id: 'd0000000-0000-4000-8000-000000000001',
        reclamation_id: reclamation.exampleId,
        kind: 'AVIS',
        filename: 'avis-taxe-foncière-2024.pdf',
        file_path: '/api/documents/d0000000-0000-4000-8000-000000000001/content',
        file_size: 1024,
        mime_type: 'application/pdf',
        uploaded_at: '2024-10-07T09:40:00.000Z',
        sha256: '31cadabf1722c3ff0dd3c1e4510f4f17d4e4f7818fbdea058e9f09e8e9722fb9',
      },
      change: { kind: 'DECISION', filename: 'décision-de-dégrèvement.pdf' },
    },
    hasDocuments: true,
  },
);

const documents = listOf({
  of: document,
  narrowCopy: 'app.client_documents',
  client: 'r.client_id',
  isWide: true,
  newest: 'uploaded_at',
  filters: {
    client_id: filterByAny(field.uuid, 'r.client_id = $', 'Return only documents of this client’s claims.'),
    reclamation_id: filterByCondition(field.uuid, 'r.reclamation_id = $'),
    // The copy of documents for lists has no digests.
    sha256: filterByAny(
      field.sha256,
      "r.id = any (array(select d.id from public.documents as d where d.sha256 = decode($, 'hex')))",
      'Return only documents whose content has this SHA-256. A program can find out whether a file was already uploaded.',
      "r.id = any (array(select d.id from public.documents as d where d.sha256 = any (array(select decode(x, 'hex') from unnest($::text[]) as x))))",
    ),
    q: filterByWords('r.filename'),
  },
  selective: ['reclamation_id', 'sha256'],
});

const uploadFields = z.strictObject({ kind: documentKind.optional() });

const claimDocuments = {
  tag: 'Documents',
  resource: 'reclamations',
  path: '/api/reclamations/{id}/documents',
  of: document,
} as const;
const { commonOptions, list, read, changes, change, remove } = endpointsOf(document, {
  tag: 'Documents',
  path: '/api/documents',
});

async function receiveUpload(request: CallerRequest) {
  const { incoming, documents } = request;
  sendContinue(incoming);
  const { filename, declaredType, upload, fields } = await readForm(incoming, { ...documents, fields: uploadFields });
  try {
    if (upload.size === 0) throw validationError('file', rule('empty'));
    const { type: mimeType, broken } = await detectContent(upload.file, { filename, declaredType });
    if (broken !== undefined) {
      throw new RequestError('ERROR_UNSUPPORTED_MEDIA_TYPE', `the file is of no allowed type`, {
        problems: [{ field: 'file', rule: broken }],
      });
    }
    const { kind = null } = fields;
    // Without a kind the fingerprint is that of earlier releases, which may get the repetition during a deploy.
    const fingerprint = JSON.stringify([filename, declaredType, upload.sha256, ...(kind === null ? [] : [kind])]);
    const kept = await findStoredAnswer(request, fingerprint);
    if (kept !== undefined) await documents.discard(upload);
    return { filename, kind, mimeType, upload, fingerprint, kept };
  } catch (error) {
    await documents.discard(upload);
    throw error;
  }
}

export const documentEndpoints = [
  endpoint({
    ...claimDocuments,
    method: 'get',
    summary: 'List the documents of a claim',
    roles: ROLES,
    query: documents.query.omit({ client_id: true, reclamation_id: true }),
    list: ({ params, query }, caller) => documents.statement({ ...query, reclamation_id: params.id }, caller),
  }),
  endpoint({
    ...claimDocuments,
    method: 'post',
    summary: 'Attach a document to a claim',
    operationId: 'uploadDocument',
    roles: ROLES,
    form: uploadFields.extend({ file: field.binaryContent.meta({ description: FILE_DESCRIPTION }) }).meta({
      id: 'DocumentUpload',
      example: { kind: 'AVIS', file: 'Avis de taxe foncière' },
      'x-said': { kind: 'Kind of the document; AUTRE if it is not given.' },
    }),
    responses: { 201: document },
    handle: async ({ params }, request) => {
      await requireVisibleRecord(request);
      const { filename, kind, mimeType, upload, fingerprint, kept } = await receiveUpload(request);
      if (kept !== undefined) return kept;
      const id = randomUUID();
      return request.documents
        .storeWithRow(upload, (path) =>
          createRecord(request, {
            of: document,
            id,
            location: `/api/documents/${id}`,
            fingerprint,
            make: [
              {
                text: `
insert into public.documents as r (id, reclamation_id, filename, file_path, file_size, mime_type, sha256, kind)
values ($1, $2, $3, $4, $5, $6, decode($7, 'hex'), coalesce($8, 'AUTRE'))
returning ${document.selectList}`,
                values: [id, params.id, filename, path, upload.size, mimeType, upload.sha256, kind],
              },
            ],
          }),
        )
        .catch((error: unknown) => rethrowIfRecordVisible(error, request));
    },
  }),
  endpoint({
    ...claimDocuments,
    method: 'get',
    path: '/api/reclamations/{id}/documents.zip',
    operationId: 'downloadDocuments',
    summary: 'Download all documents of a claim as a ZIP archive',
    roles: ROLES,
    responses: { 200: field.binaryContent },
    handle: ({ params }, request) => replyWithArchive(request, params.id),
  }),
  list(documents, { summary: 'List the documents of the claims of the caller’s clients', roles: ROLES }),
  read({ summary: 'Get the metadata of a document', roles: ROLES }),
  changes(SPECIALIST_ROLES),
  change({ summary: 'Update the kind or the file name of a document', roles: SPECIALIST_ROLES }),
  endpoint({
    ...commonOptions,
    method: 'get',
    path: '/api/documents/{id}/content',
    operationId: 'downloadDocument',
    summary: 'Download a document',
    roles: ROLES,
    query: linkQuery,
    responses: { 200: field.binaryContent, 206: field.binaryContent, 304: null, 307: null },
    handle: async ({ params }, request) =>
      createContentReply(request.incoming, await findDocumentContent(request, params.id)),
  }),
  endpoint({
    ...commonOptions,
    method: 'post',
    path: '/api/documents/{id}/link',
    operationId: 'linkDocument',
    summary: 'Create a link to a document that is valid for one minute and needs no token',
    roles: ROLES,
    responses: { 200: documentLink },
    handle: ({ params }, request) => documentLinkEndpoint(request, params.id),
  }),
  remove({ summary: 'Delete a document and its content', roles: SPECIALIST_ROLES }),
];
