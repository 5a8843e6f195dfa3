import { request as send } from 'node:http';
import type pg from 'pg';
import type { LoginName } from './logins.ts';
import type { RawResponse } from './reading.ts';
import type { World } from './world.ts';

/**
 * A request or an SQL statement that every compared database gets. In a request, `<made>` stands for the id of the
 * record that was created last, and `<tag>` for the last ETag.
 */
export type Step = Request | Statement;

export interface Request {
  readonly line: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Statement {
  readonly login: LoginName;
  readonly sql: string;
  /** True if the SQL statement has no ORDER BY. The order of its rows is then ignored. */
  readonly isUnordered?: true;
}

export interface StepAnswer {
  readonly bytes: number;
  readonly text: string;
}

/** Values from earlier answers that a later request uses, for example the id of the record that was created last. */
interface Last {
  made: string;
  tag: string;
  time: string;
  next: string;
}

const lasts = new WeakMap<World, Last>();

const NOTHING: Last = {
  made: '00000000-0000-8000-8000-000000000000',
  tag: '"1"',
  time: '2024-01-01T00:00:00Z',
  next: '/api/none',
};

export function describe(step: Step): string {
  return 'sql' in step
    ? `${step.login}: ${step.sql}`
    : `${step.line} ${JSON.stringify(step.headers ?? {})} ${step.body ?? ''}`;
}

/**
 * Sends a request or SQL statement. Returns its answer in a form that can be compared between databases. `turn` numbers
 * the requests in the same way in all databases.
 */
export function take(world: World, step: Step, turn: string): Promise<StepAnswer> {
  return 'sql' in step ? ask(world, step) : request(world, step, turn);
}

async function request(world: World, step: Request, turn: string): Promise<StepAnswer> {
  const last = lasts.get(world) ?? NOTHING;
  const filled = (text: string): string =>
    text.replaceAll(/<(made|tag|time|next)>/g, (_whole, name: keyof Last) => last[name]);
  const [method = '', path = ''] = filled(step.line).split(' ');
  const headers = {
    ...(step.token === undefined ? {} : { authorization: `Bearer ${step.token}` }),
    'user-agent': 'interference',
    ...Object.fromEntries(Object.entries(step.headers ?? {}).map(([name, value]) => [name, filled(value)])),
    'x-turn': turn,
  };
  const received = await new Promise<RawResponse>((resolve, reject) => {
    const sent = send({ port: world.port, host: '127.0.0.1', method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        resolve({
          status: response.statusCode ?? 0,
          rawHeaders: response.rawHeaders,
          body: Buffer.concat(chunks),
        });
      });
    });
    sent.once('error', reject);
    sent.end(step.body === undefined ? undefined : filled(step.body));
  });
  lasts.set(world, lastOf(received, last));
  const bytes = received.body.length + received.rawHeaders.join('').length;
  return { bytes, text: world.reading.answer(received) };
}

function lastOf({ status, rawHeaders, body }: RawResponse, last: Last): Last {
  const header = (wanted: string): string | undefined => {
    const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === wanted);
    return at < 0 ? undefined : rawHeaders[at + 1];
  };
  const next = /^<(.*)>; rel="next"$/.exec(header('link') ?? '')?.[1] ?? NOTHING.next;
  if (status !== 201) return { ...last, next };
  const record = JSON.parse(body.toString()) as { id: string; updated_at?: string };
  return { made: record.id, tag: header('etag') ?? last.tag, time: record.updated_at ?? last.time, next };
}

/**
 * Runs an SQL statement and rolls it back. Returns the rows as Postgres sent them, or the error, and also Postgres’s
 * notices.
 */
async function ask(world: World, { login, sql, isUnordered }: Statement): Promise<StepAnswer> {
  const client = await world.login(login);
  const outputLines: string[] = [];
  const onNotice = (notice: { message?: string | undefined }): void =>
    void outputLines.push(`notice ${notice.message ?? ''}`);
  client.on('notice', onNotice);
  try {
    await client.query(`begin; set local statement_timeout = '120s'; set local timezone = 'UTC'; set local jit = off`);
    const types = { getTypeParser: () => (value: string | null) => value };
    const answered: unknown = await client.query({
      text: sql,
      rowMode: 'array',
      types,
    } as pg.QueryArrayConfig);
    for (const { command, rowCount, fields, rows } of [answered].flat() as pg.QueryArrayResult[]) {
      const lines = (rows as unknown[]).map((row) => JSON.stringify(row));
      outputLines.push(`${command} ${String(rowCount)}`, JSON.stringify(fields.map(({ name }) => name)));
      outputLines.push(...(isUnordered ? lines.toSorted() : lines));
    }
  } catch (error) {
    const { code, message, detail, hint, where } = error as pg.DatabaseError;
    outputLines.push(`error ${JSON.stringify({ code, message, detail, hint, where })}`);
  } finally {
    await client.query('rollback');
    client.off('notice', onNotice);
  }
  const raw = outputLines.join('\n');
  return { bytes: Buffer.byteLength(raw), text: world.reading.text(raw) };
}
