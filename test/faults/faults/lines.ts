import type { Fault } from '../fault.ts';
import { HUNG_MS } from '../journal.ts';
import type { LoadProcess } from '../load-process.ts';
import type { World } from '../world.ts';

/* These tests break the network connection between the service and Postgres. */

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
    what: 'every connection to Postgres is cut, and new connections fail',
    must: 'the service reconnects to Postgres by itself',
    holdMs: 2_000,
    begin: becomes('cut'),
  },
  {
    name: 'line-deaf',
    what: 'the connections to Postgres transfer the service’s queries, but no answers',
    must: 'no request waits longer than the time-outs, and the service opens new connections',
    holdMs: HUNG_MS + 1_000,
    begin: becomes('deaf', manyWrites),
  },
  {
    name: 'line-mute',
    what: 'the connections to Postgres stay open, but transfer nothing',
    must: 'no request waits longer than the time-outs, and the service opens new connections',
    holdMs: HUNG_MS + 1_000,
    begin: becomes('mute', manyWrites),
  },
  {
    name: 'line-slow',
    what: 'all data between the service and Postgres arrives 20 ms late',
    must: 'every request is answered, although later than usual',
    holdMs: 2_500,
    spares: () => true,
    begin: becomes('slow'),
  },
];
