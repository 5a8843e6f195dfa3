import { setTimeout as delay } from 'node:timers/promises';
import { FORM, frame } from '../../support/upload.ts';
import { nothing } from '../fault.ts';
import type { Fault } from '../fault.ts';
import { badConnection, head } from '../sockets.ts';

/* These tests send slow, broken and oversized requests to the service, as some callers do. */

const CALLERS = 60;

const ROUNDS = 12;

const CALLERS_OF_EACH = 40;
const EVERY_MS = 100;

export const faults: readonly Fault[] = [
  {
    name: 'clients-do-not-read',
    what: '60 callers download a document of 20 MB and read none of it',
    must: 'the other callers are answered as usual',
    holdMs: 4_000,
    spares: () => true,
    begin({ service: { port }, people, largeDocument }) {
      const { token = '' } = people[0] ?? {};
      const asked = head(`GET /api/documents/${largeDocument}/content`, { authorization: `Bearer ${token}` });
      const sockets = Array.from({ length: CALLERS }, () => {
        const socket = badConnection(port).pause();
        socket.write(asked);
        return socket;
      });
      return Promise.resolve(() => {
        for (const socket of sockets) socket.destroy();
        return Promise.resolve();
      });
    },
  },
  {
    name: 'clients-hang-up',
    what: 'callers hang up within the head, within a body, within an upload, or before the answer',
    must: 'the other callers are answered as usual, and an abandoned creation is stored once or not at all',
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
  },
  {
    name: 'clients-send-slowly',
    what: '160 callers send a head, a JSON body, an upload or a refused body, at ten bytes a second',
    must: 'the other callers are answered as usual',
    holdMs: 4_000,
    spares: () => true,
    begin({ service: { port }, people }) {
      const { token = '', tenant: { claim } = {} } = people.find(({ role }) => role === 'ADMIN') ?? {};
      const auth = { authorization: `Bearer ${token}` };
      const length = { 'content-length': '100000' };
      const upload = head(`POST /api/reclamations/${claim ?? ''}/documents`, {
        ...{ ...auth, ...length, 'content-type': FORM },
      });
      const starts = [
        'GET /api/clients HTTP/1.1\r\nX-Long: ',
        head('POST /api/sites', { ...auth, ...length, 'content-type': 'application/json' }) + '{"a":"',
        `${upload}${frame().head.toString()}%PDF-1.4\n`,
        head('POST /api/nothing', { ...auth, ...length }),
      ];
      const sockets = starts.flatMap((start) =>
        Array.from({ length: CALLERS_OF_EACH }, () => {
          const socket = badConnection(port);
          socket.write(start);
          socket.resume();
          return socket;
        }),
      );
      const timer = setInterval(() => {
        for (const socket of sockets) if (socket.writable) socket.write('x');
      }, EVERY_MS);
      return Promise.resolve(() => {
        clearInterval(timer);
        for (const socket of sockets) socket.destroy();
        return Promise.resolve();
      });
    },
  },
];
