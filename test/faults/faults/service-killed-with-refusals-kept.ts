import { setTimeout as delay } from 'node:timers/promises';
import type { Fault } from '../fault.ts';

const REFUSING_MS = 1_500;

export const fault: Fault = {
  name: 'service-killed-with-refusals-kept',
  what: 'kill -9 of the service, and a new start, while Postgres is out of reach and refusals lie on the disk',
  must: 'each refusal that was answered is recorded once Postgres is back',
  holdMs: 1_000,
  endsService: true,
  async begin({ line, service }) {
    line.become('cut');
    await delay(REFUSING_MS);
    const ended = service.ended();
    service.signal('SIGKILL');
    await ended;
    await service.start();
    return () => {
      line.become('whole');
      return Promise.resolve();
    };
  },
};
