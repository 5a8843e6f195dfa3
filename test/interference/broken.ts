import { broken } from './breakages.ts';
import type { Breakage } from './breakages.ts';
import { nothingYet } from './compare.ts';
import type { Compared } from './compare.ts';
import { byHand } from './requests.ts';
import { compareActs, compareStatements, statementsOf } from './round.ts';
import type { Opened } from './round.ts';
import type { Statement } from './step.ts';

/**
 * Sends the requests or SQL whose answers must show a leak that a test created on purpose, and compares the databases’
 * answers.
 */
export async function lookedAt(
  opened: Opened,
  breakage: Breakage,
  before: readonly Statement[] = [],
): Promise<Compared> {
  const sum = nothingYet();
  const { sees } = breakage;
  await compareStatements(opened, [...before, ...(await statementsFor(opened, breakage))], sum);
  if ('acts' in sees)
    await compareActs(
      opened,
      byHand.filter(({ name }) => sees.acts.test(name)),
      sum,
    );
  return sum;
}

/**
 * Creates a leak between tenants in all compared databases, and compares the databases’ answers. The leak can change
 * which SQL the test builds, so SQL from before the leak is sent too.
 */
export async function lookedAtBroken(opened: Opened, breakage: Breakage): Promise<Compared> {
  const before = await statementsFor(opened, breakage);
  return broken(opened.worlds, breakage, () => lookedAt(opened, breakage, before));
}

async function statementsFor(opened: Opened, { sees }: Breakage): Promise<Statement[]> {
  if ('acts' in sees) return [];
  return (await statementsOf(opened, sees)).filter(({ sql }) => sees.statements.test(sql));
}
