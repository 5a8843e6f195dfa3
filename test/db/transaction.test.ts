import { beforeEach, describe, expect, test } from '@jest/globals';
import { DatabaseUnavailable } from '../../src/db/errors.ts';
import type { StatementRunner } from '../../src/db/transaction.ts';
import { CLEAN, FOREIGN, insert, MINE, openProbe, request, sql } from '../support/probe.ts';
import { forSuite } from '../support/suite.ts';

const probe = await forSuite(openProbe());

beforeEach(async () => {
  await probe.admin('truncate public.probe');
});

const fails = sql('select 1 / $1::integer', 0);
const unencodable = sql('select $1::timestamptz', new Date(NaN));
const orphan = sql('insert into public.probe values (3, $1, 404)', MINE);

async function expectClean(pid: string): Promise<void> {
  expect(await probe.connection()).toEqual({ pid, state: CLEAN });
}

describe('a transaction that the service begins explicitly', () => {
  test('an explicit transaction stores the work of all its statements, which see each other’s results', async () => {
    const { pid } = await probe.connection();
    const given = await probe.database.transaction(request(), async (run) => {
      const first = await run(sql('insert into public.probe (id, client_id) values (1, $1) returning id + 1', MINE));
      const next = Number(first.rows[0]?.[0]);
      await run(insert(next));
      return next;
    });
    expect(given).toBe(2);
    expect(await probe.stored()).toEqual([1, 2]);
    await expectClean(pid);
  });

  test('every statement of an explicit transaction runs with the role and settings of its request', async () => {
    const who = sql('select current_user::text, app.client_access()::text');
    const callers = await probe.database.transaction(request(), async (run) => [await run(who), await run(who)]);
    const manager = ['taxclaims_account_manager', `{${MINE}}`];
    expect(callers.map(({ rows }) => rows[0])).toEqual([manager, manager]);
  });

  test('if Postgres refuses statements under a savepoint, their explicit transaction undoes only these statements and stores all others', async () => {
    const refused = await probe.database.transaction(request(), async (run, attempt) => {
      await run(insert(1));
      const error = await attempt(insert(2), fails);
      expect(await attempt(insert(3))).toBeUndefined();
      await run(insert(4));
      return error?.code;
    });
    expect(refused).toBe('22012');
    expect(await probe.stored()).toEqual([1, 3, 4]);
  });

  test('under a savepoint, the service refuses statements that act on the database session, such as set role', async () => {
    const set = sql('set role taxclaims_admin');
    await expect(probe.database.transaction(request(), (_run, attempt) => attempt(set))).rejects.toThrow(
      'A statement must act on data',
    );
  });

  test('if code does not await the statements of an explicit transaction, the service still sends them one after the other before the commit', async () => {
    const results: unknown[] = [];
    await probe.database.transaction(request(), async (run) => {
      await Promise.all([run(insert(1)), run(insert(2))]);
      void run(sql('select pg_sleep(0.02)')).then(() => results.push('slept'));
      void run(insert(3)).then(() => results.push('inserted'));
    });
    expect(results).toEqual(['slept', 'inserted']);
    expect(await probe.stored()).toEqual([1, 2, 3]);
  });

  test('two statements with the same SQL text that a transaction starts at once use one prepared statement', async () => {
    const text = 'select 7 * $1::integer';
    const direct = await openProbe({ isDirect: true });
    await direct.database.transaction(request(), (run) => Promise.all([run(sql(text, 1)), run(sql(text, 2))]));
    const { rows } = await direct.database.callAsLogin(
      sql('select generic_plans + custom_plans from pg_prepared_statements where statement = $1', text),
    );
    expect(rows).toEqual([['2']]);
    await direct.close();
  });
});

describe('a transaction that Postgres rolled back because of another transaction', () => {
  /** SQL that fails only at its first call. A rollback does not reset the sequence that counts the calls. */
  const once = sql('select public.fails_once()');

  test.each(['40001', '40P01'])(
    'the service repeats a transaction that Postgres rolled back with SQLSTATE %s',
    async (sqlstate) => {
      await probe.admin(
        `create sequence public.asked;
       grant usage on sequence public.asked to public;
       create function public.fails_once() returns bigint language plpgsql as $$
       declare
           asked constant bigint := nextval('public.asked');
       begin
           if asked in (1, 3) then raise exception 'others' using errcode = '${sqlstate}'; end if;
           return asked;
       end $$`,
      );
      await probe.database.run(request(), [insert(1), once]);
      await probe.database.transaction(request(), async (run) => {
        await run(insert(2));
        await run(once);
      });
      expect(await probe.stored()).toEqual([1, 2]);
      await probe.admin('drop function public.fails_once(); drop sequence public.asked');
    },
  );
});

