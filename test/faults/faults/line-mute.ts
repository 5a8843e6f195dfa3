import type { Fault } from '../fault.ts';
import { HUNG_MS } from '../journal.ts';

export const fault: Fault = {
  name: 'line-mute',
  what: 'the line to Postgres stays connected and carries nothing',
  must: 'nobody waits for it longer than the time-outs, and the service finds a new line',
  holdMs: HUNG_MS + 1_000,
  begin({ line }, load) {
    line.become('mute');
    load.burst(20, ['create site', 'create claim']);
    return Promise.resolve(() => {
      line.become('whole');
      return Promise.resolve();
    });
  },
};
