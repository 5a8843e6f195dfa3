import { nothing } from '../fault.ts';
import type { Fault } from '../fault.ts';

export const fault: Fault = {
  name: 'service-killed',
  what: 'kill -9 of the service, and a new start',
  must: 'whatever was answered before is stored; each repeated key has one record',
  holdMs: 0,
  endsService: true,
  async begin({ service }) {
    const ended = service.ended();
    service.signal('SIGKILL');
    await ended;
    await service.start();
    return nothing;
  },
};
