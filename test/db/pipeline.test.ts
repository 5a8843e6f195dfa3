import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Client } from 'pg';
import { DatabaseUnavailable } from '../../src/db/errors.ts';
import { sendPipeline } from '../../src/db/pipeline.ts';
import type { PipelineOutcome } from '../../src/db/pipeline.ts';
import type { StatementParameter, Statement } from '../../src/db/statement.ts';
import { createEmptyDatabase, withAdmin } from '../support/database.ts';
import { forSuite } from '../support/suite.ts';

let client: Client;

const database = await forSuite(createEmptyDatabase());
await withAdmin(database.adminUrl, (admin) => admin.query('create table note (id integer primary key)'));

beforeEach(async () => {
  client = await connect();
  await client.query('truncate note');
});

afterEach(() => client.end());

async function connect(): Promise<Client> {
  const made = new Client({ connectionString: database.adminUrl });
  // An error event of a database connection without a listener would end the process, so the test listens for errors as
  // the connection pool does.
  made.on('error', () => undefined);
  await made.connect();
  return made;
}

const sql = (text: string, ...values: StatementParameter[]): Statement => ({ text, values });
const insert = (id: number) => sql('insert into note (id) values ($1)', id);
const setLocally = sql(`select set_config('app.probe', 'set', true)`);

function send(...statements: Statement[]): Promise<PipelineOutcome> {
  return sendPipeline(client, [{ role: 'tester', statements }], true);
}

async function stored(): Promise<string> {
  const { rows } = await client.query<{ ids: string }>(
    `select coalesce(string_agg(id::text, ',' order by id), '') as ids from note`,
  );
  return rows[0]?.ids ?? '';
}

async function prepared(): Promise<string[]> {
  const { rows } = await client.query<{ statement: string }>(
    `select statement from pg_prepared_statements where statement not like '%pg_prepared%' order by prepare_time`,
  );
  return rows.map(({ statement }) => statement);
}

async function expectNothingLeft(): Promise<void> {
  expect(client.getTransactionStatus()).toBe('I');
  const { rows } = await client.query(`select coalesce(current_setting('app.probe', true), '') as probe`);
  expect(rows).toEqual([{ probe: '' }]);
}

describe('a pipeline: several statements sent to the database at once', () => {
  test('a pipeline of statements returns each statement’s rows as text and their count, in order', async () => {
    const outcome = await send(
      sql('values (1, null), (2, $1::text)', 'é'),
      insert(1),
      sql('update note set id = id + 1 where id > 100'),
    );
    expect(outcome).toEqual({
      results: [
        { rows: [['1', null], ['2', 'é']], rowCount: 2, tag: 'SELECT 2' }, // prettier-ignore
        { rows: [], rowCount: 1, tag: 'INSERT 0 1' },
        { rows: [], rowCount: 0, tag: 'UPDATE 0' },
      ],
      error: undefined,
      status: 'I',
    });
  });

  test('statements sent as one pipeline run in one transaction, and SET LOCAL applies only to the statements that follow it in the pipeline', async () => {
    const { results } = await send(
      setLocally,
      sql(`select current_setting('app.probe')`),
      sql('select txid_current()'),
      insert(1),
      sql('select txid_current()'),
    );
    expect(results[1]?.rows).toEqual([['set']]);
    expect(results[2]?.rows).toEqual(results[4]?.rows);
    await expectNothingLeft();
  });

  test('a pipeline of statements sends every string, array, number and boolean unchanged', async () => {
    const text = fc.string({ unit: 'grapheme' }).filter((value) => !value.includes('\0'));
    await fc.assert(
      fc.asyncProperty(text, fc.array(text), fc.integer(), fc.boolean(), async (one, many, number, flag) => {
        const { results } = await send(
          sql('select json_build_array($1::text, $2::text[], $3::integer, $4::boolean)', one, many, number, flag),
        );
        expect(JSON.parse(results[0]?.rows[0]?.[0] ?? '')).toEqual([one, many, number, flag]);
      }),
      { numRuns: 200 },
    );
  });

  test('a pipeline of statements sends a time to the millisecond, and null as null', async () => {
    const { results } = await send(
      sql(
        `select $1::timestamptz = timestamptz '2024-02-29 23:59:59.123+00', $2::text is null`,
        new Date(Date.UTC(2024, 1, 29, 23, 59, 59, 123)),
        null,
      ),
    );
    expect(results[0]?.rows).toEqual([['t', 't']]);
  });
});

