/**
 * Measures the processor time of Postgres for the assignment of 500 claims in one request, compared with one SQL update
 * of the same claims as the superuser, whose triggers write the same audit records. The request and the update take
 * turns.
 *
 *   npx node bench/many.ts [turns]
 */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { openDatabase } from '../src/db/database.ts';
import type { CallerRequest } from '../src/http/caller-request.ts';
import { changeRecords } from '../src/records/change-many.ts';
import { reclamation } from '../src/resources/reclamation-record.ts';
import { connected, createTestDatabase } from '../test/support/database.ts';
import setUp from '../test/support/global-setup.ts';
import tearDown from '../test/support/global-teardown.ts';
import { medians, short } from './measure.ts';
import { backendsOf, processorTime } from './processor-time.ts';
import { CLIENT, fill, idOf, USER } from './writes/rows.ts';
import { context } from './writes/side.ts';

const CLAIMS = 500;
const PEOPLE = [USER, idOf('a0', 2)] as const;

await setUp();
const postgres = await createTestDatabase();
const admin = await connected(postgres.adminUrl);
const database = openDatabase({
  ...{ url: postgres.apiUrl, poolSize: 1, statementTimeoutMs: 60_000, preparedStatements: true },
  log: pino({ level: 'silent' }),
});
try {
  await fill(admin);
  const ids = Array.from({ length: CLAIMS }, () => randomUUID());
  await admin.query(
    `insert into public.users (id, email, password_hash, name, role, client_access)
     values ('${PEOPLE[1]}', 'specialist@example.org', '!', 'Specialist', 'TAX_SPECIALIST', '{${CLIENT}}');
     insert into public.reclamations (id, client_id, site_id, claim_type, amount)
     select id, '${CLIENT}', '${idOf('d1', 1)}', 'TF', 100 from unnest('{${ids.join()}}'::uuid[]) as id`,
  );
  await admin.query('vacuum analyze');
  const request = {
    transaction: database.transaction.bind(database, context),
  } as unknown as CallerRequest;
  let last = 0;
  const another = (): string => PEOPLE[(last = 1 - last)] ?? USER;
  const many = (): Promise<unknown> => {
    const assignee = another();
    const changes = ids.map((id) => ({ id, assignee_id: assignee }));
    return changeRecords({ of: reclamation, references: {} }, changes, false, request);
  };
  const bare = (): Promise<unknown> =>
    admin.query('update public.reclamations set assignee_id = $1 where id = any ($2)', [another(), ids]);
  await many();
  const backends = await backendsOf(admin, new URL(postgres.apiUrl).username);
  const { rows } = await admin.query<{ pid: number }>('select pg_backend_pid() as pid');
  const own = rows.map(({ pid }) => pid);
  const spent = await medians(
    [
      { name: 'many', run: many, clock: () => processorTime(backends) },
      { name: 'bare', run: bare, clock: () => processorTime(own) },
    ],
    Number(process.argv[2] ?? 21),
  );
  const [ofMany = NaN, ofBare = NaN] = [spent.get('many'), spent.get('bare')];
  console.log(
    `${CLAIMS} claims, ms of Postgres: ${short(ofMany)} in one request, ${short(ofBare)} bare, ratio ${(ofMany / ofBare).toFixed(2)}`,
  );
} finally {
  await database.close();
  await admin.end();
  await postgres.close();
  await tearDown();
}
