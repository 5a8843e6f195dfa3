import { setTimeout as delay } from 'node:timers/promises';
import { FORM, frame } from '../../support/upload.ts';
import { nothing } from '../fault.ts';
import type { Fault } from '../fault.ts';
import { badConnection, head } from '../sockets.ts';

const ROUNDS = 12;

export const fault: Fault = {
  name: 'clients-hang-up',
  what: 'callers hang up: within the head, within a body, within an upload, before the answer',
  must: 'the others are answered as ever; what was hung up on is stored once or not at all',
  holdMs: 0,
  spares: (operation) => operation !== 'create site and hang up',
  async begin({ service: { port }, people }, load) {
    const { token = '', tenant: { client, claim } = {} } = people.find(({ role }) => role === 'ADMIN') ?? {};
    const auth = { authorization: `Bearer ${token}` };
    const json = { ...auth, 'content-type': 'application/json', 'content-length': '200' };
    const upload = { ...auth, 'content-type': FORM, 'content-length': '1000000' };
    const starts = [
      'GET /api/clients HTTP/1.1\r\nHost: he',
      head('POST /api/sites', json) + `{"client_id":"${client ?? ''}"`,
      `${head(`POST /api/reclamations/${claim ?? ''}/documents`, upload)}${frame().head.toString()}%PDF-1.4`,
      head('GET /api/reclamations', auth),
      head('GET /api-json', auth),
    ];
    for (let round = 0; round < ROUNDS; round += 1) {
      load.burst(10, ['create site and hang up']);
      for (const start of starts) {
        const socket = badConnection(port);
        socket.write(start);
        setTimeout(() => socket.destroy(), 40 * (round % 4));
      }
      await delay(150);
    }
    return nothing;
  },
};
