import setUp from '../support/global-setup.ts';
import tearDown from '../support/global-teardown.ts';
import { startTestIdentity } from '../support/identity.ts';
import { nothingYet } from './compare.ts';
import { makeLogins } from './logins.ts';
import { byHand, madeUp } from './requests.ts';
import { compareActs, compareStatements, granted, openRound } from './round.ts';
import { ROUNDS } from './variants.ts';

const MADE_UP = Number(process.env['N'] ?? 3_000);
const EVERY = Number(process.env['E'] ?? 1);
await setUp();
const identity = await startTestIdentity();
try {
  const logins = await makeLogins();
  for (const round of ROUNDS) {
    const opened = await openRound(round, identity, logins);
    try {
      const sum = nothingYet();
      await granted(opened, await opened.callers());
      console.log('open', performance.now());
      await compareStatements(opened, EVERY, sum);
      console.log('sql', performance.now(), sum.statements, sum.bytes);
      await compareActs(opened, byHand.filter((_, i) => i % EVERY === 0), sum);
      console.log('hand', performance.now());
      await compareActs(opened, madeUp(MADE_UP), sum);
      console.log(sum.requests, sum.statements, sum.bytes, sum.differing, performance.now());
      console.log(sum.differences.length, sum.differences.slice(0, 40).join('\n'));
    } finally {
      await opened.close();
    }
  }
} finally {
  await identity.stop();
  await tearDown();
}
