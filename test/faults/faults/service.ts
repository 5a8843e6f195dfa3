import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { nothing } from '../fault.ts';
import type { Fault } from '../fault.ts';
import { killAndStart } from '../service-process.ts';
import { endService } from '../while-ending.ts';

/* What becomes of the service itself. */

const REFUSING_MS = 1_500;

const HOUR_MS = 3_600_000;
const CLOCK = fileURLToPath(new URL('../clock.ts', import.meta.url));

export const faults: readonly Fault[] = [
  {
    name: 'service-killed',
    what: 'kill -9 of the service, and a new start',
    must: 'whatever was answered before is stored; each repeated key has one record',
    holdMs: 0,
    endsService: true,
    async begin({ service }) {
      await killAndStart(service);
      return nothing;
    },
  },
  {
    name: 'service-killed-with-refusals-kept',
    what: 'kill -9 of the service, and a new start, while Postgres is out of reach and refusals lie on the disk',
    must: 'each refusal that was answered is recorded once Postgres is back',
    holdMs: 1_000,
    endsService: true,
    async begin({ line, service }) {
      line.become('cut');
      await delay(REFUSING_MS);
      await killAndStart(service);
      return () => {
        line.become('whole');
        return Promise.resolve();
      };
    },
  },
  {
    name: 'sigterm',
    what: 'SIGTERM under load, and a new start',
    must: 'it ends with 0 within ten seconds, and what it took is answered',
    holdMs: 0,
    endsService: true,
    async begin({ service }) {
      try {
        await endService(service);
      } finally {
        await service.start();
      }
      return nothing;
    },
  },
  {
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
  },
  {
    name: 'no-fault',
    what: 'nothing goes wrong: what the others are held against',
    must: 'every request is answered, none with 503',
    holdMs: 1_500,
    spares: () => true,
    begin: () => Promise.resolve(nothing),
  },
];
