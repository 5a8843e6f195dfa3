import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { z } from 'zod';
import { scanJson } from '../../src/http/json-budget.ts';
import { readIfMatchEtags, isNotModified } from '../../src/http/preconditions.ts';
import { MAX_HEADER_LENGTHS } from '../../src/http/request-headers.ts';
import { parseCsvRows } from '../../src/records/import/csv-rows.ts';
import { parseMediaType } from '../../src/http/body.ts';
import { createListCursor } from '../../src/records/cursor.ts';
import { checkTokenHeader } from '../../src/identity/signature.ts';
import { allEndpoints } from '../../src/resources/index.ts';
import { user } from '../../src/resources/users.ts';
import { excessiveGrowth, hostileTexts } from '../support/growth.ts';
import type { Feed } from '../support/growth.ts';
import { ask } from '../support/http.ts';
import { startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { frame, upload } from '../support/upload.ts';

/*
 * These tests check that the time of every parser grows in proportion to the length of its input, whatever an attacker
 * sends.
 */

/** The length of the hostile texts, in characters; quadratic work on such a text takes seconds. */
const LONG = 64 * 1024;

const CURSOR_ORDER = [{ column: 'created_at', direction: 'desc', type: 'timestamptz', hasNulls: false }] as const;

const service = await forSuite(startService({ corsOrigins: ['https://app.example'], trustProxy: 1 }));
const own = await service.tenant('Own');
const token = await service.token('ADMIN');
const { id: document } = (await upload(service, token, own.reclamations)).json as { readonly id: string };

/** Checks the depth and the number of values of a JSON text as the service does before parsing, but without limits. */
const depthFirst = (json: string) =>
  scanJson(Buffer.from(json), { bytes: Infinity, values: Infinity, fields: Infinity });

/** The names of the inputs whose processing time grows faster than their length. */
async function tooFast(feeds: Iterable<readonly [string, Feed]>, length: number): Promise<string[]> {
  const found: string[] = [];
  for (const [name, feed] of feeds) {
    const excess = await excessiveGrowth(feed, length);
    if (excess !== undefined) found.push(`${name}: ${excess}`);
  }
  return found;
}

function* feedsOf(parse: (text: string) => unknown, ...beginnings: string[]): Generator<[string, Feed]> {
  for (const [name, of] of hostileTexts(...beginnings)) {
    yield [
      name,
      (length) => {
        try {
          return parse(of(length));
        } catch {
          // The parser is allowed to refuse the hostile text, because the test only measures how long the parser takes.
          return undefined;
        }
      },
    ];
  }
}

/** The hostile texts as an array, for tests that read them more than once. */
const hostile = (...beginnings: string[]) => [...hostileTexts(...beginnings)];

const incoming = (name: string, value: string) => ({ headers: { [name]: value } }) as unknown as IncomingMessage;

test('the measuring tool of these tests reports work whose time grows with the square of its input, and not work of linear time', async () => {
  const square = (length: number) => {
    let sum = 0;
    for (let one = 0; one < length; one += 1) for (let two = 0; two < length; two += 1) sum += one ^ two;
    return sum;
  };
  expect(await excessiveGrowth(square, 16_384)).toMatch(/ times an eighth's$/);
  expect(await excessiveGrowth((length) => square(128) + 'x'.repeat(length).length, 1_000_000)).toBeUndefined();
  expect(await excessiveGrowth((length) => JSON.stringify(Array(length * 8).fill('x')), 300_000)).toBeUndefined();
});

describe('the time of each parser grows in proportion to its input', () => {
  test.each<[string, (text: string) => unknown, string[]]>([
    [
      'the parser of Content-Type',
      parseMediaType,
      ['application/json', 'application/json;', 'application/json; a=b', 'multipart/form-data; boundary='],
    ],
    ['the parser of If-Match', (text) => readIfMatchEtags(incoming('if-match', text)), ['"', '"a"']],
    ['the parser of If-None-Match', (text) => isNotModified(incoming('if-none-match', text), '"x"'), ['"', '"a"']],
    ['the JSON check of a body with a hostile text', (text) => depthFirst(JSON.stringify([text, 1])), []],
    ['the JSON check of a body that is not JSON', depthFirst, ['1', '0.', '[', '[1', '"']],
    ['the check of a token’s header', checkTokenHeader, ['eyJ', 'e30.', 'eyJhbGciOiJFUzI1NiJ9.']],
    [
      'the parser of a list’s cursor',
      (text) => createListCursor(user, '-created_at', CURSOR_ORDER).read(text),
      ['["users",'],
    ],
  ])(
    'the time that the service needs for an input (%s) grows in proportion to the length of the input',
    async (_what, parse, beginnings) => {
      expect(await tooFast(feedsOf(parse, ...beginnings), LONG)).toEqual([]);
    },
  );

  test('the time to parse a CSV table grows in proportion to its length', async () => {
    const sheet = {
      ...{ fields: ['a', 'b'], required: ['a'], ignored: [] },
      read: (_field: string, value: string) => ({ value }),
    };
    const parse = (text: string) =>
      parseCsvRows(Buffer.from(text), sheet, () => Promise.resolve()).catch(() => undefined);
    expect(await tooFast(feedsOf(parse, '"', 'a,b\r\n', 'a,b\r\n"', 'a;b\r\n1,'), LONG)).toEqual([]);
  }, 120_000);

  test('the time to check a JSON number grows in proportion to its digits, wherever its zeros stand', async () => {
    const numbers: [string, Feed][] = ['1', '0', '-0.', '1.', '0.0', '1e'].flatMap((beginning) =>
      ['0', '1', '10'].map((unit): [string, Feed] => [
        beginning + unit,
        (length) => depthFirst(`[${beginning}${unit.repeat(length / unit.length)}1]`),
      ]),
    );
    expect(await tooFast(numbers, LONG)).toEqual([]);
  });

  /** The schemas of all parameters and fields, each once, with the first endpoint that uses the schema. */
  const fields = new Map<z.ZodType, string>();
  for (const { method, path, params, query, body, form } of allEndpoints) {
    for (const part of [params, query, body, form])
      for (const [name, schema] of Object.entries(part?.shape ?? {}) as [string, z.ZodType][])
        if (!fields.has(schema)) fields.set(schema, `${method} ${path} ${name}`);
  }

  test('the time to validate each parameter and field of each endpoint grows in proportion to the length of its text', async () => {
    expect(fields.size).toBeGreaterThan(100);
    for (const [schema, name] of fields) {
      const found = await tooFast(
        feedsOf((text) => schema.safeParse(text), 'a@'),
        16_384,
      );
      expect([name, found]).toEqual([name, []]);
    }
  }, 120_000);

  test('the time to validate each parameter and field of each endpoint grows in proportion to the length of a list', async () => {
    for (const [schema, name] of fields) {
      const found = await tooFast(
        [1, null, {}, '', '11111111-1111-4111-8111-111111111111'].map((item): [string, Feed] => [
          JSON.stringify(item),
          (length) => schema.safeParse(Array(length).fill(item)),
        ]),
        10_000,
      );
      expect([name, found]).toEqual([name, []]);
    }
  });
});

describe('the time of each request grows in proportion to the request', () => {
  const isSendable = (text: string) => !/[^\t\x20-\x7e]/.test(text);

  /** Requests that together reach all code that reads a header. */
  const lines = [
    `GET /api/documents/${document}/content`,
    'GET /docs/docs.css',
    'OPTIONS /api/clients',
    'POST /api/auth/login',
  ];

  test.each(
    Object.keys(MAX_HEADER_LENGTHS).filter((name) => name !== 'content-length' && name !== 'transfer-encoding'),
  )(
    'the time to answer a request grows in proportion to the length of its header %s',
    async (name) => {
      const beginnings: Record<string, string> = {
        authorization: 'Bearer ',
        range: 'bytes=',
        'content-type': 'a/b;',
      };
      const length = Math.min(MAX_HEADER_LENGTHS[name] ?? 0, 200_000);
      for (const line of lines) {
        const feeds = hostile(beginnings[name] ?? '"a",')
          .filter(([, of]) => isSendable(of(100)))
          .map(([what, of]): [string, Feed] => [
            what,
            (size) =>
              ask(service.port, line, {
                headers: {
                  authorization: `Bearer ${token}`,
                  origin: 'https://app.example',
                  [name]: of(size).trim(),
                },
              }),
          ]);
        expect(await tooFast(feeds, length)).toEqual([]);
      }
    },
    120_000,
  );

  test('the time to answer a request grows in proportion to the length of its path and query', async () => {
    const feeds = hostile('/api/clients/', '/api/clients?', '/api/clients?limit=', '/docs/').map(
      ([what, of]): [string, Feed] => [
        what,
        (size) =>
          ask(
            service.port,
            `GET /${encodeURI(of(size))
              .replaceAll(/%25|^\//g, '%')
              .slice(0, 8_000)}`,
            { token },
          ),
      ],
    );
    expect(await tooFast(feeds, 8_000)).toEqual([]);
  }, 120_000);

  test('the time of an import grows in proportion to the length of its CSV table', async () => {
    const headers = { 'content-type': 'text/csv' };
    const first = 'client_id,site_name\r\n';
    const tables: readonly [string, (size: number) => string][] = [
      ['invalid lines', (size) => first + 'a,b\r\n'.repeat(size / 5)],
      ['lines with an unknown client', (size) => first + `${randomUUID()},b\r\n`.repeat(size / 40)],
      ['empty lines', (size) => first + ',\r\n'.repeat(size / 3)],
      ['many columns', (size) => 'a,'.repeat(size / 2)],
      ['the same column many times', (size) => 'site_name,'.repeat(size / 10)],
    ];
    const rows = tables.map(([what, of]): [string, Feed] => [
      what,
      (size) => ask(service.port, 'POST /api/sites/import', { token, headers, body: of(size) }),
    ]);
    expect(await tooFast(rows, 400_000)).toEqual([]);
  }, 120_000);

  test('the time to answer a list grows in proportion to the length of its Accept header', async () => {
    const feeds = hostile('text/csv,', 'text/csv;', 'text/csv;q=', '*/', 'a/b;c="')
      .filter(([, of]) => isSendable(of(100)))
      .map(([what, of]): [string, Feed] => [
        what,
        (size) => ask(service.port, 'GET /api/clients', { token, headers: { accept: of(size).trim() } }),
      ]);
    expect(await tooFast(feeds, MAX_HEADER_LENGTHS['accept'] ?? 0)).toEqual([]);
  }, 120_000);

  test('the time of a login grows in proportion to the length of its JSON body', async () => {
    const headers = { 'content-type': 'application/json' };
    const feeds = hostile('{"token":"', '{"token":', '[', '"').map(([what, of]): [string, Feed] => [
      what,
      (size) => ask(service.port, 'POST /api/auth/login', { headers, body: Buffer.from(of(size)) }),
    ]);
    expect(await tooFast(feeds, 200_000)).toEqual([]);
  }, 120_000);

  test('the time of an upload grows in proportion to the length of each part of its multipart form', async () => {
    const { head, tail } = frame();
    const [boundary = ''] = head.toString().split('\r\n');
    const wholes: readonly ((text: string) => string)[] = [
      (text) => `${text}\r\n${head.toString()}${tail.toString()}`,
      (text) => `${boundary}\r\n${text}`,
      (text) => `${boundary}\r\nContent-Disposition: form-data; ${text}\r\n\r\n${tail.toString()}`,
      (text) => `${head.toString()}${text}${tail.toString()}`,
    ];
    for (const whole of wholes) {
      const feeds = hostile('name="', 'filename*=', boundary, '\r\n', '\r\n--').map(([what, of]): [string, Feed] => [
        what,
        (size) => upload(service, token, own.reclamations, {}, Buffer.from(whole(of(size)))),
      ]);
      expect(await tooFast(feeds, 200_000)).toEqual([]);
    }
  }, 300_000);
});

describe('MAX_HEADER_LENGTHS limits the length of every header that the service reads', () => {
  test('MAX_HEADER_LENGTHS has every request header that src/ reads by name', async () => {
    const src = join(import.meta.dirname, '..', '..', 'src');
    const reads: string[] = [];
    for (const path of await readdir(src, { recursive: true })) {
      // The test leaves out the embedded identity provider, which is another server and part of no deployment.
      if (!path.endsWith('.ts') || path.startsWith('embedded')) continue;
      const text = (await readFile(join(src, path), 'utf8')).replaceAll(/ from '.*'/g, '');
      // The pattern leaves out `headers.get()`, which reads the headers of an answer to a request that the service
      // sent.
      const patterns =
        /headers(?:Distinct)?(?:\??\.(?!get\()(\w+)|(?:\?\.)?\['([^']+)'\])|request\.(?:get|header)\('([^']+)'\)/g;
      for (const [, ...names] of text.matchAll(patterns))
        reads.push(...names.filter((name: string | undefined) => name !== undefined).map((name) => name.toLowerCase()));
    }
    expect(reads.length).toBeGreaterThan(8);
    expect(reads.filter((name) => !(name in MAX_HEADER_LENGTHS) && !WRITTEN.includes(name))).toEqual([]);
  });

  test('MAX_HEADER_LENGTHS has every request header that a package reads while the service answers', async () => {
    const read = new Set<string>();
    const watch = (message: unknown): void => {
      const { request } = message as { readonly request: IncomingMessage };
      const value = new Proxy(request.headers, {
        get: (headers, name, receiver) => {
          if (typeof name === 'string') read.add(name);
          return Reflect.get(headers, name, receiver) as unknown;
        },
      });
      Object.defineProperty(request, 'headers', { value });
    };
    subscribe('http.server.request.start', watch);
    try {
      const headers = { origin: 'https://app.example', range: 'bytes=0-0', 'if-none-match': '"x"' };
      await upload(service, token, own.reclamations);
      for (const line of [
        `GET /api/documents/${document}/content`,
        'GET /docs/docs.css',
        'GET /docs',
        'OPTIONS /api/sites',
        'GET /health',
      ])
        await ask(service.port, line, { token, headers });
      await ask(service.port, 'GET /docs/docs.css', {
        headers: { 'if-modified-since': new Date().toUTCString() },
      });
      await ask(service.port, 'POST /api/auth/login', { body: { token }, headers });
    } finally {
      unsubscribe('http.server.request.start', watch);
    }
    expect(read.size).toBeGreaterThan(10);
    expect([...read].filter((name) => !(name in MAX_HEADER_LENGTHS))).toEqual([]);
  });
});

/**
 * The names that the test’s pattern finds in src/ although they are no request headers: a response header and an
 * array’s length.
 */
const WRITTEN: readonly string[] = ['etag', 'length'];
