import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { storeUnavailableError } from '../../src/documents/content-store.ts';
import { limitBody } from '../../src/http/body-stream.ts';
import { toRequestError } from '../../src/http/errors.ts';
import { readForm } from '../../src/resources/documents/form.ts';
import { askRaw, parseRaw } from '../support/http.ts';
import { details, expectError, expectRefusal, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { begin, form, FORM, frame } from '../support/upload.ts';

/*
 * These tests check the limits of a request: the bytes, fields, pieces and time of its body, its header lines, and the
 * length of its URL.
 */

const service = await forSuite(startService());
const token = await service.token('ADMIN');
const client = await service.token('CLIENT');

const MIB = 1024 * 1024;
const CHUNKED = 'Host: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n';

/** Encodes a text as one chunk of a chunked HTTP body, with the length of the text before it. */
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

/** Sends the headers, then the same piece of a body until the server closes the connection; returns the answer. */
async function flood(head: string, piece: string): Promise<{ answer: string; sent: number }> {
  const socket = connect(service.port, '127.0.0.1').setEncoding('utf8');
  let answer = '';
  let sent = 0;
  socket.on('data', (text: string) => (answer += text));
  socket.on('error', () => undefined);
  socket.write(head);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const send = (): void => {
    while (socket.writable && sent < 200 * MIB) {
      sent += piece.length;
      if (!socket.write(piece)) return;
    }
  };
  socket.on('drain', send);
  send();
  await closed;
  return { answer, sent };
}

describe('the service does not read the body of a request that it has refused', () => {
  test.each([
    ['of a request without a token', 'POST /api/clients', 401, ''],
    ['of a role without the right', 'POST /api/users', 403, client],
    ['for an unknown path', 'POST /api/nothing', 404, token],
    ['for a method that the path does not have', 'DELETE /api/clients', 405, token],
    ['sent to /health', 'GET /health', 200, ''],
    ['sent to /docs', 'GET /docs', 200, ''],
    ['sent to a list', 'GET /api/clients', 200, token],
    ['of the type text/plain', 'POST /api/clients', 415, token, 'Content-Type: text/plain\r\n'],
  ])(
    'the service answers a request whose body never ends (%s), and closes the connection',
    async (_what, line, status, by, type = 'Content-Type: application/json\r\n') => {
      const authorization = by === '' ? '' : `Authorization: Bearer ${by}\r\n`;
      const head = `${line} HTTP/1.1\r\nHost: x\r\n${type}${authorization}Transfer-Encoding: chunked\r\n\r\n`;
      const { answer, sent } = await flood(head, chunk('x'.repeat(60_000)));
      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(answer).toMatch(/^connection: close\r$/im);
      expect(sent).toBeLessThan(200 * MIB);
      // The service does not parse an endless body of one-byte chunks; parsing such a body would exceed the test's timeout.
      expect((await flood(head, chunk('x').repeat(10_000))).answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    },
  );

  test('a caller that goes on sending an unread body after the answer gets no connection reset', async () => {
    const socket = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true });
    let failure: unknown;
    socket.on('error', (error) => (failure = error));
    socket.resume();
    socket.write(`POST /api/clients HTTP/1.1\r\n${CHUNKED}\r\n${chunk('x'.repeat(60_000))}`);
    await once(socket, 'end');
    for (let piece = 0; piece < 20; piece += 1)
      await new Promise((resolve) => socket.write(chunk('x'.repeat(60_000)), resolve));
    socket.end();
    await new Promise((resolve) => socket.once('close', resolve));
    expect(failure).toBeUndefined();
  });

  test('the service keeps the connection open after a request whose body was read to its end', async () => {
    const { headers } = await service.ask('POST /api/auth/login', {
      body: { token },
      headers: { connection: 'keep-alive' },
    });
    expect(headers.connection).toBe('keep-alive');
  });
});