describe('a pipeline of statements that fails', () => {
  test('a pipeline of SQL statements with an error in the middle stores nothing, and no setting remains on the connection', async () => {
    const { results, error, status } = await send(setLocally, insert(1), sql('select 1 / $1::integer', 0), insert(2));
    expect(results).toHaveLength(2);
    expect(error).toMatchObject({ code: '22012' });
    expect(status).toBe('I');
    await expectNothingLeft();
    expect(await stored()).toBe('');
  });

  test('a pipeline of statements sends nothing at all if one value cannot be encoded', async () => {
    const { stream } = (client as Client & { connection: { stream: { bytesWritten: number } } }).connection;
    const before = stream.bytesWritten;
    await expect(send(insert(1), sql('select $1::timestamptz', new Date(NaN)))).rejects.toThrow(RangeError);
    expect(stream.bytesWritten).toBe(before);
    expect((await send(insert(2))).error).toBeUndefined();
    expect(await stored()).toBe('2');
  });

  test('a pipeline of SQL statements with COPY from stdin loses its database connection instead of waiting forever for data', async () => {
    const { error, status } = await send(insert(1), sql('copy note from stdin'));
    expect(error).toBeInstanceOf(DatabaseUnavailable);
    expect(status).toBeNull();
    client = await connect();
    expect(await stored()).toBe('');
  });

  test('a failed pipeline of statements leaves no event listener on the database connection', async () => {
    const { connection } = client as Client & { connection: NodeJS.EventEmitter };
    const count = () => connection.listenerCount('end') + connection.listenerCount('readyForQuery');
    const before = count();
    await send(sql('select 1 / 0'));
    expect(count()).toBe(before);
  });
});

describe('the prepared statements of a database connection', () => {
  const twice = sql('select $1::integer * 2', 21);

  test('the database server parses a prepared statement once for several pipelines of statements', async () => {
    await send(twice, twice);
    await send(twice);
    expect(await prepared()).toEqual([twice.text]);
    const { rows } = await client.query<{ name: string; runs: string }>(
      `select name, generic_plans + custom_plans as runs from pg_prepared_statements where statement = '${twice.text}'`,
    );
    expect(rows[0]?.name).toMatch(/^tester_[0-9a-f]{32}$/);
    expect(rows[0]?.runs).toBe('3');
  });

  test('on one connection, each database role has a separate prepared statement for the same SQL', async () => {
    for (const role of ['one', 'other', 'one']) await sendPipeline(client, [{ role, statements: [twice] }], true);
    expect(await prepared()).toEqual([twice.text, twice.text]);
  });

  test('a prepared statement works again after the pipeline of statements that used it has failed', async () => {
    const fails = sql('select 1 / $1::integer', 0);
    const never = sql('select 7');
    expect((await send(fails, never)).error).toMatchObject({ code: '22012' });
    expect(await prepared()).toEqual([fails.text]);
    expect((await send(twice)).error).toBeUndefined();
    const { results, error } = await send({ ...fails, values: [1] }, never);
    expect(error).toBeUndefined();
    expect(results.map(({ rows }) => rows)).toEqual([[['1']], [['7']]]);
  });

  test('a prepared statement that the server lost fails once and then works again', async () => {
    await send(twice);
    await client.query('deallocate all');
    expect((await send(twice)).error).toMatchObject({ code: '26000' });
    expect((await send(twice)).error).toBeUndefined();
  });

  test('a connection keeps at most 500 prepared statements, and drops the one that was not used for the longest time', async () => {
    for (let number = 0; number < 600; number++) {
      const { error } = await send(twice, sql(`select ${number}`));
      expect(error).toBeUndefined();
    }
    const kept = await prepared();
    expect(kept).toHaveLength(500);
    expect(kept[0]).toBe(twice.text);
    expect((await send(sql('select 0'), sql('select 599'))).results.map(({ rows }) => rows)).toEqual([
      [['0']],
      [['599']],
    ]);
  });
});
