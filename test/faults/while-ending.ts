import { setTimeout as delay } from 'node:timers/promises';
import { nothing } from './fault.ts';
import type { Fault } from './fault.ts';
import type { ServiceProcess } from './service-process.ts';

/** After a SIGTERM the service must end within this time, in milliseconds, as docs/operate.md promises. */
const END_MS = 10_000;
/** How many milliseconds after the beginning of a failure the service gets SIGTERM. */
const AFTER_MS = 1_000;

/**
 * Makes a second test from the test of a lasting failure. In the second test the service gets SIGTERM while the failure
 * lasts, and must end in time and lose nothing.
 */
export function whileEnding(fault: Fault): Fault[] {
  if (fault.holdMs === 0 || fault.endsService === true || fault.name === 'no-fault') return [];
  return [
    {
      ...fault,
      name: `sigterm-while-${fault.name}`,
      what: `the service gets SIGTERM, and is started again, during this fault: ${fault.what}`,
      must: 'the service exits with 0 within ten seconds, whatever it waits for',
      holdMs: 0,
      endsService: true,
      // The service is ended and started again during this failure, so no request can succeed in between.
      spares: () => false,
      async begin(world, load) {
        const mend = await fault.begin(world, load);
        await delay(AFTER_MS);
        try {
          await endService(world.service);
        } finally {
          await mend();
          await world.service.start();
        }
        return nothing;
      },
    },
  ];
}

/** @throws Error if the service exits with another code than 0, or exits too late */
export async function endService(service: ServiceProcess): Promise<void> {
  const kill = setTimeout(() => {
    service.signal('SIGKILL');
  }, END_MS);
  const ending = service.ended();
  service.signal('SIGTERM');
  const { how, ms } = await ending;
  clearTimeout(kill);
  if (how !== 0) throw new Error(`the service ended with ${String(how)}, ${ms} ms after SIGTERM`);
}
