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

describe('an explicit transaction', () => {
  test('stores what its statements did, each seeing what those before it gave', async () => {
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

  test('is under the role and the settings of its request from its first statement to its last', async () => {
    const who = sql('select current_user::text, app.client_access()::text');
    const callers = await probe.database.transaction(request(), async (run) => [await run(who), await run(who)]);
    const manager = ['taxclaims_account_manager', `{${MINE}}`];
    expect(callers.map(({ rows }) => rows[0])).toEqual([manager, manager]);
  });

  test('cannot write when its request only reads, and can when not', async () => {
    const write = (readOnly: boolean) => probe.database.transaction(request({ readOnly }), (run) => run(insert(1)));
    await expect(write(true)).rejects.toMatchObject({ code: '25006' });
    expect(await probe.stored()).toEqual([]);
    await write(false);
    expect(await probe.stored()).toEqual([1]);
  });

  test('undoes a refused attempt alone, and stores what is around it', async () => {
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

  test('gives an attempt no way around the service: no statement for the session', async () => {
    const set = sql('set role taxclaims_admin');
    await expect(probe.database.transaction(request(), (_run, attempt) => attempt(set))).rejects.toThrow(
      'A statement must act on data',
    );
  });

  test('sends statements that were not awaited one after the other, and all before it commits', async () => {
    const results: unknown[] = [];
    await probe.database.transaction(request(), async (run) => {
      await Promise.all([run(insert(1)), run(insert(2))]);
      void run(sql('select pg_sleep(0.02)')).then(() => results.push('slept'));
      void run(insert(3)).then(() => results.push('inserted'));
    });
    expect(results).toEqual(['slept', 'inserted']);
    expect(await probe.stored()).toEqual([1, 2, 3]);
  });

  test('knows what the statement before has prepared when the next was asked for too early', async () => {
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

describe('what was undone because it could not be put in an order with others', () => {
  /** Fails the first time that it is asked: nobody takes back what a sequence has counted. */
  const once = sql('select public.fails_once()');

  test.each(['40001', '40P01'])('as Postgres says with %s, is done once more for its caller', async (sqlstate) => {
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
  });
});

describe('an explicit transaction that fails stores nothing and leaves its connection clean and in use', () => {
  test.each<[why: string, work: (run: StatementRunner) => Promise<unknown>, error: object]>([
    ['a statement failed', (run) => run(insert(2, FOREIGN)), { code: '42501' }],
    ['its code threw', () => Promise.reject(new Error('the code')), { message: 'the code' }],
    ['a value could not be encoded', (run) => run(unencodable), { name: 'RangeError' }],
    ['a deferred constraint failed at its COMMIT', (run) => run(orphan), { code: '23503' }],
  ])('because %s', async (_why, work, error) => {
    const { pid } = await probe.connection();
    const failed = probe.database.transaction(request(), async (run) => {
      await run(insert(1));
      await work(run);
    });
    await expect(failed).rejects.toMatchObject(error);
    expect(await probe.stored()).toEqual([]);
    await expectClean(pid);
  });

  test('because the settings were refused', async () => {
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

  test('although its code swallowed the error, which is told all the same', async () => {
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

  test('while statements that nobody awaited are still under way or have yet to be sent', async () => {
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
  'a statement that comes after its transaction %s is refused, and does nothing',
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

test('a connection that is lost between two statements means that the database is out of reach', async () => {
  const lost = probe.database.transaction(request(), async (run) => {
    await run(insert(1));
    await probe.terminate();
    await run(insert(2));
  });
  await expect(lost).rejects.toBeInstanceOf(DatabaseUnavailable);
  expect(await probe.stored()).toEqual([]);
  await probe.database.transaction(request(), (run) => run(insert(3)));
  expect(await probe.stored()).toEqual([3]);
});

test('a connection that is lost before COMMIT is no success', async () => {
  const lost = probe.database.transaction(request(), async (run) => {
    await run(insert(1));
    await probe.terminate();
  });
  await expect(lost).rejects.toBeInstanceOf(DatabaseUnavailable);
  expect(await probe.stored()).toEqual([]);
});

test('a transaction whose code takes too long is ended by the server, which frees its locks', async () => {
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
