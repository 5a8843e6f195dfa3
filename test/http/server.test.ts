import { once } from 'node:events';
import { Agent, request as send } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, test } from '@jest/globals';
import { refuseConnection } from '../../src/http/refuse-connection.ts';
import { createHttpServer } from '../../src/http/server.ts';
import type { HttpServer, ServerOptions } from '../../src/http/server.ts';
import { ask, askRaw, parseRaw } from '../support/http.ts';

type Held = [IncomingMessage, ServerResponse];

let server: HttpServer;
let port: number;
let held: Held[];
let taken: ServerResponse[];
let arrived: () => void;

/** Starts an HTTP server without an application, whose responses the test writes. */
async function start(options: ServerOptions = {}): Promise<void> {
  held = [];
  taken = [];
  arrived = () => undefined;
  server = createHttpServer((request, response) => {
    held.push([request, response]);
    taken.push(response);
    arrived();
  }, options);
  port = await server.listen(0, '127.0.0.1');
}

async function requestTaken(): Promise<Held> {
  while (held.length === 0) {
    await new Promise<void>((resolve) => {
      arrived = resolve;
    });
  }
  return held.shift() as Held;
}

async function open(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  await once(socket, 'connect');
  return socket;
}

async function readToEnd(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: string) => (text += chunk));
  await once(socket, 'close');
  return text;
}

afterEach(async () => {
  for (const response of taken) response.destroy();
  await server.close();
});

