/**
 * Proves that the tests of the policies and the audit can fail. First it breaks every right in turn in a database of
 * its own, demands that a check goes red, and mends it; then it changes every object of the catalogs in turn, and
 * demands that the audit says so. `npm run proofs -- mutation`; the second half alone with `-- --catalogs`; some kinds with
 * `-- 'policy dropped' 'trigger disabled'`. Exits non-zero when a mutant survives.
 */
import { argumentsOf } from '../../src/commands/run-command.ts';
import { CATALOG_KINDS } from './catalogs/kinds.ts';
import { runCatalogs } from './catalogs/run.ts';
import { SERVER_KIND } from './catalogs/server.ts';
import { setUpTrial, type Trial } from './trial.ts';
import setUp from '../support/global-setup.ts';
import tearDown from '../support/global-teardown.ts';
import { type Mutant, MUTANT_KINDS, mutantsOf } from './mutants.ts';

const { values, positionals: named } = argumentsOf({
  usage: `usage: npm run proofs -- mutation -- [--catalogs] [--minutes NUMBER] [--second-locks] [KIND…]
  --catalogs       the changes of the catalogs alone
  --minutes        how long catalogs are changed: a sample of them, which TEST_DAY chooses
  --second-locks   also name the rights whose loss the golden matrix alone sees
  --help, --version`,
  allowPositionals: true,
  options: {
    ...{ catalogs: { type: 'boolean' }, 'second-locks': { type: 'boolean' } },
    minutes: { type: 'string', default: 'Infinity' },
  },
});

async function run(trial: Trial, kinds: readonly string[]): Promise<boolean> {
  const survivors: Mutant[] = [];
  const secondLocks: Mutant[] = [];
  let tried = 0;
  for (const kind of kinds) {
    const mutants = await mutantsOf(trial.admin, kind);
    const before = [survivors.length, secondLocks.length] as const;
    for (const [index, mutant] of mutants.entries()) {
      const killer = await trial.killerOf(mutant);
      if (killer === undefined) survivors.push(mutant);
      else if (killer === 'the golden matrix') secondLocks.push(mutant);
      // One that stayed broken would have killed all that came after it.
      if (index % 20 === 0 || index === mutants.length - 1) await trial.assertMended();
    }
    tried += mutants.length;
    const killed = mutants.length - (survivors.length - before[0]);
    console.log(
      `${kind}: ${String(killed)} of ${String(mutants.length)} killed,` +
        ` ${String(secondLocks.length - before[1])} of them by the golden matrix alone`,
    );
  }
  if (values['second-locks'] === true) {
    for (const { kind, object } of secondLocks) console.log(`golden matrix alone  ${kind}: ${object}`);
  }
  for (const { kind, object } of survivors) console.log(`SURVIVED  ${kind}: ${object}`);
  console.log(
    `${String(tried - survivors.length)} of ${String(tried)} mutants killed,` +
      ` ${String(tried - survivors.length - secondLocks.length)} by trying, ${String(secondLocks.length)} by the golden matrix alone`,
  );
  return survivors.length === 0;
}

/** The first half: rights, which the checks of the policies must notice. */
async function runRights(kinds: readonly string[]): Promise<boolean> {
  const trial = await setUpTrial();
  try {
    // On the database as it is every check must hold, before and after, or every mutant would seem killed.
    await trial.assertSound();
    const killed = await run(trial, kinds);
    await trial.assertSound();
    return killed;
  } finally {
    await trial.close();
  }
}

const EVERY_CATALOG_KIND = [...CATALOG_KINDS, SERVER_KIND];

const unknown = named.filter((kind) => !MUTANT_KINDS.includes(kind) && !EVERY_CATALOG_KIND.includes(kind));
if (unknown.length > 0) throw new Error(`there is no kind of mutant '${unknown.join("', '")}'`);
const chosen = (kinds: readonly string[]): readonly string[] =>
  named.length === 0 ? kinds : kinds.filter((kind) => named.includes(kind));
const rights = values.catalogs === true ? [] : chosen(MUTANT_KINDS);
const catalogs = chosen(EVERY_CATALOG_KIND);

await setUp();
try {
  const killed = [
    rights.length === 0 || (await runRights(rights)),
    catalogs.length === 0 || (await runCatalogs(catalogs, Number(values.minutes))),
  ];
  if (killed.includes(false)) process.exitCode = 1;
} finally {
  await tearDown();
}
