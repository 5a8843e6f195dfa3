import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { DatabaseError } from 'pg';
import { RightMissing } from '../../src/db/errors.ts';
import type { RequestContext } from '../../src/db/request-settings.ts';
import { CLEAN, FOREIGN, insert, MINE, openProbe, request, sql } from '../support/probe.ts';
import type { Probe } from '../support/probe.ts';
import { forSuite } from '../support/suite.ts';

const probe = await forSuite(openProbe());

beforeEach(async () => {
  await probe.admin('truncate public.probe');
  await probe.admin('insert into public.probe values (1000, $1), (2000, $2)', [MINE, FOREIGN]);
});

const whoAmI = sql(
  `select current_user::text, app.client_access()::text, app.user_id()::text, app.setting('request_id'),
     app.setting('actor'), app.setting('action'), app.setting('ip_address'), app.setting('user_agent'),
     current_setting('transaction_read_only'), current_setting('timezone'), current_setting('statement_timeout')`,
);
const visible = sql('select id from public.probe order by id');

function ofRole(role: RequestContext['caller']['role'], clientAccess: string[]): RequestContext {
  return request({ caller: { ...request().caller, role, clientAccess } });
}

describe('the role and settings of a request', () => {
  test('the database role and settings of a request apply only to its own SQL statements, and not to later ones on the connection', async () => {
    const rights = ['taxclaims_account_manager', `{${MINE}}`, '33333333-3333-4333-8333-333333333333'];
    const [written] = await probe.database.run(request({ readOnly: false }), [whoAmI]);
    expect(written?.rows).toEqual([
      [
        ...[...rights, 'request-1', 'idp|manager', 'POST /api/probe', '192.0.2.1', 'a browser'],
        ...['off', 'UTC', '10s'],
      ],
    ]);
    // A request that only reads does not set the database settings that only audit records need.
    const [read] = await probe.database.run(request({ readOnly: true }), [whoAmI]);
    expect(read?.rows).toEqual([[...rights, null, null, null, null, null, 'on', 'UTC', '10s']]);
    expect((await probe.connection()).state).toEqual(CLEAN);
  });

  test('a request reads only the rows of its caller’s clients, even if other callers’ requests used the same connection and prepared statement', async () => {
    const visibleRows = async (context: RequestContext) =>
      (await probe.database.run(context, [visible]))[0]?.rows.flat();
    expect(await visibleRows(request())).toEqual(['1000']);
    expect(await visibleRows(ofRole('CLIENT', [FOREIGN]))).toEqual(['2000']);
    expect(await visibleRows(ofRole('CLIENT', []))).toEqual([]);
    expect(await visibleRows(ofRole('CLIENT', [MINE, FOREIGN]))).toEqual(['1000', '2000']);
    expect(await probe.stored()).toEqual([1000, 2000]);
  });

  test('the database finds the user of a request by the subject in the token', async () => {
    const [user] = await probe.admin(
      `insert into public.users (email, password_hash, name, role, subject)
       values ('a@b.example', '!', 'A', 'ACCOUNT_MANAGER', 'idp|known') returning id, access_digest`,
    );
    const caller = { ...request().caller, subject: 'idp|known', accessDigest: String(user?.['access_digest']) };
    const [result] = await probe.database.run(request({ caller }), [sql('select app.user_id()')]);
    expect(result?.rows).toEqual([[user?.['id']]]);
  });

  test('a request of an inactive user runs none of its SQL statements', async () => {
    await probe.admin(
      `insert into public.users (email, password_hash, name, role, subject, is_active)
       values ('b@b.example', '!', 'B', 'ACCOUNT_MANAGER', 'idp|inactive', false)`,
    );
    const caller = { ...request().caller, subject: 'idp|inactive' };
    const { pid } = await probe.connection();
    await expect(probe.database.run(request({ caller }), [insert(1)])).rejects.toMatchObject({ code: 'TX401' });
    expect(await probe.stored()).toEqual([1000, 2000]);
    expect(await probe.connection()).toEqual({ pid, state: CLEAN });
  });

  test('a request gets a result for each of its SQL statements, and none for the statement that sets its role and settings', async () => {
    const results = await probe.database.run(request(), [insert(1), sql('select 1'), sql('select 2')]);
    expect(results.map(({ rows, rowCount }) => [rows, rowCount])).toEqual([
      [[], 1],
      [[['1']], 1],
      [[['2']], 1],
    ]);
    expect(await probe.database.run(request(), [])).toEqual([]);
  });

  test('if a caller disconnects, the SQL statements of the request still run to their end before the connection is used again', async () => {
    void probe.database.run(request(), [insert(1), sql('select pg_sleep(0.05)'), insert(2)]);
    await probe.database.run(request(), [insert(3)]);
    expect(await probe.stored()).toEqual([1, 2, 3, 1000, 2000]);
  });
});

