import { readdir, readlink, rename, truncate } from 'node:fs/promises';
import { get } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { pdf } from '../support/samples.ts';
import { expectError, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { download, until, upload } from '../support/upload.ts';

const lines: { level: number; reason?: string }[] = [];

const log = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line) as { level: number }) });
const service = await forSuite(startService({ log }));
const own = await service.tenant('Own');
const token = await service.token('CLIENT', [own.clients]);

async function attach(bytes: Buffer | string = pdf, name = 'avis.pdf'): Promise<{ id: string; file: string }> {
  const { status, json } = await upload(service, token, own.reclamations, { name, bytes });
  expect(status).toBe(201);
  const { id } = json as { id: string };
  const [row] = await service.admin('select file_path from public.documents where id = $1', [id]);
  return { id, file: join(service.documentFolder, String(row?.['file_path'])) };
}

const header = (answer: { headers: Headers }, ...names: string[]) => names.map((name) => answer.headers.get(name));

test('a downloaded document is an attachment with its name and type, and browsers must not guess another type', async () => {
  const { id } = await attach(pdf, 'relevé "€".pdf');
  const answer = await download(service, token, id);
  expect([answer.status, answer.bytes]).toEqual([200, pdf]);
  expect(header(answer, 'content-type', 'content-length', 'x-content-type-options', 'cache-control')).toEqual([
    'application/pdf',
    String(pdf.length),
    'nosniff',
    'no-store',
  ]);
  expect(answer.headers.get('content-disposition')).toMatch(
    /^attachment; filename=.*; filename\*=UTF-8''relev%C3%A9%20%22%E2%82%AC%22\.pdf$/,
  );
});

