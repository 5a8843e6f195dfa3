import { FORM, frame } from '../../support/upload.ts';
import type { Fault } from '../fault.ts';
import { badConnection, head } from '../sockets.ts';

const CALLERS_OF_EACH = 40;
const EVERY_MS = 100;

export const fault: Fault = {
  name: 'clients-send-slowly',
  what: '160 callers send a head, a JSON body, an upload or a body that is refused, ten bytes a second',
  must: 'the others are answered as ever',
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
};
