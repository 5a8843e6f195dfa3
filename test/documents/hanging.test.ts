import { execFile } from 'node:child_process';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { StoreTimeouts, ContentStore } from '../../src/documents/content-store.ts';
import { createFolderStore } from '../../src/documents/folder-store.ts';
import { createS3Store } from '../../src/documents/s3-store.ts';
import { withStallTimeout } from '../../src/documents/content-store.ts';
import { withAdmin } from '../support/database.ts';
import { createScratchFolder } from '../support/scratch.ts';
import { expectError, startService } from '../support/service.ts';
import { startSilentServer } from '../support/silent-server.ts';
import type { SilentServer } from '../support/silent-server.ts';
import { until, upload } from '../support/upload.ts';

/*
 * In these tests the document store accepts every request and never answers, so the service must end each wait by a
 * time-out.
 */

/**
 * Time-outs of an S3 store in milliseconds, shorter than in production. A document store in a folder keeps the usual
 * time-outs.
 */
const SHORT = { answerMs: 500, stallMs: 1_000 };

const s3Access = { region: 'eu-west-3', credentials: { accessKeyId: 'S3', secretAccessKey: 'S3' } };
const unavailable = { code: 'ERROR_UNAVAILABLE' };

let folder: string;
let silent: SilentServer;

beforeEach(async () => {
  folder = await createScratchFolder();
  silent = await startSilentServer();
});
afterEach(async () => {
  silent.close();
  await rm(folder, { recursive: true });
});

function hangingStore(timeouts?: StoreTimeouts): ContentStore {
  return createS3Store({ bucket: 'documents', prefix: '', endpoint: silent.url, access: s3Access, timeouts });
}

test('every operation on an S3 store that accepts connections and sends nothing fails with ERROR_UNAVAILABLE', async () => {
  const store = hangingStore(SHORT);
  const [small, large] = [join(folder, 'small'), join(folder, 'large')];
  await writeFile(small, 'avis');
  await writeFile(large, Buffer.alloc(24 * 1024 * 1024));
  const asked = [
    store.size('a/b'),
    store.read('a/b'),
    store.remove('a/b'),
    store.put('a/small', small),
    store.put('a/large', large),
  ];
  for (const answer of asked) answer.catch(() => undefined);
  for (const answer of asked) await expect(answer).rejects.toMatchObject(unavailable);
  store.close();
});

test('closing a document store ends its pending operations', async () => {
  const store = hangingStore();
  const file = join(folder, 'file');
  await writeFile(file, Buffer.alloc(24 * 1024 * 1024));
  const asked = [store.size('a/b'), store.put('a/b', file)].map((answer) =>
    expect(answer).rejects.toThrow(/the store is closed/),
  );
  while (silent.taken < 2) await new Promise(setImmediate);
  store.close();
  await Promise.all(asked);
});

test('the reading of a document’s content is aborted if the store stops sending, and not if the reader is slow', async () => {
  const stopping = new Readable({ read: () => undefined });
  stopping.push('half');
  const given = withStallTimeout(stopping, 50);
  await expect(buffer(given)).rejects.toMatchObject(unavailable);
  expect(stopping.destroyed).toBe(true);
  const whole = withStallTimeout(Readable.from([Buffer.from('a'), Buffer.from('b')]), 50);
  const parts: string[] = [];
  for await (const part of whole) {
    parts.push(String(part));
    // The reader pauses 100 ms, which is longer than the 50 ms that the document store is allowed to take.
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(parts.join('')).toBe('ab');
});

test('with a hanging S3 an upload and a download get 503, and a deletion does not wait for S3', async () => {
  const service = await startService({
    documents: {
      store: { kind: 's3', bucket: 'documents', prefix: 'claims' },
      endpoint: silent.url,
      ...{ s3Access, timeouts: SHORT },
    },
  });
  try {
    const own = await service.tenant('Hanging');
    const token = await service.token('ADMIN');
    const id = '55555555-5555-4555-8555-555555555555';
    await service.sql`insert into public.documents (id, reclamation_id, filename, file_path)
      values (${id}, ${own.reclamations}, 'avis.pdf', 'aa/hanging')`;
    const [download, uploaded] = await Promise.all([
      service.ask(`GET /api/documents/${id}/content`, { token }),
      upload(service, token, own.reclamations),
    ]);
    expectError(download, 'ERROR_UNAVAILABLE');
    expectError(uploaded, 'ERROR_UNAVAILABLE');
    const order: string[] = [];
    const removed = service.ask(`DELETE /api/documents/${id}`, { token }).then(({ status }) => {
      order.push(`answered ${status}`);
    });
    await removed;
    await service.documents.removeDueContents().then(() => order.push('given up by the store'));
    expect(order).toEqual(['answered 204', 'given up by the store']);
    expect(await service.admin(`select from app.content_removals where file_path = 'aa/hanging'`)).toHaveLength(1);
  } finally {
    await service.close();
  }
});

test('reading a document’s content from a disk that does not answer fails with ERROR_UNAVAILABLE', async () => {
  const documents = join(folder, 'documents');
  await mkdir(join(documents, '.partial'), { recursive: true });
  // A named pipe without a writer blocks when it is opened, like a file on an unreachable network disk.
  const pipe = join(documents, 'pipe');
  await promisify(execFile)('mkfifo', [pipe]);
  const store = createFolderStore(documents);
  const reading = [store.read('pipe'), store.readInPieces?.('pipe')];
  await Promise.all(reading.map((one) => expect(one).rejects.toMatchObject(unavailable)));
  await (await open(pipe, 'r+')).close();
});

test('twenty simultaneous removals of documents’ contents use one connection to Postgres', async () => {
  const service = await startService();
  try {
    const token = await service.token('ADMIN');
    await service.documents.removeDueContents();
    await withAdmin(service.postgres.adminUrl, async (admin) => {
      await admin.query('begin; lock table app.content_removals in access exclusive mode');
      const rounds = Array.from({ length: 20 }, () => service.documents.removeDueContents());
      const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%due_removals%' and datname = current_database()`;
      await until(async () => (await service.admin(waiting)).length > 0);
      expect((await service.ask('GET /api/clients', { token })).status).toBe(200);
      expect(await service.admin(waiting)).toHaveLength(1);
      await admin.query('rollback');
      await Promise.all(rounds);
    });
  } finally {
    await service.close();
  }
});
