import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { nothing } from '../fault.ts';
import type { Fault } from '../fault.ts';

const HOUR_MS = 3_600_000;
const CLOCK = fileURLToPath(new URL('../clock.ts', import.meta.url));

export const fault: Fault = {
  name: 'clock-jumps',
  what: 'the service’s clock jumps an hour ahead, two back, five minutes ahead and to what is right',
  must: 'every request is answered as ever, and each refusal is dated when it was',
  world: { environment: { NODE_OPTIONS: `--import ${CLOCK}`, FAULTS_CLOCK: 'clock' } },
  holdMs: 0,
  spares: () => true,
  async begin({ folder, service }) {
    for (const jump of [HOUR_MS, -HOUR_MS, HOUR_MS / 12, 0]) {
      // The service's working folder is this one.
      await writeFile(join(folder, 'clock'), String(jump));
      service.signal('SIGUSR2');
      await delay(800);
    }
    return nothing;
  },
};