describe('the service limits the size, the fields and the pieces of a request body', () => {
  const head = `POST /api/auth/login HTTP/1.1\r\n${CHUNKED}\r\n`;

  test('the service answers an endless JSON body with 413 and closes the connection', async () => {
    const { answer } = await flood(head, chunk(' '.repeat(60_000)));
    expect(parseRaw(answer).answer).toMatchObject({
      status: 413,
      headers: { connection: 'close' },
      json: { error: { code: 'ERROR_PAYLOAD_TOO_LARGE' } },
    });
  });

  test('the service reads a request body of 256 KiB, also in chunks or gzip, and answers a body of one more byte with 413', async () => {
    const type = { 'content-type': 'application/json' };
    const ways: [Record<string, string>, (bytes: Buffer) => Buffer][] = [
      [{}, (bytes) => bytes],
      [{ 'transfer-encoding': 'chunked' }, (bytes) => bytes],
      [{ 'content-encoding': 'gzip' }, (bytes) => gzipSync(bytes)],
    ];
    for (const [more, sent] of ways)
      for (const [size, code] of [
        [256 * 1024, 'ERROR_UNAUTHORIZED'],
        [256 * 1024 + 1, 'ERROR_PAYLOAD_TOO_LARGE'],
      ] as const) {
        const body = sent(Buffer.from('{"token":"x"}'.padEnd(size)));
        expectError(await service.ask('POST /api/auth/login', { headers: { ...type, ...more }, body }), code);
      }
  });

  test('the service accepts JSON bodies of up to 100 fields and 10,000 values, and login bodies of up to 10 values', async () => {
    const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, 1]));
    const items = (count: number) => Array<number>(count).fill(1);
    const problemsOf = async (line: string, body: object) => details(await service.ask(line, { token, body }));
    const [login, create] = ['POST /api/auth/login', 'POST /api/users'];
    expect(await problemsOf(login, fields(10))).toMatchObject({ f9: 'is not known here' });
    expect(await problemsOf(login, fields(11))).toEqual({ body: 'must not have more than 10 values' });
    expect(await problemsOf(login, { token: items(10) })).toEqual({ token: 'must be text' });
    expect(await problemsOf(login, { token: items(11) })).toEqual({
      body: 'must not have more than 10 values',
    });
    expect(await problemsOf(create, fields(100))).toMatchObject({ '…': expect.any(String) });
    expect(await problemsOf(create, fields(101))).toEqual({ body: 'must not have more than 100 fields' });
    expect(await problemsOf(create, { client_access: items(10_000) })).not.toHaveProperty('body');
    expect(await problemsOf(create, { client_access: items(10_001) })).toEqual({
      body: 'must not have more than 10000 values',
    });
  });

  test('the service refuses a request body in chunks of one byte, and reads a body in chunks of 1,100 bytes', async () => {
    const rule = 'must not come in pieces that have less than 1024 bytes on average';
    const small = await flood(head, chunk(' '));
    expect(details(parseRaw(small.answer).answer)).toEqual({ body: rule });
    const body = `${chunk('{"token":"x"').repeat(1)}${chunk(' '.repeat(1_100)).repeat(100)}${chunk('}')}0\r\n\r\n`;
    expect(await askRaw(service.port, `${head.replace('Host: x', 'Host: x\r\nConnection: close')}${body}`)).toMatch(
      /^HTTP\/1\.1 401 /,
    );
  });

  test('the service answers an endless upload with 413', async () => {
    const { reclamations } = await service.tenant('Own');
    const { answer } = await flood(
      `POST /api/reclamations/${reclamations}/documents HTTP/1.1\r\nHost: x\r\nContent-Type: ${FORM}\r\n` +
        `Authorization: Bearer ${token}\r\nTransfer-Encoding: chunked\r\n\r\n${chunk(frame().head.toString())}`,
      chunk('x'.repeat(60_000)),
    );
    expect(parseRaw(answer).answer.status).toBe(413);
  });

  test('the service answers an upload form with a wrong field name with 400 before the rest of the form arrives', async () => {
    const { reclamations } = await service.tenant('Own');
    const { request, answer } = begin(service, token, reclamations);
    request.write(form({ field: 'attachment' }).subarray(0, 200));
    expect((await answer).status).toBe(400);
    request.destroy();
  });

  test('the answer to a JSON body with 90 unknown fields names 20 of them and the number of the remaining fields', async () => {
    const body = Object.fromEntries(Array.from({ length: 90 }, (_, index) => [`field${index}`, 1]));
    const answer = await service.ask('POST /api/clients', { token, body });
    expectError(answer, 'ERROR_VALIDATION');
    expect(Object.keys(details(answer) as object)).toHaveLength(21);
    expect(details(answer)).toMatchObject({ field0: 'is not known here', '…': 'and 72 more' });
    const long = await service.ask('POST /api/auth/login', {
      body: { ['x'.repeat(100_000)]: 1, token: 'x' },
    });
    expect(long.text.length).toBeLessThan(1_000);
  });
});

