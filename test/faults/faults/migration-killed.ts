import { forgetRelease } from '../../support/release-before.ts';
import { migrateWithCommand } from '../commands.ts';
import { nothing } from '../fault.ts';
import type { Fault } from '../fault.ts';

const MOMENTS_MS = [350, 500, 650, 800, 1_000, 1_300];

export const fault: Fault = {
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
};
