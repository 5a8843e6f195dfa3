import type { Client } from 'pg';
import { table } from '../../measure.ts';

const OTHER = `(select id from public.clients where id <> d.client_id order by id limit 1)`;

/** Each must fail: what it would leave behind is a row of one client below a row of another. */
const ATTEMPTS: Readonly<Record<string, string>> = {
  'a document moves to another client': `update public.documents as d set client_id = ${OTHER} where id = (select id from public.documents limit 1)`,
  'a parcel moves to another client': `update public.cadastres as d set client_id = ${OTHER} where id = (select id from public.cadastres limit 1)`,
  'in parts: a document moves to another client': `update sharded.documents as d set client_id = ${OTHER} where id = (select id from public.documents limit 1)`,
  'in parts: a document of another client than its claim': `
    insert into sharded.documents (id, client_id, reclamation_id, filename, file_path)
    select gen_random_uuid(), ${OTHER}, d.reclamation_id, 'a.pdf', 'documents/by-client' from public.documents as d limit 1`,
  'in parts: the same id for two clients': `
    insert into sharded.sites (id, client_id, site_name)
    select d.id, ${OTHER}, 'twice' from public.sites as d limit 1`,
  'in parts: the same number of an invoice for two clients': `
    with one as (select d.id, d.client_id, ${OTHER} as other from public.factures as d limit 1)
    insert into sharded.factures (id, client_id, amount_excl_tax, number, status, issue_date)
    select gen_random_uuid(), c, 1, '2099-1', 'ISSUED', now() from one, unnest(array[client_id, other]) as c`,
};

export async function refused(admin: Client): Promise<string> {
  const rows: string[][] = [];
  for (const [name, text] of Object.entries(ATTEMPTS)) {
    await admin.query('begin');
    const outcome = await admin.query(text).then(
      () => 'done',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    await admin.query('rollback');
    rows.push([name, outcome]);
  }
  return table(['attempt', 'answer'], rows);
}
