import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { digestOfSecret } from '../../db/document-links.ts';
import type { CallerRequest } from '../../http/caller-request.ts';
import type { EndpointReply } from '../../http/envelope.ts';
import * as field from '../../http/fields.ts';
import { RecordNotFound } from '../../http/errors.ts';
import { rule } from '../../problems.ts';
import * as column from '../../records/column.ts';

const LINK_URL_DESCRIPTION =
  'Path and query of the link on this server. It needs no token and can be used several times. A browser shows PDFs and images, and saves other files.';
const LINK_END_DESCRIPTION = 'Time at which the link expires; it stops working earlier if the caller loses access.';

export const documentLink = z
  .strictObject({
    url: z.string().meta({ description: LINK_URL_DESCRIPTION }),
    expires_at: column.time.output.meta({ description: LINK_END_DESCRIPTION }),
  })
  .meta({ id: 'DocumentLink' });

const linkSecret = z.string().regex(/^[0-9a-f]{64}$/, rule('not_a_link'));
const LINK_DESCRIPTION = 'Secret of a link created by `POST /api/documents/{id}/link`, instead of a token.';

export const linkQuery = z.strictObject({ link: field.describeParameter(linkSecret, LINK_DESCRIPTION).optional() });

/** Stores the digest of a new secret together with the caller's rights. @throws RecordNotFound */
export async function documentLinkEndpoint(request: CallerRequest, document: string): Promise<EndpointReply> {
  const secret = `${randomUUID()}${randomUUID()}`.replaceAll('-', '');
  const { issuedAt, accessDigest } = request.caller;
  const { rows } = await request.run({
    text: `
select app.link_document($2, r.id, c.client_id, to_timestamp($3), $4)
from public.documents as r
join public.reclamations as c on c.id = r.reclamation_id
where r.id = $1`,
    values: [document, digestOfSecret(secret), issuedAt, accessDigest],
  });
  const end = rows[0]?.[0];
  if (end == null) throw new RecordNotFound();
  const url = JSON.stringify(`${request.publicPath}/api/documents/${document}/content?link=${secret}`);
  return { status: 200, body: `{"url":${url},"expires_at":${column.time.toJson(end)}}` };
}
