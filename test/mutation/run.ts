/**
 * Proves that the tests of the policies and the audit can fail. First it breaks every right in turn in a database of
 * its own, demands that a check of what logins may do goes red or the audit says so, and mends it; then it changes every object of the catalogs in turn, and
 * demands that the audit says so. `npm run proofs -- mutation`; the second half alone with `-- --catalogs`; some kinds with
 * `-- 'policy dropped' 'trigger disabled'`. Exits non-zero when a mutant survives.
 */
import { parseProcessArguments } from '../../src/commands/run-command.ts';
import { CATALOG_KINDS } from './catalogs/kinds.ts';
import { runCatalogs } from './catalogs/run.ts';
import { SERVER_KIND } from './catalogs/server.ts';
import { setUpTrial, type Trial } from './trial.ts';
import setUp from '../support/global-setup.ts';
import tearDown from '../support/global-teardown.ts';
import { createTestDatabase } from '../support/database.ts';
import { openJudge } from './catalogs/judge.ts';
import { isOfTheServer, type Mutant, MUTANT_KINDS, mutantsOf } from './mutants.ts';

const { values, positionals: named } = parseProcessArguments({
  usage: `usage: npm run proofs -- mutation -- [--catalogs] [--minutes NUMBER] [--second-locks] [KIND…]
  --catalogs       the changes of the catalogs alone
  --minutes        how long catalogs are changed: a sample of them, which TEST_DAY chooses
  --second-locks   also name the rights whose loss the audit alone sees
  --help, --version`,
  allowPositionals: true,
  options: {
    ...{ catalogs: { type: 'boolean' }, 'second-locks': { type: 'boolean' } },
    minutes: { type: 'string', default: 'Infinity' },
  },
});

/** So many are tried before it is asked whether all of them were mended. */
const PORTION = 100;

/**
 * The first half: rights. Two databases try what a login notices; the audit must see each right that no login
 * notices, because a second lock holds.
 */
async function runRights(kinds: readonly string[]): Promise<boolean> {
  const database = await createTestDatabase();
  const judge = await openJudge(database.adminUrl);
  const trials = [await setUpTrial(), await setUpTrial()] as const;
  try {
    // On the database as it is every check must hold, before and after, or every mutant would seem killed.
    for (const trial of trials) await trial.assertSound();
    const tally = new Map<string, { tried: number; unnoticed: Mutant[] }>();
    const portions: Mutant[][] = [];
    const ofTheServer: Mutant[][] = [];
    for (const kind of kinds) {
      const mutants = await mutantsOf(judge.admin, kind);
      tally.set(kind, { tried: mutants.length, unnoticed: [] });
      const list = isOfTheServer(kind) ? ofTheServer : portions;
      for (let from = 0; from < mutants.length; from += PORTION) list.push(mutants.slice(from, from + PORTION));
    }
    const work = async (trial: Trial, list: Mutant[][]): Promise<void> => {
      for (let portion = list.shift(); portion !== undefined; portion = list.shift()) {
        for (const mutant of portion)
          if (!(await trial.isNoticed(mutant))) tally.get(mutant.kind)?.unnoticed.push(mutant);
        // One that stayed broken would have killed all that came after it.
        await trial.assertMended();
      }
    };
    await Promise.all(trials.map((trial) => work(trial, portions)));
    // The other database would notice these.
    await work(trials[0], ofTheServer);
    const survivors: Mutant[] = [];
    let [tried, seconds] = [0, 0];
    for (const [kind, { tried: all, unnoticed }] of tally) {
      const judged = [...(await judge.judge(unnoticed))];
      const survived = judged.flatMap(([mutant, verdict]) => ('survived' in verdict ? [mutant] : []));
      const byAudit = judged.length - survived.length;
      console.log(`${kind}: ${all - survived.length} of ${all} killed, ${byAudit} of them by the audit alone`);
      if (values['second-locks'] === true)
        for (const { object } of unnoticed) console.log(`audit alone  ${kind}: ${object}`);
      for (const { object } of survived) console.log(`SURVIVED  ${kind}: ${object}`);
      survivors.push(...survived);
      tried += all;
      seconds += byAudit;
    }
    console.log(
      `${tried - survivors.length} of ${tried} mutants killed,` +
        ` ${tried - survivors.length - seconds} by trying, ${seconds} by the audit alone`,
    );
    for (const trial of trials) await trial.assertSound();
    return survivors.length === 0;
  } finally {
    for (const trial of trials) await trial.close();
    await judge.close();
    await database.close();
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
