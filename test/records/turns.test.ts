import { once } from 'node:events';
import { createServer, get, request } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import express from 'express';
import { readJson } from '../../src/http/body.ts';
import { toRequestError } from '../../src/http/errors.ts';
import { AUTHENTICATED_BODY_BUDGET } from '../../src/http/json-budget.ts';
import { LARGE_JSON_BODY_BYTES, MAX_WORK_BEFORE_YIELD_MS } from '../../src/limits.ts';
import { createTurnAwaiter } from '../../src/records/import/turns.ts';

/**
 * Starts a server whose requests compute without end, except for `/quick`. `ended` resolves to the code of the error
 * that stopped such a request.
 */
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

test('a request that needs long work blocks no other request, and the work ends when the caller disconnects', async () => {
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

/** Blocks the event loop for the longest time that one turn of the event loop is allowed to take. */
function workForOneTurn(): void {
  const end = performance.now() + MAX_WORK_BEFORE_YIELD_MS;
  while (performance.now() <= end);
}

/** Returns the most pieces of work that one turn of the event loop completed, until all pieces were completed. */
async function mostInOneTurn(done: () => number, all: number): Promise<number> {
  let most = 0;
  while (done() < all) {
    const before = done();
    await setImmediate();
    most = Math.max(most, done() - before);
  }
  return most;
}

test('if many requests need long work at once, the service continues the work of only one request in each turn of the event loop', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  let done = 0;
  const works = Array.from({ length: 8 }, async () => {
    const nextTurn = createTurnAwaiter({ socket });
    for (let piece = 0; piece < 4; piece += 1) {
      await nextTurn();
      workForOneTurn();
      done += 1;
    }
  });
  expect(await mostInOneTurn(() => done, 32)).toBe(1);
  await Promise.all(works);
  socket.destroy();
  server.close();
});

test('if many large request bodies arrive at once, the service checks only one of them in each turn of the event loop', async () => {
  let done = 0;
  const app = express().post('/', async (request, response) => {
    await readJson(request, AUTHENTICATED_BODY_BUDGET);
    workForOneTurn();
    done += 1;
    response.end();
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const body = JSON.stringify('x'.repeat(LARGE_JSON_BODY_BYTES));
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  const { port } = server.address() as AddressInfo;
  const requests = Array.from({ length: 8 }, () =>
    request({ port, host: '127.0.0.1', method: 'POST', headers, agent: false }),
  );
  // The test sends the last byte of each request body once all connections are open, so that all bodies are complete at
  // about the same time.
  for (const one of requests) one.write(body.slice(0, -1));
  const connections = promisify(server.getConnections.bind(server));
  while ((await connections()) < requests.length) await setImmediate();
  for (const one of requests) one.end(body.slice(-1));
  expect(await mostInOneTurn(() => done, requests.length)).toBe(1);
  server.close();
});

test('a request’s work that exceeds its time limit ends even if its caller still waits', async () => {
  const { port, ended, close } = await serve(50);
  begin(port, '/for-ever');
  expect(await ended).toBe('ERROR_UNAVAILABLE');
  close();
});
