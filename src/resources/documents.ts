import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { sqlState } from '../db/errors.ts';
import { contentTypeOf } from '../documents/content-type.ts';
import { RequestError } from '../errors.ts';
import { created } from '../http/answer.ts';
import { contentReply } from '../http/content.ts';
import { endpoint } from '../http/endpoint.ts';
import type { CallerRequest } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import { readForm } from '../http/form.ts';
import { ROLES } from '../identity/caller.ts';
import { containing, listOf } from './list.ts';

const document = z
  .strictObject({
    id: z.guid(),
    reclamation_id: z.guid(),
    filename: z.string().max(255),
    file_size: z.int().nullable(),
    mime_type: z.string().max(100).nullable(),
    uploaded_at: field.timestamp,
  })
  .meta({ id: 'Document' });

// file_path is not among them: where a content lies is between the database and the store.
const columns = `
    r.id,
    r.reclamation_id,
    r.filename,
    r.file_size,
    r.mime_type,
    r.uploaded_at`;

const params = z.strictObject({ id: field.uuid });

const ofClaim = {
  tag: 'Documents',
  resource: 'reclamations',
  path: '/api/reclamations/{id}/documents',
} as const;
const common = { tag: 'Documents', resource: 'documents' } as const;

export const listDocuments = endpoint({
  ...ofClaim,
  method: 'get',
  summary: 'List the documents of a claim',
  roles: ROLES,
  params,
  query: z.strictObject({
    ...field.page,
    sort: field.sortBy('uploaded_at', 'filename'),
    q: field.search,
  }),
  responses: { 200: z.array(document) },
  id: ({ params }) => params.id,
  list: ({ params, query }, caller) =>
    listOf(
      {
        columns,
        from: 'public.documents as r',
        sorts: { uploaded_at: 'timestamptz', filename: 'text' },
        filters: { reclamation_id: 'r.reclamation_id = $', q: 'r.filename ilike $' },
      },
      { ...query, reclamation_id: params.id, q: containing(query.q) },
      caller,
    ),
});

export const createDocument = endpoint({
  ...ofClaim,
  method: 'post',
  summary: 'Attach a document to a claim',
  roles: ROLES,
  params,
  form: z.strictObject({ file: field.bytes }),
  responses: { 201: document },
  id: ({ params }) => params.id,
  handle: async ({ params }, request) => {
    await request.assertVisible();
    const { filename, mimeType, spooled } = await receive(request);
    const id = randomUUID();
    const result = await request.documents
      .keep(spooled, (path) =>
        request.run({
          text: `
with r as (
    insert into public.documents (id, reclamation_id, filename, file_path, file_size, mime_type)
    values ($1, $2, $3, $4, $5, $6)
    returning *
)
select to_json(r)::text, app.etag(r.uploaded_at)
from (
    select ${columns}
    from r
) r`,
          values: [id, params.id, filename, path, spooled.size, mimeType],
        }),
      )
      .catch(async (error: unknown) => {
        // A claim that was deleted meanwhile fails a policy or a key: to the caller it is simply gone.
        if (sqlState(error) !== undefined) await request.assertVisible();
        throw error;
      });
    return created(result, `/api/documents/${id}`);
  },
});

/** Takes the file of the request and looks at what it is. */
async function receive({ incoming, inviteBody, documents }: CallerRequest) {
  inviteBody();
  const {
    filename,
    declaredType,
    stored: spooled,
  } = await readForm(incoming, {
    field: 'file',
    maxBytes: documents.maxBytes,
    refuseName,
    store: documents.write,
    discard: documents.discard,
  });
  try {
    if (spooled.size === 0) throw invalid('must not be empty');
    const mimeType = await contentTypeOf(spooled.file, { filename, declaredType });
    if (mimeType === undefined) {
      throw new RequestError('ERROR_UNSUPPORTED_MEDIA_TYPE', `the file is of no allowed type`, {
        details: {
          file: 'must be a PDF, an image (PNG, JPEG, WebP, GIF, TIFF), an office file, or text or CSV in UTF-8',
        },
      });
    }
    return { filename, mimeType, spooled };
  } catch (error) {
    await documents.discard(spooled);
    throw error;
  }
}

/** A name is data, whatever it looks like; U+FFFD is what is left of one that was not in UTF-8. */
function refuseName(name: string): string | undefined {
  if (name.trim() === '' || Array.from(name).length > 255) return 'must have a name of 1 to 255 characters';
  return /[\p{Cc}\ufffd]/u.test(name) || !name.isWellFormed()
    ? 'must have a name in UTF-8 without control characters'
    : undefined;
}

function invalid(rule: string): RequestError {
  return new RequestError('ERROR_VALIDATION', `file ${rule}`, { details: { file: rule } });
}

export const readDocument = endpoint({
  ...common,
  method: 'get',
  path: '/api/documents/{id}',
  summary: 'Read what is known of a document',
  roles: ROLES,
  params,
  responses: { 200: document },
  id: ({ params }) => params.id,
  record: ({ params }) => ({
    text: `
select to_json(r)::text, app.etag(r.uploaded_at)
from (
    select ${columns}
    from public.documents as r
    where r.id = $1
) r`,
    values: [params.id],
  }),
});

export const readContent = endpoint({
  ...common,
  method: 'get',
  path: '/api/documents/{id}/content',
  summary: 'Download a document',
  roles: ROLES,
  params,
  responses: { 200: field.bytes, 206: field.bytes },
  id: ({ params }) => params.id,
  handle: async ({ params }, request) => {
    const { documents, incoming } = request;
    const { rows } = await request.run({
      text: `
select d.file_path, d.filename, coalesce(d.mime_type, 'application/octet-stream'), app.etag(d.uploaded_at), d.file_size
from public.documents as d
where d.id = $1`,
      values: [params.id],
    });
    const [row] = rows;
    if (row === undefined) throw await request.notFound();
    const [path, filename, type, tag, expected] = row;
    if (path == null || filename == null || type == null || tag == null)
      throw new Error('null in a column that has none');
    const size = await documents.size(path);
    if (size === undefined || size !== Number(expected ?? size)) {
      // Deleted meanwhile, or lost, which nobody may overlook.
      await request.assertVisible();
      throw new Error(`the content of document ${params.id} is lost: ${String(size)} bytes at ${path}`);
    }
    return contentReply(incoming, {
      ...{ size, type, filename, tag },
      read: (range) => documents.read(path, range),
    });
  },
});

export const deleteDocument = endpoint({
  ...common,
  method: 'delete',
  path: '/api/documents/{id}',
  summary: 'Delete a document with its content',
  roles: ['ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST'],
  params,
  responses: { 204: null },
  id: ({ params }) => params.id,
  remove: ({ params }, ifMatch) => ({
    text: `
delete from public.documents as d
where d.id = $1 and ($2::text[] is null or app.etag(d.uploaded_at) = any ($2))`,
    values: [params.id, ifMatch],
  }),
});
