/** The service's own statements, sent by pgbench: what is left of a request when there is no Node. */
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

/** A line of pgbench's progress, with the backends' processor time when it came. */
interface Progress {
  readonly seconds: number;
  readonly perSecond: number;
  readonly processorMs: number;
}

/** The statements of a request, with a round trip for each; the settings are the first of them. */
export function statementByStatement(statements: readonly Statement[]): Script {
  const { text, variables } = scriptOf(statements);
  return { text: `begin read only;\n${text}commit;\n`, variables };
}

/** All in one pipeline with one Sync, which makes them one transaction. */
export function inOnePipeline(statements: readonly Statement[]): Script {
  const { text, variables } = scriptOf(statements);
  return { text: `\\startpipeline\n${text}\\endpipeline\n`, variables };
}

interface PgbenchOptions {
  readonly adminUrl: string;
  readonly role: string;
  /** How many transactions a second; as many as it can where absent. */
  readonly perSecond?: () => number;
}

export async function pgbenchPeer(
  name: string,
  login: string,
  { text, variables }: Script,
  { adminUrl, role, perSecond }: PgbenchOptions,
): Promise<Peer> {
  // pgbench parses all statements before the first sets the role, so the login holds that role's rights too.
  const url = new URL(await createLogin(adminUrl, login, `in role taxclaims_api, ${role}`));
  const folder = join(BENCH_DIR, 'pgbench');
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${login}.sql`);
  await writeFile(file, text);
  const run = async (seconds: number): Promise<readonly Progress[]> => {
    const options = ['--no-vacuum', '--protocol=prepared', `--client=${CONNECTIONS}`, '--progress=1'];
    // Two progress lines before the first that counts, and one more than are waited for.
    const duration = `--time=${seconds + 3}`;
    const rate = perSecond === undefined ? [] : [`--rate=${Math.round(perSecond())}`];
    const args = [...options, ...rate, duration, `--file=${file}`, ...variables.map((each) => `--define=${each}`)];
    return progressOf(args, url, adminUrl);
  };
  return {
    name,
    // Its connections are new in each run, so that the beginning of the run is what warms up.
    warmUp: () => Promise.resolve(),
    measure: async (seconds) => sampleOf((await run(seconds)).slice(1, seconds + 2)),
    stop: () => dropLogin(adminUrl, login),
  };
}

/** @throws Error with what pgbench said; ENOENT where there is none. */
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
    // A failed start is an event too, and `exit` is awaited only after the output.
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

/** From the first of the lines, which only begins, to the last. */
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

/** pgbench sends its variables as parameters, whose types the server infers as it does for ours. */
function scriptOf(statements: readonly Statement[]): Script {
  const variables: string[] = [];
  const texts = statements.map(({ text, values }, s) =>
    text.trim().replaceAll(/\$(\d+)/g, (_, number: string) => {
      const value = encoded(values[Number(number) - 1] ?? null);
      // Neither nothing nor an empty text can be a variable.
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
