import { forgetRelease } from '../../support/release-before.ts';
import { migrateWithCommand } from '../commands.ts';
import { nothing } from '../fault.ts';
import type { Fault } from '../fault.ts';

/* In these tests a release is deployed during a load test. One of the tests kills the migration of the database. */

const MOMENTS_MS = [350, 500, 650, 800, 1_000, 1_300];

export const faults: readonly Fault[] = [
  {
    name: 'migrated-under-load',
    what: 'npm run db:migrate runs three times, two of them at the same time',
    must: 'every request is answered as usual',
    // This test uses the service’s default statement time-out, because a deploy sometimes locks a table for a moment.
    // Other tests of failures set a shorter time-out.
    world: { environment: { DATABASE_STATEMENT_TIMEOUT_MS: '5000' } },
    holdMs: 0,
    spares: () => true,
    async begin({ adminUrl }) {
      await forgetRelease(adminUrl);
      await migrateWithCommand(adminUrl);
      await forgetRelease(adminUrl);
      await Promise.all([migrateWithCommand(adminUrl), migrateWithCommand(adminUrl)]);
      return nothing;
    },
  },
  {
    name: 'migration-killed',
    what: 'npm run db:migrate is killed at six moments, and then runs to its end',
    must: 'no caller ever sees a foreign record, and the last db:migrate succeeds',
    holdMs: 0,
    async begin({ adminUrl }) {
      for (const moment of MOMENTS_MS) {
        await forgetRelease(adminUrl);
        await migrateWithCommand(adminUrl, moment);
      }
      await migrateWithCommand(adminUrl);
      return nothing;
    },
  },
];
