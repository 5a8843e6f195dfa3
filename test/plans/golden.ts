import pg from 'pg';
import type { Caller } from '../../src/identity/caller.ts';
import { withAdmin } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { callerOf, readsOf, shapeOf } from './plans.ts';
import { clientsOf, populate } from './population.ts';

const SIZES = [1, 50, 1000];

/** Where the plans of a major release of Postgres stand. */
export function goldenFile(major: number): URL {
  return new URL(`golden/${major}.txt`, import.meta.url);
}

/** The shape of every plan, with the callers who have it in common. */
export async function renderPlans(database: TestDatabase): Promise<{ major: number; text: string }> {
  const callers = await withAdmin(database.adminUrl, async (admin) => {
    await populate(admin);
    const scoped: { name: string; caller: Caller }[] = [];
    for (const size of SIZES)
      scoped.push({
        name: size === 1 ? '1 client' : `${size} clients`,
        caller: callerOf('ADMIN', await clientsOf(admin, size)),
      });
    return [...scoped, { name: 'all', caller: callerOf('ADMIN', []) }];
  });
  const login = new pg.Client({ connectionString: database.apiUrl });
  await login.connect();
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
      [...shapes].map(([shape, names]) => `${line} (${names.join(', ')})\n${shape}\n`),
    );
    return { major: rows[0]?.major ?? 0, text: text.join('\n') };
  } finally {
    await login.end();
  }
}
