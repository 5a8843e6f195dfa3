import { type Check, CHECKS } from '../policies/checks.ts';
import { idOf } from '../policies/fixture.ts';
import { goldenChecks } from '../policies/golden-checks.ts';
import { TABLES } from '../policies/rights.ts';
import { openWorld } from '../policies/world.ts';
import { createTestDatabase } from '../support/database.ts';
import { createReportingLogin } from '../support/reporting-login.ts';
import type { Mutant } from './mutants.ts';

/** A database for a test that changes a right, runs the policy checks, and restores the right. */
export interface Trial {
  isNoticed(mutant: Mutant): Promise<boolean>;
  /** @throws if the database differs from its state before the first changed right */
  assertMended(): Promise<void>;
  /** @throws if a check of test/policies fails although no right is changed */
  assertSound(): Promise<void>;
  close(): Promise<void>;
}

/** How many policy checks run for each changed right. Most changes are noticed by the first check. */
const NEAREST = 25;

const BEHAVIOUR = CHECKS.filter((check) => !goldenChecks.includes(check));

export async function setUpTrial(): Promise<Trial> {
  const database = await createTestDatabase();
  const login = await createReportingLogin(database);
  const world = await openWorld({ ...database, reportingUrl: login.url });
  // The test database need not survive a crash, so commits do not wait for the disk.
  await world.admin.query('set synchronous_commit = off');

  const failed = async (check: Check): Promise<boolean> =>
    check.run(world).then(
      () => false,
      () => true,
    );

  /** Restores the changed right, and deletes rows that are still stored after a failed check. */
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
 * Chooses the policy checks that run after a right was changed: their titles name the right’s table, or no table.
 * Checks that share most words with the right come first. If none of them fails, db:audit must report the change.
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
