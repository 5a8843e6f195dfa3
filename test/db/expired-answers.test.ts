import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { openDatabase } from '../../src/db/database.ts';
import { scheduleExpiredAnswerDeletion } from '../../src/db/housekeeping.ts';
import { createTestDatabase, withAdmin } from '../support/database.ts';
import { forSuite } from '../support/suite.ts';

const log = pino({ level: 'silent' });

const postgres = await forSuite(createTestDatabase());
const options = { poolSize: 2, statementTimeoutMs: 5_000, preparedStatements: true, log };
const database = await forSuite(openDatabase({ url: postgres.apiUrl, ...options }));

/**
 * Deletes all stored responses of Idempotency-Keys, then stores `expired` responses older than a day and `others`
 * younger responses.
 */
function fill(expired: number, others: number): Promise<void> {
  return withAdmin(postgres.adminUrl, async (admin) => {
    await admin.query('delete from app.idempotency_keys');
    await admin.query(
      `insert into app.idempotency_keys
           (subject, key_digest, request_digest, resource_type, resource_id, body, location, created_at)
       select 'somebody', lpad(to_hex(n), 64, '0'), repeat('0', 64), 'sites', gen_random_uuid(), '{}', '/',
           now() - case when n <= $1 then interval '25 hours' else interval '23 hours' end
       from generate_series(1, $2::integer) as n`,
      [expired, expired + others],
    );
  });
}

const left = () =>
  withAdmin(postgres.adminUrl, async (admin) => {
    const text = 'select count(*)::integer as rows from app.idempotency_keys';
    return (await admin.query<{ rows: number }>(text)).rows[0]?.rows;
  });

test('a periodic task deletes in batches the stored responses to Idempotency-Keys that are older than a day, and no younger ones', async () => {
  await fill(1_200, 3);
  const forgetting = scheduleExpiredAnswerDeletion(database, log);
  await forgetting.runNow();
  await forgetting.close();
  expect(await left()).toBe(3);
});

test('if the deletion of old responses to Idempotency-Keys fails, the service logs an error and deletes them the next time', async () => {
  const failures: unknown[] = [];
  const errorLog = pino({}, { write: (line) => failures.push(JSON.parse(line)) });
  await fill(2, 1);
  await withAdmin(postgres.adminUrl, (admin) =>
    admin.query('revoke execute on function app.forget_answers(integer) from taxclaims_api'),
  );
  const forgetting = scheduleExpiredAnswerDeletion(database, errorLog);
  await forgetting.runNow();
  expect(failures).toContainEqual(expect.objectContaining({ level: 50, err: expect.anything() }));
  expect(await left()).toBe(3);
  await withAdmin(postgres.adminUrl, (admin) =>
    admin.query('grant execute on function app.forget_answers(integer) to taxclaims_api'),
  );
  await forgetting.runNow();
  await forgetting.close();
  expect(await left()).toBe(1);
});