describe('the service limits the time of a request body', () => {
  let server: Server;

  async function serve(listener: RequestListener): Promise<number> {
    server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  const read = async (request: IncomingMessage): Promise<number> => {
    let size = 0;
    for await (const piece of limitBody(request, { maxBytes: 100 * MIB, windowMs: 200 }))
      size += (piece as Buffer).length;
    return size;
  };

  /** Writes a piece of a request body every ten milliseconds until the connection closes. */
  function trickle(socket: Socket, piece: Buffer): void {
    const timer = setInterval(() => socket.write(piece), 10);
    socket.once('close', () => {
      clearInterval(timer);
    });
  }

  test('the service ends a request whose body is too slow, and reads a slow body with enough bytes in each time window', async () => {
    let slow: string | undefined;
    let whole: number | undefined;
    const port = await serve((request, response) => {
      void read(request).then(
        (size) => response.end(String((whole = size))),
        (error: unknown) => response.end((slow = toRequestError(error).code)),
      );
    });
    const open = (length: number): Socket => {
      const socket = connect(port, '127.0.0.1').setEncoding('utf8');
      socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`);
      return socket;
    };
    const trickling = open(MIB);
    trickle(trickling, Buffer.alloc(10));
    await once(trickling, 'data');
    expect(slow).toBe('ERROR_REQUEST_TIMEOUT');
    // The request body that arrives in the connection `steady` takes longer than one of the service’s time windows, and
    // has enough bytes in each window.
    const steady = open(40 * MIB);
    trickle(steady, Buffer.alloc(MIB));
    await once(steady, 'data');
    expect(whole).toBe(40 * MIB);
    trickling.destroy();
    steady.destroy();
    server.close();
  });

  test('a request body whose sender hangs up before its end fails with ERROR_VALIDATION in the service', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const port = await serve((request) => {
      read(request).catch((error: unknown) => {
        resolve(toRequestError(error).code);
      });
    });
    const socket = connect(port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nx');
    socket.end();
    expect(await promise).toBe('ERROR_VALIDATION');
    server.close();
  });

  test('the service answers an upload with 503 if the service’s disk is full', async () => {
    const port = await serve((request, response) => {
      const stored = readForm(request, {
        maxBytes: MIB,
        fields: z.strictObject({}),
        // Every write to the device /dev/full fails with ENOSPC.
        write: async (content) => {
          await pipeline(content, createWriteStream('/dev/full')).catch((error: unknown) => {
            throw storeUnavailableError(error);
          });
        },
        discard: () => Promise.resolve(),
      });
      stored.catch((error: unknown) => {
        response.statusCode = toRequestError(error).status;
        response.end(String(error));
      });
    });
    const body = form({ bytes: Buffer.alloc(500_000) });
    const answer = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { 'content-type': FORM },
      body: new Uint8Array(body),
    });
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain('ENOSPC');
    server.close();
  });
});

test('the service answers only the first of 1,000 pipelined requests and closes the connection', async () => {
  const request = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n';
  const answer = await askRaw(service.port, request.repeat(1_000));
  expect(answer.match(/^HTTP\/1\.1 200 /gm)).toHaveLength(1);
  expect(answer).toMatch(/^connection: close\r$/im);
  expect((await service.ask('GET /health')).status).toBe(200);
});

describe('the service limits the length of headers and URLs', () => {
  test('the service answers a header of 12,000 characters with 431, and reads a header of 8,000 characters', async () => {
    const tags = (count: number) => ({ 'if-none-match': Array(count).fill('"x"').join(',') });
    expectError(await service.ask('GET /api/clients', { token, headers: tags(3_000) }), 'ERROR_HEADERS_TOO_LARGE');
    expect((await service.ask('GET /api/clients', { token, headers: tags(2_000) })).status).toBe(200);
  });

  test('the service answers 101 header lines with 431, and reads the last of 90 header lines', async () => {
    const lines = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, 'x']));
    const ask = (count: number) =>
      service.ask('GET /api/clients', { headers: { ...lines(count), authorization: `Bearer ${token}` } });
    for (const count of [101, 300, 3_000]) expectError(await ask(count), 'ERROR_HEADERS_TOO_LARGE');
    expect((await ask(90)).status).toBe(200);
  });

  test('the service answers a URL of 10,000 characters with 414, and reads a URL of 8,000 characters', async () => {
    expectError(await service.ask(`GET /api/clients?${'a&'.repeat(5_000)}`, { token }), 'ERROR_URI_TOO_LONG');
    expectError(await service.ask(`GET /api/${'x'.repeat(8_000)}`, { token }), 'ERROR_NOT_FOUND');
  });

  test('the service reads a query of 1,500 parameters to its end', async () => {
    const answer = await service.ask(`GET /api/clients?${'&'.repeat(1_500)}colour=red`, { token });
    expect(details(answer)).toEqual({ colour: 'is not known here' });
  });
});

test('/health and / answer 200 with any query', async () => {
  for (const line of ['GET /health?now=1&now=2', 'GET /?x', 'HEAD /health?probe'])
    expect((await service.ask(line)).status).toBe(200);
});

test('the audit record of a refusal has at most 1,000 characters of the user agent and 100 of the action', async () => {
  const line = `GET /api/${'x'.repeat(8_000)}`;
  const answer = await service.ask(line, { headers: { 'user-agent': 'u'.repeat(200_000) } });
  await expectRefusal(service, answer, 'ERROR_UNAUTHORIZED', {
    user_agent: `${'u'.repeat(1_000)}… (200000 characters)`,
    action: line.slice(0, 100),
  });
});
