import { setTimeout as delay } from 'node:timers/promises';
import { nothing } from './fault.ts';
import type { Fault } from './fault.ts';
import type { ServiceProcess } from './service-process.ts';

/** What docs/operate.md promises; whatever is beyond it is a hang. */
const END_MS = 10_000;
/** When in the fault the signal comes. */
const AFTER_MS = 1_000;

/** The same fault with a SIGTERM in the middle of it, where it lasts: the service ends in time and loses nothing. */
export function whileEnding(fault: Fault): Fault[] {
  if (fault.holdMs === 0 || fault.endsService === true || fault.name === 'no-fault') return [];
  return [
    {
      ...fault,
      name: `sigterm-while-${fault.name}`,
      what: `SIGTERM, and a new start, while: ${fault.what}`,
      must: 'it ends with 0 within ten seconds, whatever hangs',
      holdMs: 0,
      endsService: true,
      // Between the end and the new start nobody is answered.
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

/** @throws Error where it does not end well, or not in time */
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
