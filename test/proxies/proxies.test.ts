import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { person } from '../support/people.ts';
import { pdf } from '../support/samples.ts';
import { startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { form, FORM } from '../support/upload.ts';
import { FRONTS, type Front } from './front.ts';

/* This suite asks the service through nginx and Apache with Debian’s configuration: docs/decisions/proxies.md */

const service = await forSuite(
  startService({ trustProxy: 1, publicPath: '/tax', changeStreams: { readMs: 10, lookMs: 10 } }),
);
const own = await service.furnishedTenant('Own');
const token = await service.token('ADMIN', [own.clients]);
const authorization = `Bearer ${token}`;

interface Question {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | Buffer;
}

/** Asks as a browser does: it accepts compressed answers and unpacks them. */
async function ask(root: string, line: string, { headers, body }: Question = {}) {
  const [method = '', path = ''] = line.split(' ');
  const isBytes = Buffer.isBuffer(body);
  const answer = await fetch(path.startsWith('http') ? path : `${root}${path}`, {
    method,
    headers: {
      authorization,
      ...(body && { 'content-type': isBytes ? FORM : 'application/json' }),
      ...headers,
    },
    ...(body && { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) }),
    redirect: 'manual',
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true && bytes.length > 0;
  const json = (isJson ? JSON.parse(bytes.toString()) : {}) as Readonly<Record<string, unknown>>;
  return { status: answer.status, header: (name: string) => answer.headers.get(name) ?? '', bytes, json };
}

const SITE = `/api/sites/${own.sites}`;
const rename = (root: string, headers: Readonly<Record<string, string>> = {}) =>
  ask(root, `PUT ${SITE}`, { headers, body: { site_name: randomUUID() } });

const upload = (root: string, bytes: Buffer) =>
  ask(root, `POST /api/reclamations/${own.reclamations}/documents`, { body: form({ bytes }) });
const pdfOf = (size: number): Buffer => Buffer.concat([pdf, Buffer.alloc(size, '%')]);

/** Opens a stream of changes. Its `next` waits until the proxy has passed on the next event. */
async function openStream(root: string, after: Readonly<Record<string, string>> = {}) {
  const abort = new AbortController();
  const headers = { authorization, accept: 'text/event-stream', ...after };
  const { body } = await fetch(`${root}/api/changes`, { headers, signal: abort.signal });
  const events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  return {
    next: async (): Promise<EventSourceMessage> => {
      for (;;) {
        const event = events.shift();
        if (event !== undefined) return event;
        const piece = await reader?.read();
        if (piece?.value === undefined) throw new Error('the stream has ended');
        parser.feed(piece.value);
      }
    },
    cut: () => {
      abort.abort();
    },
  };
}

const fronts: [string, Front][] = [];
for (const [name, startFront] of Object.entries(FRONTS)) fronts.push([name, await forSuite(startFront(service.port))]);

test('the service accepts an ETag to which a proxy added the name of a compression, and refuses other changed ETags with 412', async () => {
  const root = `http://127.0.0.1:${service.port}`;
  const { header } = await ask(root, `GET ${SITE}`);
  const etag = header('etag');
  for (const suffix of ['-gzip', '--gzip', ';gzip', '-br', '-zstd', '-deflate'])
    for (const weak of ['', 'W/']) {
      const tag = `${weak}${(await ask(root, `GET ${SITE}`)).header('etag').replace(/"$/, `${suffix}"`)}`;
      expect([tag, (await ask(root, `GET ${SITE}`, { headers: { 'if-none-match': tag } })).status]).toEqual([tag, 304]);
      expect([tag, (await rename(root, { 'if-match': tag })).status]).toEqual([tag, 200]);
    }
  const present = (await ask(root, `GET ${SITE}`)).header('etag');
  for (const foreign of [
    ...[etag.replace(/"$/, '-gzip"'), present.replace(/"$/, '-other"'), present.replace(/"$/, 'gzip"')],
    ...[present.replace(/"$/, '-gzip-br"'), present.replace(/(\d)"$/, '"'), '"-gzip"'],
  ])
    expect([foreign, (await rename(root, { 'if-match': foreign })).status]).toEqual([foreign, 412]);
});

describe.each(fronts)('behind %s', (name, front) => {
  const both = [front.plain, front.page];

  test('a proxy passes on each event of a change stream at once, and a stream that was cut continues after its last id', async () => {
    for (const root of both) {
      const stream = await openStream(root);
      const place = await stream.next();
      expect([place.event, place.id]).toEqual(['place', expect.stringMatching(/./)]);
      expect((await rename(root)).status).toBe(200);
      const told = await stream.next();
      expect(JSON.parse(told.data)).toMatchObject({ id: own.sites, kind: 'changed' });
      stream.cut();
      expect((await rename(root)).status).toBe(200);
      const resumed = await openStream(root, { 'last-event-id': told.id ?? '' });
      const missed = await resumed.next();
      expect(JSON.parse(missed.data)).toMatchObject({ id: own.sites, kind: 'changed' });
      expect(missed.id).not.toBe(told.id);
      resumed.cut();
    }
  });

  test('the ETag of a compressed answer works in If-None-Match and If-Match, and that of another version gets 412', async () => {
    for (const root of both) {
      const read = await ask(root, `GET ${SITE}`);
      const tag = read.header('etag');
      expect([read.header('content-encoding'), tag]).toEqual([
        'gzip',
        expect.stringMatching(name === 'nginx' ? /^W\/"\d+"$/ : /^"\d+-gzip"$/),
      ]);
      const same = await ask(root, `GET ${SITE}`, { headers: { 'if-none-match': tag } });
      expect([same.status, same.bytes.length]).toEqual([304, 0]);
      expect((await rename(root, { 'if-match': tag })).status).toBe(200);
      expect((await rename(root, { 'if-match': tag })).status).toBe(412);
      expect((await ask(root, `GET ${SITE}`, { headers: { 'if-none-match': tag } })).status).toBe(200);
      const list = (await ask(root, 'GET /api/sites')).header('etag');
      expect((await ask(root, 'GET /api/sites', { headers: { 'if-none-match': list } })).status).toBe(304);
    }
  });

  test('a caller behind a proxy can read a range of a document', async () => {
    for (const root of both) {
      const bytes = Buffer.concat([pdfOf(1_000), Buffer.from(randomUUID())]);
      const { status, json } = await upload(root, bytes);
      expect(status).toBe(201);
      const path = `GET /api/documents/${String(json['id'])}/content`;
      const tag = (await ask(root, path)).header('etag');
      const part = await ask(root, path, { headers: { range: 'bytes=900-', 'if-range': tag } });
      expect([part.status, part.header('content-range')]).toEqual([
        206,
        `bytes 900-${bytes.length - 1}/${bytes.length}`,
      ]);
      expect(part.bytes).toEqual(bytes.subarray(900));
      const whole = await ask(root, path, { headers: { range: 'bytes=900-', 'if-range': '"other"' } });
      expect([whole.status, whole.bytes]).toEqual([200, bytes]);
    }
  });

  test('a proxy with the configuration of docs/operate.md accepts uploads of more than 1 MB, which nginx refuses by default', async () => {
    const least = pdfOf(2 ** 20 - 10_000);
    for (const root of both) expect((await upload(root, least)).status).toBe(201);
    const bytes = pdfOf(2 ** 20);
    expect((await upload(front.plain, bytes)).status).toBe(name === 'nginx' ? 413 : 201);
    const stored = await upload(front.page, bytes);
    expect([stored.status, stored.json['file_size']]).toEqual([201, bytes.length]);
  });

  test('a proxy with the configuration of docs/operate.md passes on a token with 2,000 clients', async () => {
    const clients = Array.from({ length: 2_000 }, () => randomUUID());
    const token = await service.token('ACCOUNT_MANAGER', [own.clients, ...clients.slice(1)]);
    const headers = { authorization: `Bearer ${token}` };
    expect((await ask(front.plain, `GET ${SITE}`, { headers })).status).toBe(400);
    expect((await ask(front.page, `GET ${SITE}`, { headers })).status).toBe(200);
  });

  test('each link of an answer has the path of the proxy: Location, Link, a document’s link, the calendar, servers', async () => {
    const { page: root } = front;
    const follow = (link: unknown) => ask(root, `GET ${new URL(String(link), root).href}`, { headers: {} });
    const body = { client_id: own.clients, site_name: 'Atelier' };
    const key = { 'idempotency-key': randomUUID() };
    for (const created of [
      await ask(root, 'POST /api/sites', { body, headers: key }),
      await ask(root, 'POST /api/sites', { body, headers: key }),
      await upload(root, pdfOf(10)),
    ]) {
      expect(created.status).toBe(201);
      expect((await follow(created.header('location'))).json).toEqual(created.json);
    }
    const [, next = ''] = /^<(.*)>; rel="next"$/.exec((await ask(root, 'GET /api/sites?limit=1')).header('link')) ?? [];
    const second = await follow(next);
    expect([second.status, (second.json as unknown as unknown[]).length]).toEqual([200, 1]);
    const document = await upload(root, pdfOf(20));
    const link = await ask(root, `POST /api/documents/${String(document.json['id'])}/link`);
    expect((await follow(link.json['url'])).bytes).toEqual(pdfOf(20));
    const user = await person(service, 'TAX_SPECIALIST', [own.clients]);
    const headers = { authorization: `Bearer ${user.token}` };
    const calendar = await ask(root, 'POST /api/users/me/calendar', { headers });
    expect((await follow(calendar.json['url'])).bytes.toString()).toMatch(/^BEGIN:VCALENDAR/);
    const description = await ask(root, 'GET /api-json');
    expect(description.json['servers']).toEqual([{ url: '/tax', description: expect.any(String) }]);
  });

  test('the page /docs loads all its parts and the description below the path of the proxy', async () => {
    const page = await ask(front.page, 'GET /docs');
    expect(page.status).toBe(200);
    const parts = [...page.bytes.toString().matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part = '']) => part);
    expect(parts.length).toBeGreaterThan(4);
    for (const part of parts)
      expect([part, (await ask('', `GET ${new URL(part, `${front.page}/docs`).href}`)).status]).toEqual([part, 200]);
    const slash = await ask(front.page, 'GET /docs/');
    expect(new URL(slash.header('location'), `${front.page}/docs/`).href).toBe(`${front.page}/docs`);
    for (const part of ['docs.js', 'login.js', 'interface.js'])
      expect((await ask(front.page, `GET /docs/${part}`)).bytes.toString()).not.toMatch(/['"`]\/(?:api|docs)/);
  });

  test('a caller cannot choose the address that the service records', async () => {
    const headers = { authorization: 'Bearer wrong', 'x-forwarded-for': '192.0.2.1' };
    expect((await ask(front.page, 'GET /api/clients', { headers })).status).toBe(401);
    const [row] = await service.sql`select ip_address::text as address from public.audit_logs
      where not success order by created_at desc limit 1`;
    expect(row?.['address']).toMatch(/^127\.0\.0\.1/);
  });
});
