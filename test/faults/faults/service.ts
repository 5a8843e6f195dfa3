import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { nothing } from '../fault.ts';
import type { Fault } from '../fault.ts';
import { killAndStart } from '../service-process.ts';
import { endService } from '../while-ending.ts';

/* These tests harm the service’s own process: they kill it, freeze it, block its event loop or set its clock wrong. */

const REFUSING_MS = 1_500;

const HOUR_MS = 3_600_000;
const CLOCK = fileURLToPath(new URL('../clock.ts', import.meta.url));

export const faults: readonly Fault[] = [
  {
    name: 'service-killed',
    what: 'the service is killed with SIGKILL and started again',
    must: 'every acknowledged write is stored, and each repeated Idempotency-Key has one record',
    holdMs: 0,
    endsService: true,
    async begin({ service }) {
      await killAndStart(service);
      return nothing;
    },
  },
  {
    name: 'service-killed-with-refusals-kept',
    what: 'the service is killed and started again while Postgres is unreachable and refusals are spooled on the disk',
    must: 'each answered refusal is recorded once Postgres is reachable',
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
    what: 'the service gets SIGTERM under load, and is started again',
    must: 'the service exits with 0 within ten seconds, after it has answered every accepted request',
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
    what: 'the service’s clock jumps an hour ahead, two hours back, five minutes ahead, and to the right time',
    must: 'every request is answered as usual, and each refusal has the right date',
    world: { environment: { NODE_OPTIONS: `--import ${CLOCK}`, FAULTS_CLOCK: 'clock' } },
    holdMs: 0,
    spares: () => true,
    async begin({ folder, service }) {
      for (const jump of [HOUR_MS, -HOUR_MS, HOUR_MS / 12, 0]) {
        // The test writes the wanted error of the service’s clock into a file in the service’s working folder.
        await writeFile(join(folder, 'clock'), String(jump));
        service.signal('SIGUSR2');
        await delay(800);
      }
      return nothing;
    },
  },
  {
    name: 'no-fault',
    what: 'the load runs without a fault, for comparison with the other faults',
    must: 'every request is answered, and no request gets 503',
    holdMs: 1_500,
    spares: () => true,
    begin: () => Promise.resolve(nothing),
  },
];
