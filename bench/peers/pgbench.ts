/**
 * The program pgbench sends the SQL statements of one request directly to Postgres. This shows the cost of the request
 * without Node.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { StatementParameter, Statement } from '../../src/db/statement.ts';
import { withAdmin } from '../../test/support/database.ts';
import { BENCH_DIR, createLogin, dropLogin } from '../database.ts';
import { backendsOf, processorTime } from '../processor-time.ts';
import { CONNECTIONS } from './peer.ts';
import type { Peer, Sample } from './peer.ts';

interface Script {
  readonly text: string;
  readonly variables: readonly string[];
}

/** A line of pgbench’s progress output, with the backends’ processor time at that moment. */
interface Progress {
  readonly seconds: number;
  readonly perSecond: number;
  readonly processorMs: number;
}

/** Returns a pgbench script with one round trip for each SQL statement of a request, the settings first. */
export function statementByStatement(statements: readonly Statement[]): Script {
  const { text, variables } = scriptOf(statements);
  return { text: `begin read only;\n${text}commit;\n`, variables };
}

/**
 * Returns a pgbench script with all SQL statements of a request in one pipeline. A single Sync makes the statements one
 * transaction.
 */
export function inOnePipeline(statements: readonly Statement[]): Script {
  const { text, variables } = scriptOf(statements);
  return { text: `\\startpipeline\n${text}\\endpipeline\n`, variables };
}

interface PgbenchOptions {
  readonly adminUrl: string;
  readonly role: string;
  /** The number of transactions per second that pgbench sends; as many as possible if absent. */
  readonly perSecond?: () => number;
}

export async function pgbenchPeer(
  name: string,
  login: string,
  { text, variables }: Script,
  { adminUrl, role, perSecond }: PgbenchOptions,
): Promise<Peer> {
  // pgbench’s login also has the rights of the request’s role, because pgbench parses all statements before the first
  // one sets the role.
  const url = new URL(await createLogin(adminUrl, login, `in role taxclaims_api, ${role}`));
  const folder = join(BENCH_DIR, 'pgbench');
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${login}.sql`);
  await writeFile(file, text);
  const run = async (seconds: number): Promise<readonly Progress[]> => {
    const options = ['--no-vacuum', '--protocol=prepared', `--client=${CONNECTIONS}`, '--progress=1'];
    // pgbench runs three seconds longer than the measured time, because its first two lines of progress and its last
    // one, each for one second, do not count.
    const duration = `--time=${seconds + 3}`;
    const rate = perSecond === undefined ? [] : [`--rate=${Math.round(perSecond())}`];
    const args = [...options, ...rate, duration, `--file=${file}`, ...variables.map((each) => `--define=${each}`)];
    return progressOf(args, url, adminUrl);
  };
  return {
    name,
    // pgbench needs no warm-up of its own, because each run opens new connections and warms up at its beginning.
    warmUp: () => Promise.resolve(),
    measure: async (seconds) => sampleOf((await run(seconds)).slice(1, seconds + 2)),
    stop: () => dropLogin(adminUrl, login),
  };
}

/** @throws Error with pgbench’s output if pgbench fails; ENOENT if pgbench is not installed */
async function progressOf(
  args: readonly string[],
  { username, password, hostname, port, pathname }: URL,
  adminUrl: string,
): Promise<readonly Progress[]> {
  return withAdmin(adminUrl, async (admin) => {
    const env = {
      ...{ PATH: process.env['PATH'], PGHOST: hostname, PGPORT: port, PGDATABASE: pathname.slice(1) },
      ...{ PGUSER: username, PGPASSWORD: decodeURIComponent(password) },
    };
    const child = spawn('pgbench', [...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const exit = once(child, 'exit');
    // If pgbench cannot be started, the promise `exit` is rejected before the code awaits it. This handler prevents an
    // unhandled rejection.
    exit.catch(() => undefined);
    const lines: Progress[] = [];
    const said: string[] = [];
    let backends: readonly number[] | undefined;
    for await (const line of createInterface(child.stderr)) {
      const [, seconds, perSecond] = /^progress: ([\d.]+) s, ([\d.]+) tps/.exec(line) ?? [];
      if (seconds === undefined) said.push(line);
      backends ??= seconds === undefined ? undefined : await backendsOf(admin, username);
      const processorMs = processorTime(backends ?? []);
      if (seconds !== undefined) {
        lines.push({ seconds: Number(seconds), perSecond: Number(perSecond), processorMs });
      }
    }
    const [status] = (await exit) as [number | null];
    if (status !== 0) throw new Error(`pgbench ended with status ${status ?? 'none'}: ${said.join('\n')}`);
    return lines;
  });
}

/** Calculates the rate and the processor time between the first and the last progress line of pgbench. */
function sampleOf(lines: readonly Progress[]): Sample {
  const [first, last] = [lines[0], lines.at(-1)];
  if (first === undefined || last === undefined) throw new Error('pgbench reported no progress');
  const transactions = lines
    .slice(1)
    .reduce((sum, { seconds, perSecond }, i) => sum + perSecond * (seconds - (lines[i]?.seconds ?? 0)), 0);
  const processorMs = last.processorMs - first.processorMs;
  return {
    requestsPerSecond: transactions / (last.seconds - first.seconds),
    ...(processorMs > 0 && { postgresMicroseconds: (processorMs * 1_000) / transactions }),
  };
}

/**
 * Writes a statement’s values as pgbench variables, which pgbench sends as parameters. Postgres infers the parameters’
 * types, as it does for the service.
 */
function scriptOf(statements: readonly Statement[]): Script {
  const variables: string[] = [];
  const texts = statements.map(({ text, values }, s) =>
    text.trim().replaceAll(/\$(\d+)/g, (_, number: string) => {
      const value = encoded(values[Number(number) - 1] ?? null);
      // A pgbench variable can be neither null nor an empty text.
      if (value === null) return 'null';
      if (value === '') return `''`;
      const variable = `s${s}_${number}`;
      if (!variables.some((each) => each.startsWith(`${variable}=`))) variables.push(`${variable}=${value}`);
      return `:${variable}`;
    }),
  );
  return { text: texts.map((text) => `${text};\n`).join(''), variables };
}

function encoded(value: StatementParameter): string | null {
  if (value === null || typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' ? `{${value.join(',')}}` : String(value);
}
