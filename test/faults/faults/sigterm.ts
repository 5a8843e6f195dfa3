import { nothing } from '../fault.ts';
import type { Fault } from '../fault.ts';
import { endService } from '../while-ending.ts';

export const fault: Fault = {
  name: 'sigterm',
  what: 'SIGTERM under load, and a new start',
  must: 'it ends with 0 within ten seconds, and what it took is answered',
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
};
