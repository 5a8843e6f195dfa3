import { type Check, CHECKS } from '../policies/checks.ts';
import { idOf } from '../policies/fixture.ts';
import { goldenChecks } from '../policies/golden-checks.ts';
import { TABLES } from '../policies/rights.ts';
import { openWorld } from '../policies/world.ts';
import { createTestDatabase } from '../support/database.ts';
import { createReportingLogin } from '../support/reporting-login.ts';
import type { Mutant } from './mutants.ts';

/** One database in which every mutant is made, tried and mended in turn. */
export interface Trial {
  /** Whether a check of what logins may do fails while the mutant stands. */
  isNoticed(mutant: Mutant): Promise<boolean>;
  /** Throws when something is not as it was before the first mutant. */
  assertMended(): Promise<void>;
  /** Throws when a check fails with nothing broken. */
  assertSound(): Promise<void>;
  close(): Promise<void>;
}

/** Far more than it takes: most mutants that can be noticed at all die by the first. */
const NEAREST = 25;

const BEHAVIOUR = CHECKS.filter((check) => !goldenChecks.includes(check));

export async function setUpTrial(): Promise<Trial> {
  const database = await createTestDatabase();
  const login = await createReportingLogin(database);
  const world = await openWorld({ ...database, reportingUrl: login.url });
  // Breaking and mending by the hundred: none of it is to be kept.
  await world.admin.query('set synchronous_commit = off');

  const failed = async (check: Check): Promise<boolean> =>
    check.run(world).then(
      () => false,
      () => true,
    );

  /** A check that failed in the middle may have left what it was about to take back. */
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
      if (rows.length > 0) throw new Error(`not mended: ${JSON.stringify(rows)}`);
    },
    async assertSound() {
      for (const check of CHECKS) {
        await check.run(world).catch((cause: unknown) => {
          throw new Error(`a check fails with nothing broken: ${check.title}`, { cause });
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
 * The checks that are nearest to what the mutant is about: those of its table and those of no table, in the order of
 * what they name. What none of the nearest notices is left to the audit.
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
