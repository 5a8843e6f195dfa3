import { forgetRelease } from '../../support/release-before.ts';
import { migrateWithCommand } from '../commands.ts';
import { nothing } from '../fault.ts';
import type { Fault } from '../fault.ts';

/* A deploy. */

const MOMENTS_MS = [350, 500, 650, 800, 1_000, 1_300];

export const faults: readonly Fault[] = [
  {
    name: 'migrated-under-load',
    what: 'npm run db:migrate three times, twice of them at once',
    must: 'every request is answered as ever',
    // As it is by default: a deploy may hold a table for a moment, and that of the other faults is shorter.
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
    what: 'kill -9 of npm run db:migrate at six moments, then one to its end',
    must: 'nobody sees more than they may at any moment, and the last one finishes',
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
