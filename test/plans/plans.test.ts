import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { openDatabase } from '../../src/db/database.ts';
import { createTestDatabase, withAdmin } from '../support/database.ts';
import { readPlans, renderPlans } from './golden.ts';
import { callerOf, readsOf } from './plans.ts';
import { clientsOf } from './population.ts';
import { forSuite } from '../support/suite.ts';

/*
 * These tests compare the query plans of all reads on thousands of rows with a stored file, so that a reviewer sees a
 * changed plan.
 */

/**
 * Requests whose SQL Postgres plans anew for each execution, because the best plan depends on the values: pages by
 * offset, the list of partners, reads of several ids or clients, personal data, and the claims of one status, for which
 * a partial index of the open claims may be the smallest.
 */
const PLANNED_ANEW =
  /offset=|\/reclamations\?limit=20&status=DRAFT$|^\/api\/partners\?|\bid=[^&]*%2C|client_id=[^&]*%2C|\/personal-data\?/;

/** Postgres makes a new plan for the first five executions of a prepared statement, so seven show a generic plan. */
const EXECUTIONS = 7;

const postgres = await forSuite(createTestDatabase());
const plans = await renderPlans(postgres);
const database = await forSuite(
  openDatabase({
    ...{ url: postgres.apiUrl, poolSize: 1, statementTimeoutMs: 30_000, preparedStatements: true },
    log: pino({ level: 'silent' }),
  }),
);

test('Postgres executes each GET request’s SQL by the query plan that `npm run plans:golden` stored for the release', async () => {
  expect(plans.text.split('\n')).toEqual((await readPlans(plans.major)).split('\n'));
});

test.each([1, 50, 1000])(
  'Postgres reuses a generic query plan for GET requests of a caller with %i clients, unless the best plan depends on the values of the request',
  async (size) => {
    const clients = await withAdmin(postgres.adminUrl, (admin) => clientsOf(admin, size));
    const reads = readsOf(callerOf('ACCOUNT_MANAGER', clients));
    for (const { context, statement } of reads) {
      for (let run = 0; run < EXECUTIONS; run += 1) await database.run(context, [statement]);
    }
    const { rows } = await database.callAsLogin({
      text: 'select statement, generic_plans from pg_prepared_statements where generic_plans > 0',
      values: [],
    });
    const generic = new Set(rows.map(([text]) => text));
    const anew = reads.filter(({ statement }) => !generic.has(statement.text)).map(({ line }) => line);
    expect(anew.filter((line) => !PLANNED_ANEW.test(line))).toEqual([]);
  },
);
