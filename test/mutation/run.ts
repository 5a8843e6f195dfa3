/**
 * Proves that the tests of the policies can fail: breaks every right in turn in a database of its own and demands
 * that a check goes red. `npm run test:mutation`, or with kinds: `npm run test:mutation -- 'policy dropped'`.
 * Exits non-zero when a mutant survives.
 */
import { CHECKS, type Check } from '../policies/checks.ts';
import { openWorld, type World } from '../policies/world.ts';
import { createTestDatabase, type TestDatabase, withAdmin } from '../support/database.ts';
import setUp from '../support/global-setup.ts';
import tearDown from '../support/global-teardown.ts';
import { createReportingLogin } from '../support/reporting-login.ts';
import { type Mutant, MUTANT_KINDS, mutantsOf } from './mutants.ts';

/** The title of the first check that the mutant fails; undefined when it survives them all. */
async function killerOf(mutant: Mutant): Promise<string | undefined> {
  const database = await createTestDatabase();
  const login = await createReportingLogin(database);
  try {
    await withAdmin(database.adminUrl, (admin) => admin.query(mutant.sql));
    return await firstFailure(database, login.url, mutant);
  } finally {
    await login.drop();
    await database.close();
  }
}

async function firstFailure(
  database: TestDatabase,
  reportingUrl: string,
  mutant: Mutant,
): Promise<string | undefined> {
  let world: World;
  try {
    world = await openWorld({ ...database, reportingUrl });
  } catch {
    return 'the two firms can be written';
  }
  try {
    for (const check of [...CHECKS].sort((a, b) => relevance(b, mutant) - relevance(a, mutant))) {
      try {
        await check.run(world);
      } catch {
        return check.title;
      }
    }
    return undefined;
  } finally {
    await world.close();
  }
}

/** The checks that name the table come first: most mutants die at once. */
function relevance(check: Check, { table }: Mutant): number {
  return check.title.includes(table) ? 1 : 0;
}

async function run(kinds: readonly string[]): Promise<boolean> {
  const original = await createTestDatabase();
  let killed = 0;
  const survivors: Mutant[] = [];
  for (const kind of kinds) {
    const mutants = await withAdmin(original.adminUrl, (admin) => mutantsOf(admin, kind));
    let killedOfKind = 0;
    for (const mutant of mutants) {
      if ((await killerOf(mutant)) === undefined) survivors.push(mutant);
      else killedOfKind += 1;
    }
    killed += killedOfKind;
    console.log(`${kind}: ${String(killedOfKind)} of ${String(mutants.length)} killed`);
  }
  for (const { kind, object } of survivors) console.log(`SURVIVED  ${kind}: ${object}`);
  console.log(`${String(killed)} of ${String(killed + survivors.length)} mutants killed`);
  await original.close();
  return survivors.length === 0;
}

await setUp();
try {
  // On the database as it is every check must hold, or every mutant would seem killed.
  const untouched = await killerOf({ kind: 'none', object: 'nothing', table: '', sql: 'select 1' });
  if (untouched !== undefined) throw new Error(`a check fails with nothing broken: ${untouched}`);
  const kinds = process.argv.slice(2);
  if (!(await run(kinds.length > 0 ? kinds : MUTANT_KINDS))) process.exitCode = 1;
} finally {
  await tearDown();
}
