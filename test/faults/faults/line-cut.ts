import type { Fault } from '../fault.ts';

export const fault: Fault = {
  name: 'line-cut',
  what: 'every connection to Postgres is cut, and no other can be made',
  must: 'the service finds a new line by itself',
  holdMs: 2_000,
  begin({ line }) {
    line.become('cut');
    return Promise.resolve(() => {
      line.become('whole');
      return Promise.resolve();
    });
  },
};