describe('an explicit transaction that fails stores nothing and leaves its connection clean and in use', () => {
  test.each<[why: string, work: (run: StatementRunner) => Promise<unknown>, error: object]>([
    ['a statement failed', (run) => run(insert(2, FOREIGN)), { code: '42501' }],
    ['its code threw', () => Promise.reject(new Error('the code')), { message: 'the code' }],
    ['a value could not be encoded', (run) => run(unencodable), { name: 'RangeError' }],
    ['a deferred constraint failed at its COMMIT', (run) => run(orphan), { code: '23503' }],
  ])('an explicit transaction stores nothing if %s', async (_why, work, error) => {
    const { pid } = await probe.connection();
    const failed = probe.database.transaction(request(), async (run) => {
      await run(insert(1));
      await work(run);
    });
    await expect(failed).rejects.toMatchObject(error);
    expect(await probe.stored()).toEqual([]);
    await expectClean(pid);
  });

  test('a transaction that the service begins for an inactive user runs none of its code', async () => {
    await probe.admin(
      `insert into public.users (email, password_hash, name, role, subject, is_active)
       values ('a@b.example', '!', 'A', 'ACCOUNT_MANAGER', 'idp|inactive', false)`,
    );
    const { pid } = await probe.connection();
    const caller = { ...request().caller, subject: 'idp|inactive' };
    let worked = false;
    const failed = probe.database.transaction(request({ caller }), async (run) => {
      await run(insert(3));
      worked = true;
    });
    await expect(failed).rejects.toMatchObject({ code: 'TX401' });
    expect(worked).toBe(false);
    await expectClean(pid);
  });

  test('an explicit transaction fails even if its code catches the error of a statement', async () => {
    const { pid } = await probe.connection();
    const failed = probe.database.transaction(request(), async (run) => {
      await run(insert(1));
      await run(fails).catch(() => undefined);
      return 'done';
    });
    await expect(failed).rejects.toThrow('rolled back');
    await expect(failed).rejects.toMatchObject({ cause: { code: '22012' } });
    expect(await probe.stored()).toEqual([]);
    await expectClean(pid);
  });

  test('an explicit transaction whose code throws stores nothing, even if statements that it did not await still run', async () => {
    const { pid } = await probe.connection();
    const failed = probe.database.transaction(request(), async (run) => {
      await run(insert(1));
      void run(sql('select pg_sleep(0.02)'));
      void run(insert(2));
      throw new Error('the code');
    });
    await expect(failed).rejects.toThrow('the code');
    expect(await probe.stored()).toEqual([]);
    await expectClean(pid);
  });
});

test.each([
  ['was committed', (run: StatementRunner) => Promise.resolve(run)],
  ['was rolled back', (run: StatementRunner) => run(fails)],
])(
  'once an explicit transaction %s, a further statement of its code is refused and changes nothing',
  async (_case, work: (run: StatementRunner) => Promise<unknown>) => {
    const late: StatementRunner[] = [];
    const transaction = probe.database.transaction(request(), (run) => {
      late.push(run);
      return work(run);
    });
    await transaction.catch(() => undefined);
    for (const run of late) await expect(run(insert(1))).rejects.toThrow('The transaction has ended');
    expect(late).toHaveLength(1);
    expect(await probe.stored()).toEqual([]);
  },
);

test.each([
  ['between two statements', (run: StatementRunner) => run(insert(2))],
  ['before COMMIT', () => Promise.resolve()],
])('a transaction that loses its database connection %s fails with DatabaseUnavailable', async (_when, work) => {
  const lost = probe.database.transaction(request(), async (run) => {
    await run(insert(1));
    await probe.terminate();
    await work(run);
  });
  await expect(lost).rejects.toBeInstanceOf(DatabaseUnavailable);
  expect(await probe.stored()).toEqual([]);
  await probe.database.transaction(request(), (run) => run(insert(3)));
  expect(await probe.stored()).toEqual([3]);
});

test('the server ends a transaction whose code takes too long, and releases its locks', async () => {
  const hasty = await openProbe({ statementTimeoutMs: 300 });
  const locks = `select from pg_locks where relation = 'public.probe'::regclass
    and database = (select oid from pg_database where datname = current_database())`;
  try {
    const late = hasty.database.transaction(request(), async (run) => {
      await run(insert(1));
      while ((await hasty.admin(locks)).length > 0);
      await run(insert(2));
    });
    await expect(late).rejects.toBeInstanceOf(DatabaseUnavailable);
    expect(await hasty.stored()).toEqual([]);
    await hasty.database.run(request(), [insert(3)]);
  } finally {
    await hasty.close();
  }
});
