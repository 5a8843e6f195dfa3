import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { ACCESS, BUCKET, flipped, LIES, startLyingStore } from '../support/lying-store.ts';
import { pdf } from '../support/samples.ts';
import { expectError, startService } from '../support/service.ts';
import type { Options, Service, Tenant } from '../support/service.ts';
import { folderForSuite, forSuite } from '../support/suite.ts';
import { download, filesIn, until, upload } from '../support/upload.ts';

/*
 * These tests check that the service compares a document’s content with its stored SHA-256 digest, and so notices if
 * the store has changed the content.
 */

const MIB = 1024 * 1024;
/** The content of a document, so large that the service sends its first piece before reading its last piece. */
const large = Buffer.concat([pdf, Buffer.alloc(MIB, 'x')]);
const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

interface Line {
  readonly level: number;
  readonly reason?: string;
}

let lines: Line[] = [];
const log = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line) as Line) });

const directory = await folderForSuite();
const store = await forSuite(startLyingStore(directory));
const withS3 = await open({
  documents: {
    store: { kind: 's3', bucket: BUCKET, prefix: 'claims' },
    ...{ endpoint: store.endpoint, s3Access: ACCESS },
  },
});
const withFolder = await open();

async function open(options: Options = {}) {
  const service = await forSuite(startService({ log, ...options }));
  const own = await service.tenant('Own');
  return { service, own, token: await service.token('CLIENT', [own.clients]) };
}

async function attach(
  service: Service,
  { clients, reclamations }: Tenant,
  bytes: Buffer = large,
): Promise<{ id: string; path: string; record: Record<string, unknown> }> {
  const token = await service.token('CLIENT', [clients]);
  const { status, json } = await upload(service, token, reclamations, { bytes });
  expect(status).toBe(201);
  const record = json as Record<string, unknown> & { id: string };
  const [row] = await service.admin('select file_path from public.documents where id = $1', [record.id]);
  return { id: record.id, path: String(row?.['file_path']), record };
}

const loggedErrors = (id: string) => lines.filter(({ level, reason }) => level === 50 && reason?.includes(id));

describe('the service compares documents from S3 with their stored digests', () => {
  const { service, own, token } = withS3;
  const contents = async () => (await filesIn(directory)).filter((name) => name.includes('claims/'));

  test.each(Object.keys(LIES) as (keyof typeof LIES)[])(
    'an upload gets 503, is counted and logged, and leaves no document if S3 answers 200 and stores %s',
    async (lie) => {
      lines = [];
      const before = service.documents.figures();
      store.tell('PUT', LIES[lie]);
      const answer = await upload(service, token, own.reclamations, { bytes: large });
      store.tell();
      expectError(answer, 'ERROR_UNAVAILABLE');
      expect(answer.headers['retry-after']).toBe('5');
      expect(service.documents.figures()).toEqual({ ...before, damaged: before.damaged + 1 });
      expect(lines).toContainEqual(expect.objectContaining({ level: 50, code: 'ERROR_UNAVAILABLE' }));
      expect(await service.admin('select from public.documents')).toEqual([]);
      expect(await service.admin('select from app.content_removals')).toEqual([]);
      expect(await contents()).toEqual([]);
      // The same upload succeeds when S3 stores the bytes correctly.
      const { id } = await attach(service, own);
      expect((await download(service, token, id)).bytes.equals(large)).toBe(true);
      await service.ask(`DELETE /api/documents/${id}`, { token: await service.token('ADMIN') });
      await service.documents.removeDueContents();
    },
  );

  test('an upload gets 503 and leaves no document if S3 stops half-way when the service reads the stored bytes back', async () => {
    const { away, damaged } = service.documents.figures();
    store.tell('GET', LIES.half);
    const answer = await upload(service, token, own.reclamations, { bytes: large });
    store.tell();
    expectError(answer, 'ERROR_UNAVAILABLE');
    expect(service.documents.figures()).toMatchObject({ away: away + 1, damaged });
    expect(await service.admin('select from public.documents')).toEqual([]);
    // S3 has possibly stored the content, so the service plans the removal of that content.
    expect(await service.admin('select from app.content_removals')).toHaveLength(1);
    await service.admin('update app.content_removals set due_at = now()');
    await service.documents.removeDueContents();
    expect(await contents()).toEqual([]);
  });

  test('the download of a document whose content S3 has changed is aborted', async () => {
    lines = [];
    const { id, path } = await attach(service, own);
    const file = join(directory, BUCKET, 'claims', `${path}._S3rver_object`);
    await writeFile(file, flipped(await readFile(file)));
    await expect(download(service, token, id)).rejects.toThrow();
    await until(() => loggedErrors(id).length === 1);
  });

  test('a download is aborted if S3 returns more bytes than the document has, also for a document without a digest', async () => {
    const { id } = await attach(service, own);
    await service.admin('update public.documents set sha256 = null where id = $1', [id]);
    store.tell('GET', LIES['something longer']);
    await expect(download(service, token, id)).rejects.toThrow();
    store.tell();
    expect((await download(service, token, id)).bytes.equals(large)).toBe(true);
  });
});