describe('the server answers bytes that are not a valid HTTP request with an error in JSON', () => {
  const GET = 'GET / HTTP/1.1\r\nHost: here\r\n';
  test.each([
    ['a request line that is no HTTP', 'nonsense\r\n\r\n'],
    [
      'a Content-Length with Transfer-Encoding: chunked',
      `${GET}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
    ],
    [
      'Transfer-Encoding: gzip, chunked',
      `${GET}Connection: close\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['a request without a Host header', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['an absolute URL without a host', `GET http://?x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`],
    ['a CONNECT request', 'CONNECT there:1 HTTP/1.1\r\nHost: there\r\n\r\n'],
    ['300,000 bytes of headers', `${GET}X: ${'x'.repeat(300_000)}\r\n\r\n`, 431],
  ] as readonly (readonly [string, string, (400 | 431)?])[])(
    'the server answers a malformed request (%s) with an error in JSON, and closes the connection',
    async (_what, bytes, status = 400) => {
      await start();
      const { answer, head } = parseRaw(await askRaw(port, bytes));
      expect(answer.status).toBe(status);
      expect(answer.headers).toMatchObject({ connection: 'close', 'cache-control': 'no-store' });
      expect(answer.json).toEqual({
        error: {
          code: { 400: 'ERROR_VALIDATION', 431: 'ERROR_HEADERS_TOO_LARGE' }[status],
          message: expect.any(String),
          timestamp: expect.any(String),
          requestId: answer.headers['x-request-id'],
        },
      });
      expect(head).not.toMatch(/HPE_|Error:/);
      expect(held).toEqual([]);
    },
  );

  test('the server answers a request that takes too long to arrive with 408', async () => {
    await start();
    const refusing = createServer((socket) => {
      refuseConnection(Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket, false);
    }).listen(0, '127.0.0.1');
    await once(refusing, 'listening');
    const { answer } = parseRaw(await askRaw((refusing.address() as AddressInfo).port, ''));
    expect(answer).toMatchObject({ status: 408, json: { error: { code: 'ERROR_REQUEST_TIMEOUT' } } });
    refusing.close();
  });

  test('the server answers a path with characters outside ASCII with 400 and says that they must be percent-encoded', async () => {
    await start();
    const { answer } = parseRaw(await askRaw(port, 'GET /api/sites?q=Sète HTTP/1.1\r\nHost: here\r\n\r\n'));
    expect(answer).toMatchObject({
      status: 400,
      json: { error: { details: { path: 'must be ASCII: UTF-8 in a path or query is percent-encoded' } } },
    });
  });

  test('the HTTP server writes no error into a response that has begun', async () => {
    await start();
    const socket = await open();
    socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
    const [, response] = await requestTaken();
    response.write('begun');
    await once(socket, 'data');
    const rest = readToEnd(socket);
    socket.write('nonsense\r\n');
    expect(await rest).toBe('');
  });

  test('the server accepts a header of 250,000 characters and keeps all of them', async () => {
    await start();
    const answer = ask(port, 'GET /', { headers: { x: 'x'.repeat(250_000) } });
    const [request, response] = await requestTaken();
    expect(request.headers['x']).toHaveLength(250_000);
    response.end('{}');
    expect((await answer).status).toBe(200);
  });

  test('the server answers a request with an unknown value in the header Expect like any other request', async () => {
    await start();
    const answer = ask(port, 'GET /', { headers: { expect: 'the-unexpected' } });
    (await requestTaken())[1].end('{}');
    expect((await answer).status).toBe(200);
  });
});

describe('pages of listed origins can read errors that the server answers before the application', () => {
  const ORIGIN = 'https://app.example';
  const line = (target = '/', origin = ORIGIN, method = 'GET'): string =>
    `${method} ${target} HTTP/1.1\r\nHost: here\r\nOrigin: ${origin}\r\nConnection: close\r\n`;
  const answerTo = async (bytes: string) => {
    await start({ corsOrigins: [ORIGIN] });
    return parseRaw(await askRaw(port, bytes)).answer;
  };
  const VARY = /^Origin(?:, Accept-Language)?$/;
  const long = `/${'x'.repeat(9_000)}`;
  const chunked = (origin: string, rest: string): string =>
    `${line('/', origin, 'POST')}Transfer-Encoding: chunked\r\n\r\n${rest}`;
  const CASES: readonly (readonly [what: string, status: number, bytes: (origin: string) => string])[] = [
    ['a URL of 9,000 characters', 414, (origin) => `${line(long, origin)}\r\n`],
    [
      'an If-Match header of 9,000 characters',
      431,
      (origin) => `${line('/', origin)}If-Match: ${'x'.repeat(9_000)}\r\n\r\n`,
    ],
    ['two Host headers', 400, (origin) => `${line('/', origin)}Host: there\r\n\r\n`],
    ['a CONNECT request', 400, (origin) => `${line('there:1', origin, 'CONNECT')}\r\n`],
    ['a malformed chunk of a body', 400, (origin) => chunked(origin, 'zz\r\n')],
    ['a chunk with an extension of 20,000 characters', 413, (origin) => chunked(origin, `1;${'x'.repeat(20_000)}\r\n`)],
  ];

  test.each(CASES)(
    'a page of a listed origin can read the answer to %s (%i), and a page of another origin cannot',
    async (_what, status, bytes) => {
      const answer = await answerTo(bytes(ORIGIN));
      expect(answer).toMatchObject({
        status,
        headers: {
          'access-control-allow-origin': ORIGIN,
          'access-control-expose-headers': expect.stringContaining('X-Request-Id'),
          vary: expect.stringMatching(VARY),
        },
      });
      await server.close();
      const other = await answerTo(bytes('https://other.example'));
      expect(other).toMatchObject({ status, headers: { vary: expect.stringMatching(VARY) } });
      expect(other.headers).not.toHaveProperty('access-control-allow-origin');
    },
  );

  test('the server answers the CORS preflight of a URL that is too long with 204', async () => {
    const preflight = `${line(long, ORIGIN, 'OPTIONS')}Access-Control-Request-Method: GET\r\nAccess-Control-Request-Headers: authorization\r\n\r\n`;
    expect(await answerTo(preflight)).toMatchObject({
      status: 204,
      headers: { 'access-control-allow-origin': ORIGIN, 'access-control-allow-headers': 'authorization' },
    });
  });

  test('the server sends no CORS headers with the error for malformed request headers', async () => {
    for (const bytes of [
      `${line().replace('/ HTTP', '/é HTTP')}\r\n`,
      `${line()}X: ${'x'.repeat(300_000)}\r\n\r\n`,
      `${line()}: x\r\n\r\n`,
    ]) {
      const { status, headers } = await answerTo(bytes);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      await server.close();
    }
  });
});

test('the server waits 15 seconds for headers and 65 seconds between two requests, as its Keep-Alive header says', async () => {
  await start();
  const answer = ask(port, 'GET /', { headers: { connection: 'keep-alive' } });
  const [request, response] = await requestTaken();
  // The server's requestTimeout is 0, because src/http/body-stream.ts limits the time of a request body.
  const { server: own } = request.socket as unknown as { readonly server: Server };
  const { headersTimeout, requestTimeout, keepAliveTimeout } = own;
  expect({ headersTimeout, requestTimeout, keepAliveTimeout }).toEqual({
    headersTimeout: 15_000,
    requestTimeout: 0,
    keepAliveTimeout: 65_000,
  });
  response.end('{}');
  expect((await answer).headers).toMatchObject({ connection: 'keep-alive', 'keep-alive': 'timeout=65' });
});

test('a server at its limit of connections closes silent connections, accepts a new client and finishes open requests', async () => {
  await start();
  const first = ask(port, 'GET /', { headers: { connection: 'keep-alive' } });
  const [request, response] = await requestTaken();
  const { server: own } = request.socket as unknown as { readonly server: Server };
  expect(own.maxConnections).toBe(4_000);
  own.maxConnections = 3;
  const silent = [await open(), await open()];
  const ended = silent.map((socket) => readToEnd(socket));
  // The server closes this connection above its limit, and closes the silent connections to make room for new clients.
  await readToEnd(await open()).catch(() => undefined);
  await Promise.all(ended);
  const second = ask(port, 'GET /');
  (await requestTaken())[1].end('{}');
  expect((await second).status).toBe(200);
  // The server at its limit has not closed the connection of the first request, which is still being answered.
  response.end('{}');
  expect((await first).status).toBe(200);
});

describe('a closing HTTP server finishes its requests', () => {
  test('a closing server finishes the request that it has accepted, sends Connection: close and accepts no connection', async () => {
    await start();
    const agent = new Agent({ keepAlive: true });
    const answer = new Promise<IncomingMessage>((resolve) => {
      send({ port, host: '127.0.0.1', agent }, resolve).end();
    });
    const [, response] = await requestTaken();
    const closed = server.close();
    await expect(open()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    response.end('{"whole":true}');
    const message = await answer;
    expect(message.headers.connection).toBe('close');
    expect((await message.setEncoding('utf8').toArray()).join('')).toBe('{"whole":true}');
    await closed;
  });

  test('a closing server closes an idle keep-alive connection at once', async () => {
    await start({ drainMs: 600_000 });
    const socket = await open();
    socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
    (await requestTaken())[1].end();
    await once(socket, 'data');
    const ended = once(socket, 'close');
    await server.close();
    await ended;
  });

  test('a closing server closes a connection without any request at once', async () => {
    await start({ drainMs: 600_000 });
    const ended = readToEnd(await open());
    await server.close();
    expect(await ended).toBe('');
  });

  test('a closing server closes a keep-alive connection as soon as a begun response has ended', async () => {
    await start({ drainMs: 600_000 });
    const socket = await open();
    const text = readToEnd(socket);
    socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
    const [, response] = await requestTaken();
    response.writeHead(200, { 'Content-Length': 8 }).write('half');
    const closed = server.close();
    response.end('full');
    await closed;
    expect(await text).toMatch(/Connection: keep-alive[^]*halffull$/);
  });

  test('a closing server loses no request of a client that sends requests one after the other', async () => {
    await start({ drainMs: 600_000 });
    arrived = () => {
      const [, response] = held.shift() as Held;
      setImmediate(() => response.end('{}'));
    };
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let answered = 0;
    const hammer = async (): Promise<string> => {
      for (;;) {
        const message = await new Promise<IncomingMessage>((resolve, reject) => {
          send({ port, host: '127.0.0.1', agent }, resolve).once('error', reject).end();
        });
        await message.resume().toArray();
        answered += 1;
        if (message.headers.connection === 'close') return 'told to close';
      }
    };
    const hammering = hammer();
    while (answered < 20) await new Promise(setImmediate);
    await server.close();
    expect(await hammering).toBe('told to close');
  });

  test('a closing server waits no longer than drainMs for a response that never comes', async () => {
    await start({ drainMs: 20 });
    const socket = await open();
    const ended = readToEnd(socket);
    socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
    await requestTaken();
    await server.close();
    expect(await ended).toBe('');
  });
});

test('the server cuts off a client that reads nothing of a response, and not a client that waits for a slow response', async () => {
  await start({ stallMs: 50 });
  const greedy = await open();
  greedy.pause();
  greedy.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
  const [, endless] = await requestTaken();
  const broken = once(endless, 'close');
  Readable.from(forever()).pipe(endless);
  const patient = await open();
  const answer = readToEnd(patient);
  patient.write('GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n');
  const [, late] = await requestTaken();
  await broken;
  late.end('late');
  expect(await answer).toMatch(/late$/);
  greedy.destroy();
  await server.close();
});

function* forever(): Generator<Buffer> {
  for (;;) yield Buffer.alloc(64 * 1024);
}
