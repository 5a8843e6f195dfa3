import { forgetRelease } from '../../support/release-before.ts';
import { migrateWithCommand } from '../commands.ts';
import { nothing } from '../fault.ts';
import type { Fault } from '../fault.ts';

export const fault: Fault = {
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
};
