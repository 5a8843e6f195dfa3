/**
 * `npm run proofs -- mutants` checks that the tests notice single errors in `src`. The command plants one error in a
 * copy of the checkout, runs the test suites nearest to the changed file until a suite fails, and goes on to the next
 * error. `-- src/http/csv.ts` plants errors only in this file. The command exits with 1 if the tests miss a tenth of
 * the errors or more.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseProcessArguments } from '../../src/admin/commands/run-command.ts';
import { isIn } from '../proofs.ts';
import { DAY, shuffledByDay } from '../support/day.ts';
import { ROOT } from '../support/suites.ts';
import { Copy } from './copy.ts';
import { EXCUSED } from './excused.ts';
import { type Mutant, mutantsOf } from './mutate.ts';
import { suitesNear } from './near.ts';
import { compiles } from './types.ts';

const { values, positionals } = parseProcessArguments({
  usage: `usage: npm run proofs -- mutants -- [--minutes NUMBER] [FILE, or FOLDER/ …]
  --minutes  how long: no mutant is begun in the last third
  --help, --version`,
  allowPositionals: true,
  options: { minutes: { type: 'string', default: '10' } },
});

const end = performance.now() + (Number(values.minutes) * 60_000 * 2) / 3;
const waiting = shuffledByDay(
  globSync('src/**/*.ts', { cwd: ROOT })
    .filter((file) => positionals.length === 0 || isIn(positionals, file))
    .sort()
    .flatMap((file) => mutantsOf(file, readFileSync(join(ROOT, file), 'utf8'))),
).filter(({ file, before }) => !EXCUSED.some((one) => one.file === file && one.before === before));
let [killed, survived] = [0, 0];

/**
 * True if a test suite fails because of the error planted in the source file. The function runs the four suites nearest
 * to the file, 30 fast suites, and eight slow ones.
 */
async function isKilled(copy: Copy, mutant: Mutant): Promise<boolean> {
  const { nearest, fast, proven } = suitesNear(mutant.file);
  const runs = [nearest, fast.slice(0, 10), fast.slice(10, 30), proven.slice(0, 8)];
  for (const run of runs) if ((await copy.killerOf(mutant, run)) !== undefined) return true;
  return false;
}

async function work(copy: Copy): Promise<void> {
  try {
    for (let mutant = waiting.shift(); mutant !== undefined && performance.now() < end; mutant = waiting.shift()) {
      if (!compiles(mutant)) continue;
      if (await isKilled(copy, mutant)) killed += 1;
      else {
        survived += 1;
        const { file, line, kind, before, after } = mutant;
        console.log(`SURVIVED  ${file}:${line}  ${kind}: ${before.replaceAll(/\s+/g, ' ')}  →  ${after}`);
      }
    }
    for (const suite of copy.unsound) console.log(`fails without a mutant: ${suite}`);
  } finally {
    copy.remove();
  }
}

await Promise.all([new Copy('1'), new Copy('2')].map(work));
const all = killed + survived;
console.log(`${all} mutants, ${killed} killed, ${survived} survived, TEST_DAY=${DAY}`);
if (all === 0 || survived * 10 >= all) process.exitCode = 1;
