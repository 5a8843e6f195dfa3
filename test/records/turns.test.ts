import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { toRequestError } from '../../src/http/errors.ts';
import { createTurnAwaiter } from '../../src/records/import/turns.ts';

/** Starts a server whose requests work without end, except `/quick`. `ended` is the work’s error code. */
async function serve(wholeMs?: number): Promise<{ port: number; ended: Promise<string>; close: () => void }> {
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  const server = createServer((request, response) => {
    const nextTurn = createTurnAwaiter(request, wholeMs);
    const work = async (): Promise<never> => {
      for (;;) await nextTurn();
    };
    if (request.url === '/quick') response.end();
    else
      work().catch((error: unknown) => {
        response.end();
        resolve(toRequestError(error).code);
      });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, ended, close: () => server.close() };
}

const begin = (port: number, path: string) =>
  get({ port, host: '127.0.0.1', path, agent: false }).on('error', () => undefined);

test('a request with long work blocks no other request, and its work ends when its caller disconnects', async () => {
  const { port, ended, close } = await serve();
  const working = begin(port, '/for-ever');
  await once(working, 'socket');
  for (let others = 0; others < 3; others += 1) {
    const [response] = (await once(begin(port, '/quick'), 'response')) as [{ statusCode: number }];
    expect(response.statusCode).toBe(200);
  }
  working.destroy();
  expect(await ended).toBe('ERROR_VALIDATION');
  close();
});

test('a request’s work that exceeds its time limit ends even if its caller still waits', async () => {
  const { port, ended, close } = await serve(50);
  begin(port, '/for-ever');
  expect(await ended).toBe('ERROR_UNAVAILABLE');
  close();
});
