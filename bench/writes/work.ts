import { randomUUID } from 'node:crypto';
import type { Statement } from '../../src/db/statement.ts';
import { CLIENT, FOREIGN_CLIENT, idOf } from './rows.ts';

const SITE = idOf('d1', 1);
const CLAIM_COLUMNS = `r.id, r.client_id, r.site_id, r.claim_type, r.amount, r.status, r.grounds, r.created_at, r.updated_at`;

const REFUSAL = {
  ...{ request_id: 'bench', actor: 'idp|bench', action: 'GET /api/reclamations/x', age_ms: 1 },
  ...{ resource_type: 'reclamations', resource_id: idOf('e1', 1), client_context: FOREIGN_CLIENT },
  ...{ error_message: 'foreign', ip_address: '192.0.2.1', user_agent: 'bench' },
};

/**
 * One measured piece of work: the SQL statements of an account manager’s request, or a function that the API itself
 * calls.
 */
export interface Work {
  readonly own?: true;
  readonly statements: (call: number) => readonly Statement[];
}

/** Returns the id of a claim of the client that the measured requests name, to whom every 200th claim belongs. */
const claim = (call: number): string => idOf('e1', 200 * (1 + (call % 100)));

const one = (text: string, values: Statement['values']): readonly Statement[] => [{ text, values }];

export const WORK: Readonly<Record<string, Work>> = {
  'create a claim': {
    statements: () =>
      one(
        `insert into public.reclamations as r (id, client_id, site_id, claim_type, amount, tax_year, commune_code)
         values ($1, $2, $3, 'TF', 100, 2024, '75056')
         returning ${CLAIM_COLUMNS}, app.etag(r.updated_at)`,
        [randomUUID(), CLIENT, SITE],
      ),
  },
  'change a claim': {
    statements: (call) =>
      one(
        `update public.reclamations as r set grounds = $2 where r.id = $1
         returning ${CLAIM_COLUMNS}, app.etag(r.updated_at)`,
        [claim(call), String(call)],
      ),
  },
  'move a claim': {
    statements: (call) =>
      one(
        `update public.reclamations as r
         set status = case r.status when 'DRAFT' then 'READY_FOR_REVIEW' else 'DRAFT' end
         where r.id = $1
         returning ${CLAIM_COLUMNS}, app.etag(r.updated_at)`,
        [claim(call)],
      ),
  },
  'attach a document': {
    statements: (call) =>
      one(
        `insert into public.documents as r (id, reclamation_id, filename, file_path, file_size, mime_type)
         values ($1, $2, 'avis.pdf', $3, 1000, 'application/pdf')
         returning r.id, r.reclamation_id, r.filename, r.file_size, r.mime_type, r.uploaded_at, app.etag(r.uploaded_at)`,
        [randomUUID(), claim(call), randomUUID()],
      ),
  },
  'change a client': {
    statements: (call) =>
      one(
        `update public.clients as r set address = $2 where r.id = $1
         returning r.id, r.company_name, r.address, app.etag(r.updated_at)`,
        [CLIENT, String(call)],
      ),
  },
  'change a partner': {
    statements: (call) =>
      one(
        `update public.partners as r set phone = $2 where r.id = $1
         returning r.id, r.name, r.phone, app.etag(r.updated_at)`,
        [idOf('f1', 1), String(call)],
      ),
  },
  'read a document of a foreign client, which returns no row': {
    statements: () => one('select from public.documents as r where r.id = $1', [idOf('b1', 3)]),
  },
  'find the client of a claim': {
    own: true,
    statements: () => one('select found, client_id from app.locate($1, $2)', ['reclamations', idOf('e1', 1)]),
  },
  'find the client of a document': {
    own: true,
    statements: () => one('select found, client_id from app.locate($1, $2)', ['documents', idOf('b1', 1)]),
  },
  'record a refusal': {
    own: true,
    statements: () => one('select app.record_refusals($1)', [JSON.stringify([{ ...REFUSAL, id: randomUUID() }])]),
  },
  'list the contents that are due for removal': {
    own: true,
    statements: () => one('select * from app.due_removals($1)', [100]),
  },
};