describe('a request that fails stores nothing and leaves its connection clean and in use', () => {
  const failures = [
    ['because of an error in the middle', '22012', [insert(1), sql('select 1 / $1::integer', 0), insert(2)]],
    ['because of a policy', '42501', [insert(1), insert(2, FOREIGN)]],
    ['because of a deferred constraint', '23503', [sql('insert into public.probe values (1, $1, 404)', MINE)]],
    ['because of a NUL in a string', '22021', [insert(1), sql('select $1::text', 'a\0b')]],
  ] as const;

  test.each(failures)(
    'a request that fails (%s) stores nothing and leaves no role or setting on its connection',
    async (_case, code, statements) => {
      const { pid } = await probe.connection();
      const failed = probe.database.run(request(), statements);
      await expect(failed).rejects.toBeInstanceOf(DatabaseError);
      await expect(failed).rejects.toMatchObject({ code });
      expect(await probe.connection()).toEqual({ pid, state: CLEAN });
      expect(await probe.stored()).toEqual([1000, 2000]);
      await probe.database.run(request(), [insert(1)]);
      expect(await probe.stored()).toEqual([1, 1000, 2000]);
    },
  );
});

test('the server ends a request’s statement that takes too long, and the connection stays in use', async () => {
  const hasty = await openProbe({ statementTimeoutMs: 200 });
  try {
    const { pid } = await hasty.connection();
    const slow = hasty.database.run(request(), [insert(1), sql('select pg_sleep(60)')]);
    await expect(slow).rejects.toMatchObject({ code: '57014' });
    expect(await hasty.connection()).toEqual({ pid, state: CLEAN });
    expect(await hasty.stored()).toEqual([]);
  } finally {
    await hasty.close();
  }
});

describe('an SQL statement that acts on the database session', () => {
  test.each([
    'begin',
    'commit',
    'rollback',
    'set role taxclaims_admin',
    "set app.client_access = '{}'",
    'reset role',
    "select set_config('role', 'taxclaims_admin', true)",
    "with x as (select set_config ('app.user_id', '', false)) select 1",
    'select pg_advisory_lock(1)',
    'select pg_try_advisory_lock_shared(1)',
    'listen x',
    'prepare x as select 1',
    'deallocate all',
    'discard all',
    'create temporary table x ()',
    'declare x cursor with hold for select 1',
    'copy public.probe from stdin',
    'do $$ begin end $$',
    'call x()',
    '-- a comment\nset role none',
    '',
  ])('the service refuses to send an SQL statement that changes the database session: %s', async (text) => {
    const { database } = probe;
    const statements = [insert(1), sql(text)];
    await expect(database.run(request(), statements)).rejects.toThrow(TypeError);
    await expect(database.callAsLogin(sql(text))).rejects.toThrow(TypeError);
    await expect(database.transaction(request(), (run) => run(sql(text)))).rejects.toThrow(TypeError);
    expect((await probe.connection()).state).toEqual(CLEAN);
    expect(await probe.stored()).toEqual([1000, 2000]);
  });

  test.each([
    '\n  select id from public.probe',
    'SELECT pg_advisory_unlock(1)',
    'with x as (select 1) select * from x',
    'values (1)',
  ])(
    'the service sends an SQL statement on data that only looks like a statement on the database session: %s',
    async (text) => {
      await expect(probe.database.run(request(), [sql(text)])).resolves.toHaveLength(1);
    },
  );

  describe('a database function that acts on the session', () => {
    /**
     * A separate database for the tests of functions that act on the session, because those tests spoil the state of
     * their connection.
     */
    let spoiled: Probe;

    beforeEach(async () => {
      spoiled = await openProbe({ isDirect: true });
      await spoiled.admin('insert into public.probe values (1000, $1), (2000, $2)', [MINE, FOREIGN]);
    });
    afterEach(() => spoiled.close());

    test('after a database function has changed a setting of the session, the next request still sees only its own clients', async () => {
      await spoiled.database.run(request(), [sql('select public.leave_setting()')]);
      expect((await spoiled.connection()).state).toContain(`{${FOREIGN}}`);
      const [result] = await spoiled.database.run(request(), [visible]);
      expect(result?.rows).toEqual([['1000']]);
      const { rows } = await spoiled.database.callAsLogin(sql(`select current_setting('app.client_access')`));
      expect(rows).toEqual([['']]);
    });

    test('if a database function changes the role of the session, the service closes that connection before any other request uses it', async () => {
      await spoiled.database.run(request(), [sql('select public.leave_role()')]);
      const { pid } = await spoiled.connection();
      const failed = spoiled.database.run(ofRole('ADMIN', []), [visible]);
      await expect(failed).rejects.not.toBeInstanceOf(DatabaseError);
      await expect(failed).rejects.toMatchObject({ cause: { code: '42501' } });
      const next = await spoiled.connection();
      expect(next.pid).not.toBe(pid);
      await expect(spoiled.database.run(request(), [visible])).resolves.toHaveLength(1);
    });
  });
});

