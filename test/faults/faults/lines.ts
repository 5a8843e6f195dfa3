import type { Fault } from '../fault.ts';
import { HUNG_MS } from '../journal.ts';
import type { LoadProcess } from '../load-process.ts';
import type { World } from '../world.ts';

/* Something between the service and Postgres. */

type State = Parameters<World['line']['become']>[0];

const becomes = (state: State, meanwhile?: (load: LoadProcess) => void): Fault['begin'] => {
  return ({ line }, load) => {
    line.become(state);
    meanwhile?.(load);
    return Promise.resolve(() => {
      line.become('whole');
      return Promise.resolve();
    });
  };
};
const manyWrites = (load: LoadProcess): void => {
  load.burst(20, ['create site', 'create claim']);
};

export const faults: readonly Fault[] = [
  {
    name: 'line-cut',
    what: 'every connection to Postgres is cut, and no other can be made',
    must: 'the service finds a new line by itself',
    holdMs: 2_000,
    begin: becomes('cut'),
  },
  {
    name: 'line-deaf',
    what: 'the line to Postgres carries what is asked and nothing back: what was done is not heard of',
    must: 'nobody waits for it longer than the time-outs, and the service finds a new line',
    holdMs: HUNG_MS + 1_000,
    begin: becomes('deaf', manyWrites),
  },
  {
    name: 'line-mute',
    what: 'the line to Postgres stays connected and carries nothing',
    must: 'nobody waits for it longer than the time-outs, and the service finds a new line',
    holdMs: HUNG_MS + 1_000,
    begin: becomes('mute', manyWrites),
  },
  {
    name: 'line-slow',
    what: 'everything between the service and Postgres comes 20 ms late',
    must: 'everybody is answered, only later',
    holdMs: 2_500,
    spares: () => true,
    begin: becomes('slow'),
  },
];
