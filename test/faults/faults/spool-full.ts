import type { Fault } from '../fault.ts';
import { STATEMENT_TIMEOUT_MS } from '../world.ts';

export const fault: Fault = {
  name: 'spool-full',
  what: 'the disk under DATA_DIR is full while Postgres is out of reach: a refusal can be kept nowhere',
  must: 'what cannot be recorded is not refused but 503, and what was refused before is recorded',
  world: { smallDisk: 'data' },
  holdMs: STATEMENT_TIMEOUT_MS + 2_000,
  async begin({ line, smallDisk }) {
    line.become('cut');
    await smallDisk?.fill();
    return async () => {
      await smallDisk?.empty();
      line.become('whole');
    };
  },
};
