import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { upload } from '../support/upload.ts';

const service = await forSuite(startService());
const { clients: client, reclamations } = await service.tenant('Own');
const token = await service.token('ADMIN', [client]);
await service.sql`insert into public.sites (client_id, site_name, address)
   select ${client}, 'Site ' || n, 'Rue ' || n from generate_series(1, 100) as n`;

interface Packed {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

async function get(path: string, headers: Record<string, string>): Promise<Packed> {
  return new Promise((resolve, reject) => {
    const options = { port: service.port, path, agent: false };
    request({ ...options, headers: { authorization: `Bearer ${token}`, ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () => {
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes: Buffer.concat(chunks),
        });
      });
    })
      .once('error', reject)
      .end();
  });
}

describe('a long answer is compressed as the caller accepts', () => {
  const UNPACK = { gzip: gunzipSync, br: brotliDecompressSync };

  test.each(['/api/sites', '/api-json', '/docs/swagger-ui.css'])(
    'the answer to GET %s is compressed with gzip or brotli as the caller accepts, with the same content and ETag',
    async (path) => {
      const plain = await get(path, {});
      expect(plain.headers).not.toHaveProperty('content-encoding');
      for (const coding of ['gzip', 'br'] as const) {
        const packed = await get(path, { 'accept-encoding': coding });
        expect(packed.headers['content-encoding']).toBe(coding);
        expect(packed.headers.vary).toContain('Accept-Encoding');
        expect(packed.headers.etag).toBe(plain.headers.etag);
        expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2);
        expect(UNPACK[coding](packed.bytes).equals(plain.bytes)).toBe(true);
      }
    },
  );

  test('a long answer is compressed with brotli if the caller accepts gzip and brotli, and not at all if neither', async () => {
    expect((await get('/api/sites', { 'accept-encoding': 'gzip, br' })).headers['content-encoding']).toBe('br');
    for (const coding of ['identity', 'zstd', 'gzip;q=0', 'x'.repeat(100)]) {
      const { status, headers } = await get('/api/sites', { 'accept-encoding': coding });
      expect([status, headers['content-encoding']]).toEqual([200, undefined]);
    }
  });

  test('a caller with the ETag of a compressed answer gets 304', async () => {
    for (const path of ['/api/sites', '/api-json']) {
      const { headers } = await get(path, { 'accept-encoding': 'gzip' });
      expect(headers.etag).toMatch(/^W\/"/);
      const known = { 'if-none-match': headers.etag ?? '', 'accept-encoding': 'br' };
      const again = await get(path, known);
      expect([again.status, again.bytes.length, again.headers.etag]).toEqual([304, 0, headers.etag]);
    }
  });
});

test('the page /docs and all its parts are smaller than 512 KiB when compressed', async () => {
  const page = (await get('/docs', {})).bytes.toString();
  const parts = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(
    ([, address = '']) => new URL(address, 'http://desk.example/docs').pathname,
  );
  const answers = await Promise.all(parts.map((part) => get(part, { 'accept-encoding': 'br' })));
  const size = answers.reduce((sum, { bytes }) => sum + bytes.length, page.length);
  expect(size).toBeGreaterThan(100_000);
  expect(size).toBeLessThan(512 * 1024);
});

test('a short list, a single record and the content of a document are sent uncompressed', async () => {
  const file = { name: 'bases.csv', bytes: 'Site;Base\n'.repeat(5_000) };
  const { id } = (await upload(service, token, reclamations, file)).json as { id: string };
  for (const path of ['/api/sites?limit=5', `/api/clients/${client}`, `/api/documents/${id}/content`]) {
    const answer = await get(path, { 'accept-encoding': 'gzip, br' });
    expect([path, answer.status, answer.headers['content-encoding']]).toEqual([path, 200, undefined]);
    expect(answer.headers['content-length']).toBe(String(answer.bytes.length));
  }
});

test('a list has another ETag if its records or its X-Total-Count differ', async () => {
  const tag = async (query: string): Promise<string | undefined> =>
    (await get(`/api/sites?limit=5${query}`, {})).headers.etag;
  const before = await tag('');
  expect(await tag('')).toBe(before);
  expect(await tag('&offset=5')).not.toBe(before);
  const counted = await tag('&count=exact');
  await service.sql`insert into public.sites (client_id, site_name, address, created_at, updated_at)
   values (${client}, 'Old', 'Rue', '2000-01-01', '2000-01-01')`;
  expect(await tag('')).toBe(before);
  expect(await tag('&count=exact')).not.toBe(counted);
});
