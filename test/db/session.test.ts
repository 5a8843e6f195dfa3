import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { SessionPool } from '../../src/db/pool.ts';
import type { Session } from '../../src/db/session.ts';
import type { Statement } from '../../src/db/statement.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { sql } from '../support/probe.ts';
import { forSuite } from '../support/suite.ts';

const postgres = await forSuite(createEmptyDatabase());
const pool = await forSuite(
  new SessionPool({
    url: postgres.adminUrl,
    poolSize: 1,
    statementTimeoutMs: 10_000,
    preparedStatements: true,
    log: pino({ level: 'silent' }),
  }),
);

const pidOf = (session: Session) => session.sendOne(sql('select pg_backend_pid()'), 'probe', 'idle');
const probe = (...statements: Statement[]) => [{ role: 'probe', settings: [], statements }];
const pid = async () => (await pool.withSession(pidOf)).rows[0]?.[0];

test('a request that leaves a transaction open fails, and no other request gets that connection', async () => {
  const before = await pid();
  const left = pool.withSession((session) => session.send(probe(sql('select 1'), sql('begin')), 'idle'));
  await expect(left).rejects.toThrow('in state T');
  expect(await pid()).not.toBe(before);
});

test('the connection pool closes a connection that is returned with an open transaction, and keeps one that is returned idle', async () => {
  const before = await pid();
  expect(await pid()).toBe(before);
  await pool.withSession((session) => session.send(probe(sql('begin')), 'in transaction'));
  expect(await pid()).not.toBe(before);
});
