/**
 * Proves that the tests of the policies can fail: breaks every right in turn in a database of its own, demands that
 * a check goes red, and mends it. `npm run test:mutation`, or with kinds: `npm run test:mutation -- 'policy dropped'`.
 * Exits non-zero when a mutant survives.
 */
import { setUpTrial, type Trial } from './trial.ts';
import setUp from '../support/global-setup.ts';
import tearDown from '../support/global-teardown.ts';
import { type Mutant, MUTANT_KINDS, mutantsOf } from './mutants.ts';

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
  if (process.argv.includes('--second-locks')) {
    for (const { kind, object } of secondLocks) console.log(`golden matrix alone  ${kind}: ${object}`);
  }
  for (const { kind, object } of survivors) console.log(`SURVIVED  ${kind}: ${object}`);
  console.log(
    `${String(tried - survivors.length)} of ${String(tried)} mutants killed,` +
      ` ${String(tried - survivors.length - secondLocks.length)} by trying, ${String(secondLocks.length)} by the golden matrix alone`,
  );
  return survivors.length === 0;
}

await setUp();
try {
  const trial = await setUpTrial();
  try {
    // On the database as it is every check must hold, before and after, or every mutant would seem killed.
    await trial.assertSound();
    const kinds = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
    if (!(await run(trial, kinds.length > 0 ? kinds : MUTANT_KINDS))) process.exitCode = 1;
    await trial.assertSound();
  } finally {
    await trial.close();
  }
} finally {
  await tearDown();
}
