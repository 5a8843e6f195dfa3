import { hash } from 'node:crypto';
import { ROLES } from '../identity/caller.ts';
import { readAsLogin, type DatabaseLogin } from './database.ts';

/* Links that open a document without an access token: docs/decisions/document-links.md */

export const digestOfSecret = (secret: string): string => hash('sha256', secret);

const LINK_AUTHOR_QUERY = `
select l.subject, l.user_id, l.role, l.client_id, l.access_digest, extract(epoch from l.issued_at)::bigint
from app.document_link($1, $2) as l`;

/** Returns the link's author, limited to the document's client; each transaction checks the author's rights again. */
export async function findLinkAuthor(database: DatabaseLogin, document: string, secret: string) {
  const [row = []] = await readAsLogin(database, LINK_AUTHOR_QUERY, digestOfSecret(secret), document);
  const [subject, userId, roleName, client, accessDigest, issuedAt] = row;
  const role = ROLES.find((known) => known === roleName);
  if (subject == null || userId == null || client == null || accessDigest == null || !role) return undefined;
  return {
    subject,
    userId,
    role,
    clientAccess: [client],
    accessDigest,
    issuedAt: Number(issuedAt),
    email: undefined,
    name: undefined,
  };
}
