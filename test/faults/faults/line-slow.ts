import type { Fault } from '../fault.ts';

export const fault: Fault = {
  name: 'line-slow',
  what: 'everything between the service and Postgres comes 20 ms late',
  must: 'everybody is answered, only later',
  holdMs: 2_500,
  spares: () => true,
  begin({ line }) {
    line.become('slow');
    return Promise.resolve(() => {
      line.become('whole');
      return Promise.resolve();
    });
  },
};