test('a download of a document ends with its last byte, so that the next request on the connection is answered', async () => {
  const { id } = await attach();
  const head = `Host: here\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  const asked = `GET /api/documents/${id}/content HTTP/1.1\r\n${head}`;
  const socket = connect(service.port, '127.0.0.1');
  const whole = 200;
  let answers = 0;
  let text = '';
  socket.setEncoding('latin1').on('data', (piece: string) => {
    text += piece;
    if (!text.endsWith(pdf.toString('latin1'))) return;
    text = '';
    answers += 1;
    if (answers < whole) socket.write(asked);
    else socket.end();
  });
  socket.on('error', () => undefined);
  socket.write(asked);
  await once(socket, 'close');
  expect(answers).toBe(whole);
});

test.each([
  ['../../etc/passwd', 'attachment; filename=passwd'],
  ['C:\\temp\\x.pdf', 'attachment; filename=x.pdf'],
])('the download of a document named %j has a file name without folders', async (name, disposition) => {
  const { id } = await attach(pdf, name);
  expect((await download(service, token, id)).headers.get('content-disposition')).toBe(disposition);
});

test('the download of a text document names its character encoding', async () => {
  const { id } = await attach('nom;é\n', 'x.csv');
  expect((await download(service, token, id)).headers.get('content-type')).toBe('text/csv; charset=utf-8');
});

test('the download of a document that a DBA inserted without type and size succeeds', async () => {
  const { id } = await attach();
  await service.admin('update public.documents set mime_type = null, file_size = null where id = $1', [id]);
  const answer = await download(service, token, id);
  expect([answer.bytes, ...header(answer, 'content-type')]).toEqual([pdf, 'application/octet-stream']);
});

test('a download by HEAD has the same headers and no content', async () => {
  const { id } = await attach();
  const whole = await download(service, token, id);
  const head = await download(service, token, id, { range: 'bytes=0-1' }, 'HEAD');
  const names = ['content-type', 'content-length', 'content-disposition', 'etag', 'accept-ranges'];
  expect([head.status, head.bytes.length, ...header(head, ...names)]).toEqual([200, 0, ...header(whole, ...names)]);
});

test('a download with the current ETag in If-None-Match gets 304', async () => {
  const { id } = await attach();
  const etag = (await download(service, token, id)).headers.get('etag') ?? '';
  const answer = await download(service, token, id, { 'if-none-match': etag });
  expect([answer.status, answer.bytes.length]).toEqual([304, 0]);
  expect((await download(service, token, id, { 'if-none-match': '"0"' })).status).toBe(200);
});

test.each([
  { range: 'bytes=0-4', status: 206, contentRange: 'bytes 0-4/10', text: '01234' },
  { range: 'bytes=9-', status: 206, contentRange: 'bytes 9-9/10', text: '9' },
  { range: 'bytes=-3', status: 206, contentRange: 'bytes 7-9/10', text: '789' },
  { range: 'bytes=5-99', status: 206, contentRange: 'bytes 5-9/10', text: '56789' },
  { range: 'bytes=-99', status: 206, contentRange: 'bytes 0-9/10', text: '0123456789' },
  { range: 'bytes=0-1,5-6', status: 200, contentRange: null, text: '0123456789' },
  { range: 'bytes=4-2', status: 200, contentRange: null, text: '0123456789' },
  { range: 'items=0-1', status: 200, contentRange: null, text: '0123456789' },
  { range: 'bytes', status: 200, contentRange: null, text: '0123456789' },
  { range: 'bytes=10-', status: 416, contentRange: 'bytes */10', text: undefined },
  { range: 'bytes=-0', status: 416, contentRange: 'bytes */10', text: undefined },
])(
  'a download of a document with the byte range $range gets $status',
  async ({ range, status, contentRange, text }) => {
    const { id } = await attach('0123456789', 'x.txt');
    const answer = await download(service, token, id, { range });
    expect([answer.status, ...header(answer, 'content-range')]).toEqual([status, contentRange]);
    if (text === undefined) return;
    expect([answer.bytes.toString(), answer.headers.get('content-length')]).toEqual([text, String(text.length)]);
  },
);

test('a download with a range and the If-Range of another version gets the whole content', async () => {
  const { id } = await attach();
  const etag = (await download(service, token, id)).headers.get('etag') ?? '';
  const part = (condition: string) => download(service, token, id, { range: 'bytes=0-3', 'if-range': condition });
  expect((await part(etag)).bytes.toString()).toBe('%PDF');
  for (const condition of ['"0"', `W/${etag}`, 'Sat, 21 Nov 2026 00:00:00 GMT']) {
    const answer = await part(condition);
    expect([answer.status, answer.bytes]).toEqual([200, pdf]);
  }
});

test('a download of a document whose content is lost gets 500, not 404, and the log has an error', async () => {
  const { id, file } = await attach();
  await rename(file, `${file}.away`);
  for (const method of ['GET', 'HEAD']) expect((await download(service, token, id, {}, method)).status).toBe(500);
  const loggedErrors = lines.filter(({ level, reason }) => level === 50 && reason?.includes(`document ${id} is lost`));
  expect(loggedErrors).toHaveLength(2);
  await rename(`${file}.away`, file);
  expect((await download(service, token, id)).bytes).toEqual(pdf);
});

test('a download and an upload get 503 while the folder of the contents is unreachable, and succeed afterwards', async () => {
  const { id } = await attach();
  await rename(service.documentFolder, `${service.documentFolder}.away`);
  const away = [await download(service, token, id), await download(service, token, id, {}, 'HEAD')];
  const refused = await upload(service, token, own.reclamations);
  await rename(`${service.documentFolder}.away`, service.documentFolder);
  expect(away.map(({ status }) => status)).toEqual([503, 503]);
  expectError(refused, 'ERROR_UNAVAILABLE');
  expect((await download(service, token, id)).bytes).toEqual(pdf);
  expect((await upload(service, token, own.reclamations)).status).toBe(201);
});

test('a download that its caller aborts closes the file, logs no error, and does not affect other downloads', async () => {
  const { id, file } = await attach(large);
  const { request } = await paused(id);
  expect(await isOpen(file)).toBe(true);
  const before = aborted().length;
  request.destroy();
  await until(async () => !(await isOpen(file)) && aborted().length > before);
  expect(aborted().at(-1)).toBe(30);
  expect((await download(service, token, id)).bytes.equals(large)).toBe(true);
});

test('a download is aborted with an error in the log if the content is truncated during the download', async () => {
  const { id, file } = await attach(large);
  const { response } = await paused(id);
  const before = aborted().length;
  await truncate(file, 1024);
  response.resume();
  await expect(once(response, 'end')).rejects.toMatchObject({ code: 'ECONNRESET' });
  await until(() => aborted().length > before);
  expect(aborted().at(-1)).toBe(50);
});

const large = Buffer.concat([pdf, Buffer.alloc(20 * 1024 * 1024)]);

/** Returns the levels of the log lines that the service wrote about aborted responses. */
const aborted = (): number[] => lines.filter((line) => 'aborted' in line).map(({ level }) => level);

async function paused(id: string): Promise<{ request: ClientRequest; response: IncomingMessage }> {
  const path = `/api/documents/${id}/content`;
  const headers = { authorization: `Bearer ${token}` };
  const request = get({ port: service.port, host: '127.0.0.1', path, headers, agent: false });
  request.on('error', () => undefined);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  await once(response, 'data');
  response.pause();
  return { request, response };
}

/** True if the service, which runs in the process of the test, has the file open. */
async function isOpen(file: string): Promise<boolean> {
  const folder = '/proc/self/fd';
  const links = (await readdir(folder)).map((fd) => readlink(join(folder, fd)).catch(() => ''));
  return (await Promise.all(links)).includes(file);
}
