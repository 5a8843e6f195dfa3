import type { Fault } from '../fault.ts';
import { badConnection, head } from '../sockets.ts';

const CALLERS = 60;

export const fault: Fault = {
  name: 'clients-do-not-read',
  what: '60 callers download a document of 20 MB and take nothing of it',
  must: 'the others are answered as ever',
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
};
