/** Something wrong that a check must see, and nothing else made it. */
interface Damage {
  readonly check: string;
  readonly what: string;
  /** Run by the superuser, in a transaction that is rolled back, with no trigger and no foreign key in the way. */
  readonly sql?: string;
  /** Run in a session that goes by the service's name, which stays open meanwhile. */
  readonly session?: string;
}

const ACKNOWLEDGED = (kind: string, table: string): string => `
  (select serial from requests as r join stored as s on s.id = r.record
   where r.kind = '${kind}' and r."table" = '${table}' and r.is_acknowledged and not r.is_unknown limit 1)`;
const REFUSED = `(select request_id from records where not success limit 1)`;
const SITE = ACKNOWLEDGED('create', 'sites');

export const DAMAGES: readonly Damage[] = [
  {
    check: 'what was acknowledged is there once',
    what: 'a site is lost',
    sql: `delete from public.sites where id = (select record from requests where serial = ${SITE})`,
  },
  {
    check: 'nothing is stored twice',
    what: 'a site is there twice',
    sql: `insert into public.sites (client_id, site_name)
          select client_id, site_name from public.sites join requests on record = id where serial = ${SITE}`,
  },
  {
    check: 'nothing is stored that was not sent',
    what: 'a site that nobody sent',
    sql: `insert into public.sites (client_id, site_name) select id, 'nobody’s' from public.clients limit 1`,
  },
  {
    check: 'what was refused or wrong is not stored',
    what: 'a site that was refused',
    sql: `update attempts set status = 403 where serial = ${SITE}`,
  },
  {
    check: 'what was deleted is gone',
    what: 'a deleted site is back',
    sql: `insert into public.sites (id, client_id, site_name)
          select record, c.id, 'back' from requests, public.clients as c
          where kind = 'delete' and "table" = 'sites' and is_acknowledged limit 1`,
  },
  {
    check: 'a record is as the last acknowledged change left it, or one without an answer after it',
    what: 'a site with another address',
    sql: `update public.sites set address = 'elsewhere'
          where id = (select record from requests where serial = ${ACKNOWLEDGED('change', 'sites')})`,
  },
  {
    check: 'a record is as the last acknowledged change left it, or one without an answer after it',
    what: 'a claim with another status',
    sql: `update public.reclamations set status = 'WITHDRAWN'
          where id = (select record from requests where serial = ${ACKNOWLEDGED('move', 'reclamations')})`,
  },
  {
    check: 'each acknowledged move of a claim is in its history, and no other',
    what: 'a move is not in the history',
    sql: `delete from public.reclamation_history
          where reclamation_id = (select record from requests where serial = ${ACKNOWLEDGED('move', 'reclamations')})`,
  },
  {
    check: 'the numbers of invoices have no gap',
    what: 'an invoice with a number is lost',
    sql: `delete from public.factures where number in (select min(number) from public.factures)`,
  },
  {
    check: 'a request with a key is answered in the end',
    what: 'a request with a key was 503 to the last',
    sql: `update attempts set status = 503 where serial = (select serial from attempts where keyed limit 1)`,
  },
  {
    check: 'each refusal has one record',
    what: 'the record of a refusal is lost',
    sql: `delete from public.audit_logs where request_id = ${REFUSED}`,
  },
  {
    check: 'each record of a refusal is of one that was refused, or had no answer',
    what: 'a record of a refusal that was none',
    sql: `update attempts set status = 200 where "requestId" = ${REFUSED}`,
  },
  {
    check: 'no refusal has two records',
    what: 'a refusal that is recorded twice',
    sql: `insert into public.audit_logs (action, resource_type, success, user_agent, request_id, actor)
          select action, resource_type, success, user_agent, request_id, actor
          from public.audit_logs where request_id = ${REFUSED}`,
  },
  {
    check: 'a refusal is dated when it was',
    what: 'a refusal of an hour before',
    sql: `update public.audit_logs set created_at = created_at - interval '1 hour' where request_id = ${REFUSED}`,
  },
  {
    check: 'each acknowledged write has one record of success',
    what: 'the record of a creation is lost',
    sql: `delete from public.audit_logs
          where success and resource_id = (select record from requests where serial = ${SITE})`,
  },
  {
    check: 'each record of success is of a request that succeeded, or had no answer',
    what: 'a record of success of what failed',
    sql: `update attempts set status = 400 where serial = ${SITE}`,
  },
  ...[
    ['an answer is one that was to be expected, or 503', 'an answer that nobody expects', 'expected = false'],
    ['an answer is whole and the right one', 'an answer with another record', `defect = 'another site'`],
    [
      'no answer holds anything of another tenant',
      'an answer with foreign bytes',
      `"foreign" = '["Garage"]'`,
    ],
    ['a 503 says when to come again', 'a 503 that says no time', 'status = 503, "retryAfter" = false'],
    ['nobody waits without end', 'a request that hung', `lost = 'hung'`],
  ].map(([check = '', what = '', change = '']) => ({
    ...{ check, what },
    sql: `update attempts set ${change} where serial = (select serial from attempts where operation = 'read clients' limit 1)`,
  })),
  {
    check: 'what the fault must leave alone is answered',
    what: 'a 503 that should not be',
    sql: `insert into spared values ('read clients');
          update attempts set status = 503 where operation = 'read clients'`,
  },
  {
    check: 'each document has its content, and each content its document or its end',
    what: 'a content is lost',
    sql: `delete from contents where path in (
            select file_path from public.documents where id not in (select f.id from fixture as f) limit 1)`,
  },
  {
    check: 'each document has its content, and each content its document or its end',
    what: 'a content without a document',
    sql: `insert into contents values ('aa/nobody’s', 1)`,
  },
  {
    check: 'no connection is left in a transaction',
    what: 'a session that has not ended its transaction',
    session: 'begin; select 1',
  },
  {
    check: 'no lock is left',
    what: 'a lock of a session',
    session: 'select pg_advisory_lock(1)',
  },
  {
    check: 'a table that nobody writes is as it was',
    what: 'a parcel that nobody sent',
    sql: `insert into public.cadastres (site_id, commune_code, section, number)
          select id, '75056', 'AB', '0001' from public.sites limit 1`,
  },
];
