import { readFile, writeFile } from 'node:fs/promises';
import type { Caller } from '../../src/identity/caller.ts';
import { connected, withAdmin } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { callerOf, readsOf, shapeOf } from './plans.ts';
import { clientsOf, populate } from './population.ts';

/** The Postgres release whose file has all query plans. The files of other releases have only the plans that differ. */
const WHOLE_RELEASE = 18;

function goldenFile(major: number): URL {
  return new URL(`golden/${major}.txt`, import.meta.url);
}

/** The expected query plans of a Postgres release, as text in the form of `renderPlans`. */
export async function readPlans(major: number): Promise<string> {
  const whole = byRequest(await readFile(goldenFile(WHOLE_RELEASE), 'utf8'));
  if (major === WHOLE_RELEASE) return textOf(whole);
  const others = byRequest(await readFile(goldenFile(major), 'utf8'));
  return textOf(new Map([...whole, ...others]));
}

export async function writePlans({ major, text }: { major: number; text: string }): Promise<void> {
  if (major === WHOLE_RELEASE) return writeFile(goldenFile(major), text);
  const whole = byRequest(await readPlans(WHOLE_RELEASE));
  const others = [...byRequest(text)].filter(([request, lines]) => whole.get(request)?.join() !== lines.join());
  return writeFile(goldenFile(major), textOf(new Map(others)));
}

/** The lines of a file of query plans, grouped by request; a request has one line for each of its plans. */
function byRequest(text: string): Map<string, string[]> {
  return Map.groupBy(
    text.split('\n').filter((line) => line !== ''),
    (line) => line.replace(/ .*/, ''),
  );
}

function textOf(requests: ReadonlyMap<string, readonly string[]>): string {
  return [...[...requests.values()].flat(), ''].join('\n');
}

/** The shape of each query plan, one per line, with the callers whose HTTP request gets the plan. */
export async function renderPlans(database: TestDatabase): Promise<{ major: number; text: string }> {
  const callers = await withAdmin(database.adminUrl, async (admin) => {
    await populate(admin);
    const scoped: { name: string; caller: Caller }[] = [];
    for (const size of [1, 50, 1000])
      scoped.push({
        name: size === 1 ? '1 client' : `${size} clients`,
        caller: callerOf('ADMIN', await clientsOf(admin, size)),
      });
    return [...scoped, { name: 'all', caller: callerOf('ADMIN', []) }];
  });
  const login = await connected(database.apiUrl);
  try {
    const plans = new Map<string, Map<string, string[]>>();
    for (const { name, caller } of callers) {
      for (const read of readsOf(caller)) {
        const shapes = plans.get(read.line) ?? new Map<string, string[]>();
        const shape = await shapeOf(login, read);
        plans.set(read.line, shapes.set(shape, [...(shapes.get(shape) ?? []), name]));
      }
    }
    const { rows } = await login.query<{ major: number }>(
      `select current_setting('server_version_num')::integer / 10000 as major`,
    );
    const text = [...plans].flatMap(([line, shapes]) =>
      [...shapes].map(([shape, names]) => `${line} (${names.join(', ')}): ${shape}`),
    );
    return { major: rows[0]?.major ?? 0, text: [...text, ''].join('\n') };
  } finally {
    await login.end();
  }
}
