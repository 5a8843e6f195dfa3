import type { Client } from 'pg';
import { table } from '../../measure.ts';

interface Attempt {
  readonly what: string;
  /**
   * The client whose account manager makes the attempt to write. If absent, a superuser without policies makes the
   * attempt.
   */
  readonly of?: 'the claim' | 'others';
  readonly text: string;
  /**
   * A part of the error message with which the database must refuse the attempt to write; absent if the attempt must
   * succeed.
   */
  readonly refusal?: string;
}

/** The SQL for the ids that the attempted writes name: a claim with its client, and another client. */
const NAMED = `
  with claim as (select id, client_id from public.reclamations order by id limit 1),
  other as (select c.id from public.clients as c, claim where c.id <> claim.client_id order by c.id limit 1)
  select claim.id as claim, claim.client_id as client, other.id as other from claim, other`;

const attach = (schema: string, client?: string): string => `
  insert into ${schema}.documents (id, reclamation_id, filename, file_path${client === undefined ? '' : ', client_id'})
  values (gen_random_uuid(), '{claim}', 'a.pdf', 'documents/by-client'${client === undefined ? '' : `, '${client}'`})`;
const POLICY = 'violates row-level security policy';
const KEY = 'violates foreign key constraint';

const ATTEMPTS: readonly Attempt[] = [
  {
    what: 'an account manager attaches a document to a claim of the own client',
    of: 'the claim',
    text: attach('public'),
  },
  {
    what: 'an account manager attaches a document to a foreign claim',
    of: 'others',
    text: attach('public'),
    refusal: POLICY,
  },
  {
    ...{ what: 'an account manager attaches a document with the own client to a foreign claim', of: 'others' },
    ...{ text: attach('public', '{other}'), refusal: POLICY },
  },
  {
    what: 'a superuser moves a document to another client',
    text: `update public.documents set client_id = '{other}' where reclamation_id = '{claim}'`,
    refusal: KEY,
  },
  {
    what: 'a superuser moves a parcel to another client',
    text: `update public.cadastres set client_id = '{other}' where client_id = '{client}'`,
    refusal: KEY,
  },
  {
    what: 'partitioned tables: an account manager attaches a document to a claim of the own client',
    of: 'the claim',
    text: attach('sharded', '{client}'),
  },
  {
    ...{ what: 'partitioned tables: an account manager attaches a document to a foreign claim', of: 'others' },
    ...{ text: attach('sharded', '{client}'), refusal: POLICY },
  },
  {
    ...{
      what: 'partitioned tables: an account manager attaches a document with the own client to a foreign claim',
      of: 'others',
    },
    ...{ text: attach('sharded', '{other}'), refusal: KEY },
  },
  {
    what: 'partitioned tables: a superuser moves a document to another client',
    text: `update sharded.documents set client_id = '{other}' where reclamation_id = '{claim}'`,
    refusal: KEY,
  },
  {
    what: 'partitioned tables: a superuser stores the same site id for two clients',
    text: `insert into sharded.sites (id, client_id, site_name)
           select id, '{other}', 'twice' from sharded.sites where client_id = '{client}' limit 1`,
  },
  {
    what: 'partitioned tables: a superuser stores the same invoice number for two clients',
    text: `insert into sharded.factures (id, client_id, amount_excl_tax, number, status, issue_date)
           select gen_random_uuid(), c, 1, '2099-1', 'ISSUED', now() from unnest(array['{client}', '{other}']::uuid[]) as c`,
  },
];

/**
 * Returns a table of all attempted writes with their outcomes, and rolls each attempt back.
 * @throws Error if an attempt succeeds or fails against its expectation
 */
export async function refused(admin: Client): Promise<string> {
  const { rows: named } = await admin.query<Record<'claim' | 'client' | 'other', string>>(NAMED);
  const ids = named[0] ?? { claim: '', client: '', other: '' };
  const rows: string[][] = [];
  for (const { what, of, text, refusal } of ATTEMPTS) {
    await admin.query('begin');
    if (of !== undefined) await become(admin, of === 'others' ? ids.other : ids.client);
    const filled = text.replace(/\{(claim|client|other)\}/g, (_, name: keyof typeof ids) => ids[name]);
    const answer = await admin.query(filled).then(
      ({ rowCount }) => `done, ${String(rowCount)} rows`,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    await admin.query('rollback');
    const asExpected = refusal === undefined ? /^done, [1-9]/.test(answer) : answer.includes(refusal);
    if (!asExpected) throw new Error(`${what}: ${answer}`);
    rows.push([what, of === undefined ? 'superuser' : `manager of ${of}`, answer]);
  }
  return table(['attempt', 'by', 'answer'], rows);
}

async function become(admin: Client, client: string): Promise<void> {
  await admin.query(
    `select set_config('app.client_access', $1, true), set_config('app.actor', 'scale', true),
            set_config('app.action', 'POST /scale', true), set_config('role', 'taxclaims_account_manager', true)`,
    [`{${client}}`],
  );
}