describe('the service compares documents from a folder with their stored digests', () => {
  const { service, own, token } = withFolder;
  const fileOf = (path: string) => join(service.documentFolder, path);
  const change = async (path: string) => {
    await writeFile(fileOf(path), flipped(await readFile(fileOf(path))));
  };

  test('the service does not store an upload whose bytes the disk changes before the upload is moved into the store', async () => {
    const spooled = await service.documents.write(Readable.from([large]));
    await writeFile(spooled.file, flipped(large));
    let inserted = 0;
    const kept = service.documents.storeWithRow(spooled, () => Promise.resolve((inserted += 1)));
    await expect(kept).rejects.toMatchObject({ code: 'ERROR_UNAVAILABLE' });
    expect([inserted, await filesIn(service.documentFolder)]).toEqual([0, []]);
    expect(await service.admin('select from app.content_removals')).toEqual([]);
  });

  test('the answer to an upload and the document’s record have the SHA-256 of the content', async () => {
    const { id, record } = await attach(service, own);
    expect(record['sha256']).toBe(sha256(large));
    const { json } = await service.ask(`GET /api/documents/${id}`, { token });
    expect(json).toEqual(record);
    const [row] = await service.sql`select encode(sha256, 'hex') as hex from public.documents where id = ${id}`;
    expect(row).toEqual({ hex: sha256(large) });
  });

  test.each([
    { pieces: 'of several pieces', bytes: large, outcome: 'is aborted before its end' },
    { pieces: 'of one piece', bytes: pdf, outcome: 'gets 500' },
  ])(
    'if a bit flips in a stored content $pieces, the download $outcome, and the damage is counted and logged',
    async ({ bytes, outcome }) => {
      lines = [];
      const { id, path } = await attach(service, own, bytes);
      expect((await download(service, token, id)).bytes.equals(bytes)).toBe(true);
      await change(path);
      const { damaged } = service.documents.figures();
      for (const headers of [{}, { range: 'bytes=0-' }] as Record<string, string>[]) {
        const answer = download(service, token, id, headers);
        if (outcome === 'gets 500') {
          const refused = await answer;
          expect([refused.status, refused.headers.get('content-disposition')]).toEqual([500, null]);
        } else await expect(answer).rejects.toThrow();
      }
      expect(service.documents.figures().damaged).toBe(damaged + 2);
      await until(() => loggedErrors(id).length === 2);
      await change(path);
      expect((await download(service, token, id)).bytes.equals(bytes)).toBe(true);
    },
  );

  test('a download of a document whose content is lost or has another length gets 500, and is counted', async () => {
    const { id, path } = await attach(service, own);
    await writeFile(fileOf(path), 'x');
    const { damaged } = service.documents.figures();
    expect((await download(service, token, id)).status).toBe(500);
    await rm(fileOf(path));
    expect((await download(service, token, id)).status).toBe(500);
    expect(service.documents.figures().damaged).toBe(damaged + 2);
  });

  test('a download of a byte range, or of a document without a digest, is served without a check of the digest', async () => {
    const { id, path } = await attach(service, own);
    await change(path);
    const part = await download(service, token, id, { range: 'bytes=0-3' });
    expect([part.status, part.bytes.toString()]).toEqual([206, '%PDF']);
    await expect(download(service, token, id)).rejects.toThrow();
    await service.admin('update public.documents set sha256 = null where id = $1', [id]);
    expect((await download(service, token, id)).bytes.equals(flipped(large))).toBe(true);
  });

  test('Postgres refuses a document whose digest is not 32 bytes long, and accepts a document without a digest', async () => {
    const row = (digest: string) =>
      service.admin(
        `insert into public.documents (reclamation_id, filename, file_path, sha256) values ($1, 'x', gen_random_uuid(), ${digest})`,
        [own.reclamations],
      );
    await expect(row(`'\\x00'`)).rejects.toMatchObject({ code: '23514' });
    await row('null');
  });
});
