import { readdir, readlink, rename, truncate } from 'node:fs/promises';
import { get } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
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

describe('a download', () => {
  test('is an attachment under its own name and type, of which nothing is guessed', async () => {
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

  test('is over when its last byte is there: whoever asks again at once, on the same connection, is answered', async () => {
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
  ])('of %j proposes a name without folders', async (name, disposition) => {
    const { id } = await attach(pdf, name);
    expect((await download(service, token, id)).headers.get('content-disposition')).toBe(disposition);
  });

  test('of text says its encoding', async () => {
    const { id } = await attach('nom;é\n', 'x.csv');
    expect((await download(service, token, id)).headers.get('content-type')).toBe('text/csv; charset=utf-8');
  });

  test('of what a DBA entered without a type or a size is served all the same', async () => {
    const { id } = await attach();
    await service.admin('update public.documents set mime_type = null, file_size = null where id = $1', [id]);
    const answer = await download(service, token, id);
    expect([answer.bytes, ...header(answer, 'content-type')]).toEqual([pdf, 'application/octet-stream']);
  });

  test('by HEAD has the same headers and no content', async () => {
    const { id } = await attach();
    const whole = await download(service, token, id);
    const head = await download(service, token, id, { range: 'bytes=0-1' }, 'HEAD');
    const names = ['content-type', 'content-length', 'content-disposition', 'etag', 'accept-ranges'];
    expect([head.status, head.bytes.length, ...header(head, ...names)]).toEqual([200, 0, ...header(whole, ...names)]);
  });

  test('is not repeated for whoever has it', async () => {
    const { id } = await attach();
    const etag = (await download(service, token, id)).headers.get('etag') ?? '';
    const answer = await download(service, token, id, { 'if-none-match': etag });
    expect([answer.status, answer.bytes.length]).toEqual([304, 0]);
    expect((await download(service, token, id, { 'if-none-match': '"0"' })).status).toBe(200);
  });

  test.each([
    ['bytes=0-4', 206, 'bytes 0-4/10', '01234'],
    ['bytes=9-', 206, 'bytes 9-9/10', '9'],
    ['bytes=-3', 206, 'bytes 7-9/10', '789'],
    ['bytes=5-99', 206, 'bytes 5-9/10', '56789'],
    ['bytes=-99', 206, 'bytes 0-9/10', '0123456789'],
    ['bytes=0-1,5-6', 200, null, '0123456789'],
    ['bytes=4-2', 200, null, '0123456789'],
    ['items=0-1', 200, null, '0123456789'],
    ['bytes', 200, null, '0123456789'],
    ['bytes=10-', 416, 'bytes */10', undefined],
    ['bytes=-0', 416, 'bytes */10', undefined],
  ])('of the range %s is %d', async (range, status, contentRange, text) => {
    const { id } = await attach('0123456789', 'x.txt');
    const answer = await download(service, token, id, { range });
    expect([answer.status, ...header(answer, 'content-range')]).toEqual([status, contentRange]);
    if (text === undefined) return;
    expect([answer.bytes.toString(), answer.headers.get('content-length')]).toEqual([text, String(text.length)]);
  });

  test('of a part is whole where the part is wanted of another version', async () => {
    const { id } = await attach();
    const etag = (await download(service, token, id)).headers.get('etag') ?? '';
    const part = (condition: string) => download(service, token, id, { range: 'bytes=0-3', 'if-range': condition });
    expect((await part(etag)).bytes.toString()).toBe('%PDF');
    for (const condition of ['"0"', `W/${etag}`, 'Sat, 21 Nov 2026 00:00:00 GMT']) {
      const answer = await part(condition);
      expect([answer.status, answer.bytes]).toEqual([200, pdf]);
    }
  });

  test('of a content that is lost is an error that the log tells, by GET and HEAD, and never a 404', async () => {
    const { id, file } = await attach();
    await rename(file, `${file}.away`);
    for (const method of ['GET', 'HEAD']) expect((await download(service, token, id, {}, method)).status).toBe(500);
    const loggedErrors = lines.filter(
      ({ level, reason }) => level === 50 && reason?.includes(`document ${id} is lost`),
    );
    expect(loggedErrors).toHaveLength(2);
    await rename(`${file}.away`, file);
    expect((await download(service, token, id)).bytes).toEqual(pdf);
  });

  test('of a content that is shorter than its row says is an error as well', async () => {
    const { id, file } = await attach();
    await truncate(file, 5);
    expect((await download(service, token, id)).status).toBe(500);
  });

  test('is 503 while the folder is away, and works when it is back', async () => {
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

  test('that its caller breaks off closes the file, is no error of the service, and harms no other', async () => {
    const { id, file } = await attach(large);
    const { request } = await paused(id);
    expect(await isOpen(file)).toBe(true);
    const before = aborted().length;
    request.destroy();
    await until(async () => !(await isOpen(file)) && aborted().length > before);
    expect(aborted().at(-1)).toBe(30);
    expect((await download(service, token, id)).bytes.equals(large)).toBe(true);
  });

  test('whose content is cut short meanwhile is broken off and told by the log, never passed off as whole', async () => {
    const { id, file } = await attach(large);
    const { response } = await paused(id);
    const before = aborted().length;
    await truncate(file, 1024);
    response.resume();
    await expect(once(response, 'end')).rejects.toMatchObject({ code: 'ECONNRESET' });
    await until(() => aborted().length > before);
    expect(aborted().at(-1)).toBe(50);
  });
});

const large = Buffer.concat([pdf, Buffer.alloc(20 * 1024 * 1024)]);

/** The levels of the log's lines about answers that were not sent to the end. */
const aborted = (): number[] => lines.filter((line) => 'aborted' in line).map(({ level }) => level);

/** Begins a download and stops reading. */
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

/** Whether this process, in which the service runs, has the file open. */
async function isOpen(file: string): Promise<boolean> {
  const folder = '/proc/self/fd';
  const links = (await readdir(folder)).map((fd) => readlink(join(folder, fd)).catch(() => ''));
  return (await Promise.all(links)).includes(file);
}
