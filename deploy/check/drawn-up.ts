import { setTimeout as delay } from 'node:timers/promises';
import { check, fill } from '../../test/faults/account.ts';
import type { Fixture, Violation } from '../../test/faults/account.ts';
import type { Entry } from '../../test/faults/journal.ts';
import type { Content } from '../../test/faults/stored-contents.ts';
import { settle } from '../../test/faults/trial.ts';
import { withAdmin } from '../../test/support/database.ts';
import { adminOf } from '../../test/support/world.ts';

/**
 * What is compared after a load test: the number of rows before the load test, its requests, and the rows and contents
 * of documents after it.
 */
export interface Books {
  readonly adminUrl: () => Promise<string>;
  readonly database: string;
  readonly fixture: Fixture;
  readonly contents: () => Promise<readonly Content[]>;
}

/**
 * After a load test, the service’s own background queries must be over within this number of milliseconds. A forgotten
 * session or lock would stay longer.
 */
const AT_REST_MS = 10_000;

/**
 * Waits until the service has recorded all refused requests whose audit records it kept on its disk. Then runs the
 * checks that compare the database with the requests of a load test.
 */
export async function drawUp(
  { adminUrl, database, fixture, contents }: Books,
  entries: readonly Entry[],
): Promise<readonly Violation[]> {
  await settle({ admin: adminOf(adminUrl), database }, entries);
  const stored = await contents();
  return withAdmin(await adminUrl(), async (admin) => {
    await fill(admin, { fixture, entries, contents: stored, spared: [] });
    const end = Date.now() + AT_REST_MS;
    let found = await check(admin);
    while (found.some(isOfTheMoment) && Date.now() < end) {
      await delay(250);
      const again = new Set((await check(admin)).map(nameOf));
      found = found.filter((violation) => again.has(nameOf(violation)));
    }
    return found;
  });
}

/**
 * True if a reported lock or open transaction can belong to a short background query of the service, for example a
 * health check. The check is then repeated.
 */
function isOfTheMoment({ check: name }: Violation): boolean {
  return name === 'no lock is left in the database' || name === 'no database session is left in a transaction';
}

export function nameOf({ check: name, detail }: Violation): string {
  return `${name}: ${detail}`;
}
