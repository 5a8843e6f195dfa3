/**
 * `npm run proofs -- mutation` tests that the checks in test/policies, and the audit, can fail. Its first part changes
 * every right in the database in turn, and requires that a check fails or the audit reports the change. Its second part
 * changes database objects, and requires that the audit reports each change. `-- --catalogs` runs only the second part,
 * and `-- 'policy dropped' 'trigger disabled'` only these kinds of change. The command exits with 1 if a change stays
 * unnoticed.
 */
import { parseProcessArguments } from '../../src/admin/commands/run-command.ts';
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
  --catalogs       only the changes of database objects
  --minutes        after so many minutes no change of database objects begins; TEST_DAY chooses the sample
  --second-locks   also name the broken rights that only the audit notices
  --help, --version`,
  allowPositionals: true,
  options: {
    ...{ catalogs: { type: 'boolean' }, 'second-locks': { type: 'boolean' } },
    minutes: { type: 'string', default: 'Infinity' },
  },
});

/** After this number of changed rights, the test asserts that all rights are restored. */
const PORTION = 100;

/**
 * Changes every right in the database in turn, and runs the policy checks whose titles fit the right. If no check
 * notices the change, for example because a second right has the same effect, the audit must report the change.
 */
async function runRights(kinds: readonly string[]): Promise<boolean> {
  const database = await createTestDatabase();
  const judge = await openJudge(database.adminUrl);
  const trials = [await setUpTrial(), await setUpTrial()] as const;
  try {
    // Before any right is changed, all policy checks must succeed. A check that always fails would seem to notice every
    // change.
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
        // If a changed right was not restored, policy checks would fail for all later changes too.
        await trial.assertMended();
      }
    };
    await Promise.all(trials.map((trial) => work(trial, portions)));
    // A Postgres server has one list of role memberships for all databases, so only one of the test’s two databases
    // changes them.
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
if (unknown.length > 0) throw new Error(`there is no kind of change '${unknown.join("', '")}'`);
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
