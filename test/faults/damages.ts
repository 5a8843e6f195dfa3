import { listed } from '../support/listed.ts';

const acknowledged = (kind: string, table: string): string => `
  (select serial from requests as r join stored as s on s.id = r.record
   where r.kind = '${kind}' and r."table" = '${table}' and r.is_acknowledged and not r.is_unknown limit 1)`;

/** SQL statements that damage the database after a load test. For each damage, one check must report it. */
export const DAMAGES = listed('faults/damages.sql', {
  CREATED_SITE: acknowledged('create', 'sites'),
  CHANGED_SITE: acknowledged('change', 'sites'),
  MOVED_CLAIM: acknowledged('move', 'reclamations'),
  GRANT: `(select "requestId" from attempts where kind = 'grant' and status = 200 limit 1)`,
  JOINER: `(select min(recipient) from mails where recipient like '%@joiners.example')`,
  REFUSAL: `(select request_id from records where not success limit 1)`,
  ANY: `serial = (select serial from attempts where operation = 'read clients' limit 1)`,
}).map(({ head: [check = '', what = ''], sql, parts: { session } }) => ({
  check,
  what,
  sql,
  session: session?.sql ?? '',
}));
