import { parseProcessArguments } from '../../src/admin/commands/run-command.ts';
import { violationsOf } from './fault.ts';
import type { Fault, Result } from './fault.ts';
import { PARTS } from './parts.ts';
import { tableOf } from './table.ts';
import type { Row } from './table.ts';
import { openWorld } from './world.ts';

/*
 * `npm run deploy:check -- [part or part/fault …]` starts the parts of a deployment from Debian’s packages, breaks each
 * of them during a load test, and prints one table. The exit code is 0 if no write was lost, no answer was outdated or
 * had data of another tenant, and every limit was kept. Otherwise it is 1, and 2 if a part is unknown. `--from` names
 * the revision of the release from which the service is upgraded. All processes listen on 127.0.0.1 and end with the
 * command.
 */

/** The longest time in milliseconds for one test, with the start of its servers and its checks. */
const BOUND_MS = 300_000;
const SHOWN = 10;

const { values, positionals } = parseProcessArguments({
  usage:
    'usage: npm run deploy:check -- [--list] [--seed NUMBER] [--from REVISION] [PART or PART/FAULT…]\n  --help, --version',
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    from: { type: 'string' },
    list: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);
const all = PARTS.flat();
const isMeant = (name: string, { part, fault }: Fault): boolean => name === part || name === `${part}/${fault}`;
const unknown = positionals.filter((name) => !all.some((fault) => isMeant(name, fault)));
if (values.list || unknown.length > 0 || !Number.isSafeInteger(seed)) {
  const names = all.map(({ part, fault }) => `${part}/${fault}`).join('\n');
  if (unknown.length > 0) console.error(`${unknown.join(', ')}: no such part. The parts are:`);
  console.log(names);
  process.exit(values.list ? 0 : 2);
}
const chosen = all.filter((fault) => positionals.length === 0 || positionals.some((name) => isMeant(name, fault)));

// A signal need only end deploy:check, because the helper process of deploy/lab/reaper.ts then ends all servers.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
const world = await openWorld(seed, values.from);
const rows: Row[] = [];
let broken = 0;
try {
  for (const fault of chosen) {
    const { result, violations } = await tried(fault);
    rows.push({ fault, result });
    if (violations.length > 0) broken += 1;
    console.log(`${violations.length === 0 ? 'ok ' : 'NOT'} ${fault.part}/${fault.fault}`);
    for (const line of violations.slice(0, SHOWN)) console.log(`    ${line}`);
    if (violations.length > SHOWN) console.log(`    and ${violations.length - SHOWN} more`);
  }
} finally {
  await world.close();
}
console.log(`\n${tableOf(rows)}\n`);
const refused = rows.reduce((sum, { result }) => sum + (result?.refused ?? 0), 0);
const said = `${rows.length} faults, ${refused} refusals held against their records, seed ${seed}`;
console.log(`${said}: ${broken} with a violation`);
process.exit(broken > 0 ? 1 : 0);

/**
 * Runs one test of deploy:check. If the test’s servers do not start, or the test takes too long, this counts as a
 * violation.
 */
async function tried(fault: Fault): Promise<{ result: Result | undefined; violations: readonly string[] }> {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const bound = setTimeout(() => {
    reject(new Error(`the fault test is not over after ${BOUND_MS / 1000} s`));
  }, BOUND_MS);
  try {
    const result = await Promise.race([fault.run(world), over]);
    return { result, violations: violationsOf(fault, result) };
  } catch (error) {
    return { result: undefined, violations: [error instanceof Error ? error.message : String(error)] };
  } finally {
    clearTimeout(bound);
  }
}
