import { parseProcessArguments } from '../../src/admin/commands/run-command.ts';
import setUp from '../support/global-setup.ts';
import tearDown from '../support/global-teardown.ts';
import { startTestIdentity } from '../support/identity.ts';
import { BREAKAGES } from './breakages.ts';
import { lookedAtBroken } from './broken.ts';
import { objectionsToChannels, unstatedInPostgres } from './channels.ts';
import { nothingYet } from './compare.ts';
import { draw } from './draw.ts';
import { makeLogins } from './logins.ts';
import { byHand, madeUp } from './requests.ts';
import { compareActs, compareStatements, openRound, ready, statementsOf } from './round.ts';
import type { Opened } from './round.ts';
import { ROUNDS } from './variants.ts';

/*
 * `npm run proofs -- interference` sends the same requests and SQL to several databases that differ only in the rows of
 * other tenants. The exit code is 0 if the answers differ exactly as docs/channels.md says, and if each leak between
 * tenants that the command creates on purpose makes answers differ. Otherwise it is 1. `TEST_SAMPLE=1/8` sends an
 * eighth of the requests and SQL.
 */

const MADE_UP = 3_000;
const SHOWN = 20;

parseProcessArguments({ usage: 'usage: npm run proofs -- interference\n  --help, --version' });
let failures = 0;

function fail(lines: readonly string[]): void {
  failures += lines.length;
  for (const line of lines.slice(0, SHOWN)) console.log(`NOT  ${line}`);
}

async function compareAll(opened: Opened): Promise<void> {
  const begun = performance.now();
  const sum = nothingYet();
  await ready(opened);
  await compareStatements(opened, draw('statements', await statementsOf(opened)), sum);
  await compareActs(opened, draw('acts', [...byHand, ...madeUp(MADE_UP)]), sum);
  const [first, ...others] = opened.worlds;
  console.log(
    `${first?.name ?? ''} and ${others.map(({ name }) => name).join('; ')}:\n` +
      `     ${sum.requests} requests and ${sum.statements} statements, ${others.length} pairs of worlds, ` +
      `${sum.bytes} bytes compared, ${sum.differing} differ, ${Math.round((performance.now() - begun) / 1000)} s`,
  );
  const outcomes = [...sum.outcomes].toSorted(([, one], [, other]) => other - one);
  console.log(`     answered with ${outcomes.map(([outcome, count]) => `${outcome} (${count})`).join(', ')}`);
  fail(sum.differences);
}

/**
 * Tests in the two databases that differ most whether docs/channels.md is right. Then creates one leak between tenants
 * after the other, and requires that the two databases’ answers differ.
 */
async function provoke(opened: Opened): Promise<void> {
  fail(await unstatedInPostgres(opened));
  fail(await objectionsToChannels(opened));
  const breakages = draw('breakages', BREAKAGES);
  for (const breakage of breakages) {
    const { differences } = await lookedAtBroken(opened, breakage);
    if (differences.length === 0) fail([`the databases do not answer differently although ${breakage.name}`]);
  }
  console.log(`${breakages.length} breakages and the channels of docs/channels.md were tried`);
}

await setUp();
const identity = await startTestIdentity();
try {
  const logins = await makeLogins();
  for (const [index, round] of ROUNDS.entries()) {
    const opened = await openRound(round, identity, logins);
    try {
      await compareAll(opened);
      if (index === 0) await provoke(opened);
    } finally {
      await opened.close();
    }
  }
} finally {
  await identity.stop();
  await tearDown();
}
console.log(failures === 0 ? 'only the channels of docs/channels.md show other tenants' : `${failures} failures`);
process.exitCode = failures === 0 ? 0 : 1;
