import { createHash, createHmac } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { mock } from 'node:test';
import { afterEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { ACCESS, BUCKET, startLyingStore } from '../support/lying-store.ts';
import { pdf } from '../support/samples.ts';
import { expectError, startService } from '../support/service.ts';
import { folderForSuite, forSuite } from '../support/suite.ts';
import { upload } from '../support/upload.ts';

/* These tests check who gets a presigned S3 URL for a download, what the URL contains, and when it expires. */

let logged = '';

const folder = await folderForSuite();
const { endpoint } = await forSuite(startLyingStore(folder));
const service = await forSuite(
  startService({
    documents: {
      ...{ store: { kind: 's3', bucket: BUCKET, prefix: 'claims' }, endpoint },
      ...{ s3Access: ACCESS, presignedDownloads: true },
    },
    log: pino({ level: 'trace' }, { write: (line) => (logged += line) }),
  }),
);
const own = await service.tenant('Own');
const foreign = await service.tenant('Foreign');
const token = await service.token('CLIENT', [own.clients]);

afterEach(() => {
  mock.timers.reset();
});

async function attach(claim = own, bytes: Buffer | string = pdf, name = 'relevé "€".pdf'): Promise<string> {
  const owner = await service.token('CLIENT', [claim.clients]);
  const { status, json } = await upload(service, owner, claim.reclamations, { name, bytes });
  expect(status).toBe(201);
  return (json as { id: string }).id;
}

const requestContent = (id: string, headers = {}, method = 'GET') =>
  service.ask(`${method} /api/documents/${id}/content`, { token, headers });

test('a download redirects to a presigned URL with the content under its name and type', async () => {
  const answer = await requestContent(await attach());
  expect([answer.status, answer.text]).toEqual([307, '']);
  expect(answer.headers['cache-control']).toBe('no-store');
  const content = await fetch(String(answer.headers.location));
  expect([content.status, Buffer.from(await content.arrayBuffer())]).toEqual([200, pdf]);
  expect(content.headers.get('content-type')).toBe('application/pdf');
  expect(content.headers.get('content-disposition')).toMatch(/^attachment; .*filename\*=UTF-8''relev%C3%A9/);
  expect(content.headers.get('cache-control')).toBe('no-store');
});

test('a download by a document link is served by the service, since S3 would not send its security headers', async () => {
  const made = await service.ask(`POST /api/documents/${await attach()}/link`, { token });
  const answer = await service.ask(`GET ${(made.json as { url: string }).url}`);
  expect([answer.status, answer.text, answer.headers.location]).toEqual([200, pdf.toString(), undefined]);
  expect(answer.headers['content-security-policy']).toMatch(/^sandbox;/);
});

test('the name, type and path of the content are signed in a presigned URL', async () => {
  const { headers } = await requestContent(await attach(own, 'nom;é\n', 'x.csv'));
  const given = new URL(String(headers.location));
  expect(given.searchParams.get('response-content-type')).toBe('text/csv; charset=utf-8');
  expect(given.searchParams.get('response-content-disposition')).toBe('attachment; filename=x.csv');
  expect(given.searchParams.get('X-Amz-SignedHeaders')).toBe('host');
  expect(given.searchParams.get('X-Amz-Signature')).toBe(signatureOf(given));
});

test('a presigned URL works for a minute by the clock of S3', async () => {
  const address = new URL(String((await requestContent(await attach())).headers.location));
  expect(address.searchParams.get('X-Amz-Expires')).toBe('60');
  expect(await statusOf(address)).toBe(200);
  const signed = Date.now();
  mock.timers.enable({ apis: ['Date'], now: signed + 58_000 });
  expect(await statusOf(address)).toBe(200);
  mock.timers.reset();
  mock.timers.enable({ apis: ['Date'], now: signed + 61_000 });
  expect(await statusOf(address)).toBe(403);
});

test('a caller who downloads another tenant’s document gets 403 without a presigned URL', async () => {
  const id = await attach(foreign);
  const answer = await requestContent(id);
  expectError(answer, 'ERROR_FORBIDDEN');
  expect(answer.headers).not.toHaveProperty('location');
});

test('the service itself answers a HEAD request, a request with a current ETag and a request with an invalid range for a document, and redirects none of them to S3', async () => {
  const id = await attach();
  const head = await requestContent(id, {}, 'HEAD');
  expect([head.status, head.headers['content-length']]).toEqual([200, String(pdf.length)]);
  const known = await requestContent(id, { 'if-none-match': String(head.headers.etag) });
  expect([known.status, known.headers.location]).toEqual([304, undefined]);
  expectError(await requestContent(id, { range: `bytes=${pdf.length}-` }), 'ERROR_RANGE_NOT_SATISFIABLE');
});

test('a download of a range redirects to a presigned URL that serves the range', async () => {
  const answer = await requestContent(await attach(own, '0123456789', 'x.txt'), { range: 'bytes=2-4' });
  expect(answer.status).toBe(307);
  const part = await fetch(String(answer.headers.location), { headers: { range: 'bytes=2-4' } });
  expect([part.status, await part.text()]).toEqual([206, '234']);
});

test('a download of a document whose content is lost gets 500 instead of a presigned URL', async () => {
  const id = await attach();
  const [row] = await service.admin('select file_path from public.documents where id = $1', [id]);
  await rm(join(folder, BUCKET, 'claims', `${String(row?.['file_path'])}._S3rver_object`));
  expect((await requestContent(id)).status).toBe(500);
});

test('the service’s log contains no presigned URL of a download', async () => {
  const address = new URL(String((await requestContent(await attach())).headers.location));
  expect(logged).toContain('"status":307');
  expect(logged).not.toContain(address.searchParams.get('X-Amz-Signature'));
  expect(logged).not.toContain('X-Amz-');
});

async function statusOf(address: URL): Promise<number> {
  const answer = await fetch(address);
  await answer.arrayBuffer();
  return answer.status;
}

/** Computes the AWS signature of a presigned URL, because the test server S3rver accepts every signature. */
function signatureOf({ pathname, searchParams, host }: URL): string {
  const encoded = (text: string): string => encodeURIComponent(text).replaceAll(/[!'()*]/g, percent);
  const query = [...searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort();
  const request = ['GET', pathname, query.join('&'), `host:${host}`, '', 'host', 'UNSIGNED-PAYLOAD'].join('\n');
  const date = String(searchParams.get('X-Amz-Date'));
  const scope = [date.slice(0, 8), ACCESS.region, 's3', 'aws4_request'];
  const hash = createHash('sha256').update(request).digest('hex');
  const key = scope.reduce<Buffer | string>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${ACCESS.credentials.secretAccessKey}`,
  );
  return createHmac('sha256', key)
    .update(['AWS4-HMAC-SHA256', date, scope.join('/'), hash].join('\n'))
    .digest('hex');
}

const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