describe("a call of the API's own functions", () => {
  test('a call of one of the API’s own database functions runs under the login, without the role and settings of a request', async () => {
    await probe.database.run(request(), [insert(1)]);
    const { rows } = await probe.database.callAsLogin(
      sql(
        `select current_user = session_user, current_setting('role'), current_setting('app.client_access'),
           current_setting('app.user_id'), current_setting('statement_timeout')`,
      ),
    );
    expect(rows).toEqual([['t', 'none', '', '', '10s']]);
    expect((await probe.connection()).state).toEqual(CLEAN);
  });

  test('the API’s database login can look up the client of a record, but cannot read any table directly', async () => {
    const located = await probe.database.callAsLogin(sql(`select found from app.locate('clients', $1)`, MINE));
    expect(located.rows).toEqual([['f']]);
    await expect(probe.database.callAsLogin(visible)).rejects.toBeInstanceOf(RightMissing);
  });
});

test('no request fails when a migration changes the columns of a prepared statement', async () => {
  const all = sql('select * from public.probe where id = 1000');
  await probe.database.run(request(), [all]);
  await probe.admin('alter table public.probe add column added integer default 7');
  const [result] = await probe.database.run(request(), [all]);
  expect(result?.rows).toEqual([['1000', MINE, null, '7']]);
});

test('no request fails when the database server loses a prepared statement; the service logs the loss and prepares no more statements', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => lines.push(line) });
  const pooled = await openProbe({ isDirect: true, log });
  const forget = sql('select public.forget_prepared()');
  const prepared = sql('select count(*) from pg_prepared_statements');
  try {
    // The function forget_prepared imitates a pooler that switches to another server connection, which has none of the
    // prepared statements.
    await pooled.database.run(request(), [insert(1), forget]);
    await pooled.database.transaction(request(), (run) => run(insert(2)));
    await pooled.database.run(request(), [insert(3), forget]);
    expect(await pooled.stored()).toEqual([1, 2, 3]);
    expect((await pooled.database.callAsLogin(prepared)).rows).toEqual([['0']]);
    expect(lines.filter((line) => line.includes('DATABASE_PREPARED_STATEMENTS=false'))).toHaveLength(1);
  } finally {
    await pooled.close();
  }
});

describe('a database behind a pooler in transaction mode', () => {
  const asked = sql(
    `select (select count(*) > 0 from pg_prepared_statements),
       (select reset_val from pg_settings where name = 'statement_timeout')`,
  );

  test('the service uses prepared statements only with preparedStatements: true, and changes no setting of the session', async () => {
    const pooled = await openProbe({ preparedStatements: false });
    const direct = await openProbe({ isDirect: true });
    try {
      await pooled.database.run(request(), [insert(1), insert(2)]);
      await pooled.database.transaction(request(), (run) => run(insert(3)));
      expect(await pooled.stored()).toEqual([1, 2, 3]);
      expect((await pooled.database.callAsLogin(asked)).rows).toEqual([['f', '0']]);
      await direct.database.run(request(), [insert(1)]);
      expect((await direct.database.callAsLogin(asked)).rows).toEqual([['t', '0']]);
    } finally {
      await direct.close();
      await pooled.close();
    }
  });
});
