import { type Check, CHECKS } from '../policies/checks.ts';
import { idOf } from '../policies/fixture.ts';
import { goldenChecks } from '../policies/golden-checks.ts';
import { TABLES } from '../policies/rights.ts';
import { openWorld } from '../policies/world.ts';
import { createTestDatabase } from '../support/database.ts';
import { createReportingLogin } from '../support/reporting-login.ts';
import type { Mutant } from './mutants.ts';

/** A database in which the proof mutation breaks each right, runs checks, and restores the right. */
export interface Trial {
  /** Whether a check of test/policies fails while a right of the database is broken. */
  isNoticed(mutant: Mutant): Promise<boolean>;
  /** @throws if the database differs from its state before the first broken right. */
  assertMended(): Promise<void>;
  /** @throws if a check of test/policies fails without a broken right. */
  assertSound(): Promise<void>;
  close(): Promise<void>;
}

/** How many policy checks run for a broken right; the first check notices most broken rights. */
const NEAREST = 25;

const BEHAVIOUR = CHECKS.filter((check) => !goldenChecks.includes(check));

export async function setUpTrial(): Promise<Trial> {
  const database = await createTestDatabase();
  const login = await createReportingLogin(database);
  const world = await openWorld({ ...database, reportingUrl: login.url });
  // The test database need not survive a crash, so its transactions do not wait for the disk.
  await world.admin.query('set synchronous_commit = off');

  const failed = async (check: Check): Promise<boolean> =>
    check.run(world).then(
      () => false,
      () => true,
    );

  /** Restores the right that the proof broke, and removes the rows that a failed check may have left. */
  async function mend({ undo }: Mutant): Promise<void> {
    for (const client of [world.admin, world.api, world.unset, world.reporting]) await client.query('rollback');
    await world.admin.query(undo);
    await world.admin.query(`delete from reporting.grants where login = $1 or login = 'somebody_else'`, [
      world.reporting.user,
    ]);
    await world.admin.query('insert into reporting.grants (login, client_id) values ($1, $2)', [
      world.reporting.user,
      idOf('a', 'clients'),
    ]);
  }

  return {
    async isNoticed(mutant) {
      await world.admin.query(mutant.sql);
      try {
        for (const check of nearest(mutant)) if (await failed(check)) return true;
        return false;
      } finally {
        await mend(mutant);
      }
    },
    async assertMended() {
      const { rows } = await world.admin.query('select kind, object, change from audit.drift');
      if (rows.length > 0) throw new Error(`not restored: ${JSON.stringify(rows)}`);
    },
    async assertSound() {
      for (const check of CHECKS) {
        await check.run(world).catch((cause: unknown) => {
          throw new Error(`a check fails without a broken right: ${check.title}`, { cause });
        });
      }
    },
    async close() {
      await world.close();
      await login.drop();
      await database.close();
    },
  };
}

/**
 * The policy checks for a broken right: their titles name the right’s table, or no table, and the checks with most of
 * the right’s words come first. db:audit must report the broken rights that none of these checks notices.
 */
function nearest({ hints }: Mutant): Check[] {
  const [table = ''] = hints;
  const matches = ({ title }: Check): number => hints.filter((hint) => title.includes(hint)).length;
  const ofNoTable = ({ title }: Check): boolean => !TABLES.some((name) => title.includes(name));
  return BEHAVIOUR.filter((check) => check.title.includes(table) || ofNoTable(check))
    .filter((check) => matches(check) > 0)
    .sort((a, b) => matches(b) - matches(a))
    .slice(0, NEAREST);
}
