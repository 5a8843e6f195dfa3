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

/** A server whose responses the test sends itself, when it wants to. */
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

/** All that a connection says until the server ends it. */
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

describe('what is no request gets an answer in the envelope and the end of its connection', () => {
  const GET = 'GET / HTTP/1.1\r\nHost: here\r\n';
  test.each([
    ['a line that is no HTTP', 'nonsense\r\n\r\n'],
    ['a malformed Content-Length', `${GET}Content-Length: 1x\r\n\r\n`],
    ['two lengths', `${GET}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`],
    ['a length and chunks', `${GET}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`],
    [
      'a coding of the body that is no chunks',
      `${GET}Connection: close\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['a header without a name', `${GET}: x\r\n\r\n`],
    ['a NUL in a header', `${GET}X: a\0b\r\n\r\n`],
    ['no Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['a target without a path', `GET http://?x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`],
    ['a tunnel', 'CONNECT there:1 HTTP/1.1\r\nHost: there\r\n\r\n'],
    ['headers beyond the limit', `${GET}X: ${'x'.repeat(300_000)}\r\n\r\n`, 431],
  ] as readonly (readonly [string, string, (400 | 431)?])[])('%s', async (_what, bytes, status = 400) => {
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
  });

  test('a request that takes too long to arrive is told so', async () => {
    await start();
    const refusing = createServer((socket) => {
      refuseConnection(Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket, false);
    }).listen(0, '127.0.0.1');
    await once(refusing, 'listening');
    const { answer } = parseRaw(await askRaw((refusing.address() as AddressInfo).port, ''));
    expect(answer).toMatchObject({ status: 408, json: { error: { code: 'ERROR_REQUEST_TIMEOUT' } } });
    refusing.close();
  });

  test('a target that is not ASCII is told what to do about it', async () => {
    await start();
    const { answer } = parseRaw(await askRaw(port, 'GET /api/sites?q=Sète HTTP/1.1\r\nHost: here\r\n\r\n'));
    expect(answer).toMatchObject({
      status: 400,
      json: { error: { details: { path: 'must be ASCII: UTF-8 in a path or query is percent-encoded' } } },
    });
  });

  test('nothing is written into the middle of a response that has begun', async () => {
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

  test('headers below the limit are taken whole', async () => {
    await start();
    const answer = ask(port, 'GET /', { headers: { x: 'x'.repeat(250_000) } });
    const [request, response] = await requestTaken();
    expect(request.headers['x']).toHaveLength(250_000);
    response.end('{}');
    expect((await answer).status).toBe(200);
  });

  test('an expectation that nobody knows is ignored', async () => {
    await start();
    const answer = ask(port, 'GET /', { headers: { expect: 'the-unexpected' } });
    (await requestTaken())[1].end('{}');
    expect((await answer).status).toBe(200);
  });
});

describe('what is answered before there is an app', () => {
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
    ['a target that is too long', 414, (origin) => `${line(long, origin)}\r\n`],
    ['a header that is too long', 431, (origin) => `${line('/', origin)}If-Match: ${'x'.repeat(9_000)}\r\n\r\n`],
    ['two hosts', 400, (origin) => `${line('/', origin)}Host: there\r\n\r\n`],
    [
      'another coding of the body',
      400,
      (origin) => `${line('/', origin)}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['a tunnel', 400, (origin) => `${line('there:1', origin, 'CONNECT')}\r\n`],
    ['a chunk that is none', 400, (origin) => chunked(origin, 'zz\r\n')],
    ['chunks that say too much', 413, (origin) => chunked(origin, `1;${'x'.repeat(20_000)}\r\n`)],
  ];

  test.each(CASES)(
    'to %s (%i) is for the code of a listed origin to read, and of no other',
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

  test('may be asked for beforehand where the target is too long, as a browser does', async () => {
    const preflight = `${line(long, ORIGIN, 'OPTIONS')}Access-Control-Request-Method: GET\r\nAccess-Control-Request-Headers: authorization\r\n\r\n`;
    expect(await answerTo(preflight)).toMatchObject({
      status: 204,
      headers: { 'access-control-allow-origin': ORIGIN, 'access-control-allow-headers': 'authorization' },
    });
  });

  test('says nothing of origins where the head was not understood', async () => {
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

test('a connection has 15 seconds for its headers and 65 between two requests, which the answer says', async () => {
  await start();
  const answer = ask(port, 'GET /', { headers: { connection: 'keep-alive' } });
  const [request, response] = await requestTaken();
  // What a body may take, bodyOf says.
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

test('beyond the connections that it keeps it ends those that say nothing, so that whoever comes next is let in', async () => {
  await start();
  const first = ask(port, 'GET /', { headers: { connection: 'keep-alive' } });
  const [request, response] = await requestTaken();
  const { server: own } = request.socket as unknown as { readonly server: Server };
  expect(own.maxConnections).toBe(4_000);
  own.maxConnections = 3;
  const silent = [await open(), await open()];
  const ended = silent.map((socket) => readToEnd(socket));
  // Nobody answers this one: it is over when there is no room, and there is some then.
  await readToEnd(await open()).catch(() => undefined);
  await Promise.all(ended);
  const second = ask(port, 'GET /');
  (await requestTaken())[1].end('{}');
  expect((await second).status).toBe(200);
  // What is under way is not ended.
  response.end('{}');
  expect((await first).status).toBe(200);
});

describe('a server that closes', () => {
  test('finishes what it took, says that the connection ends, and takes no new one', async () => {
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

  test('ends an idle keep-alive connection, long before its bound', async () => {
    await start({ drainMs: 600_000 });
    const socket = await open();
    socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
    (await requestTaken())[1].end();
    await once(socket, 'data');
    const ended = once(socket, 'close');
    await server.close();
    await ended;
  });

  test('ends a connection on which nothing was ever said, long before its bound', async () => {
    await start({ drainMs: 600_000 });
    const ended = readToEnd(await open());
    await server.close();
    expect(await ended).toBe('');
  });

  test('ends a connection after a response whose headers had left before', async () => {
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

  test('loses no request of connections that never rest, and outlives none of them', async () => {
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

  test('waits no longer than its bound for a response that never comes', async () => {
    await start({ drainMs: 20 });
    const socket = await open();
    const ended = readToEnd(socket);
    socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
    await requestTaken();
    await server.close();
    expect(await ended).toBe('');
  });
});

test('a caller who takes nothing of an answer is cut off, and one who waits for its answer is not', async () => {
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
