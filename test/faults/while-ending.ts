import { setTimeout as delay } from 'node:timers/promises';
import { nothing } from './fault.ts';
import type { Fault } from './fault.ts';
import type { ServiceProcess } from './service-process.ts';

/** The milliseconds within which the service must end after a SIGTERM, as docs/operate.md promises. */
const END_MS = 10_000;
/** The milliseconds from the beginning of the fault to the SIGTERM. */
const AFTER_MS = 1_000;

/**
 * Returns a second form of a fault that lasts: the service gets SIGTERM in the middle of the fault, and must end in
 * time and lose nothing.
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
      // No request is answered between the end of the service and its next start.
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

/** @throws Error if the service does not end with exit code 0, or not in time */
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
