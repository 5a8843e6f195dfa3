import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ContentStore } from '../../src/documents/content-store.ts';
import { createFolderStore } from '../../src/documents/folder-store.ts';
import { createS3Store } from '../../src/documents/s3-store.ts';
import { openUploads } from '../../src/documents/uploads.ts';
import { ACCESS, BUCKET, startLyingStore } from '../support/lying-store.ts';
import { createScratchFolder } from '../support/scratch.ts';

const PATH = 'ab/abcdef';
const TEXT = 'avis d’imposition';

interface Opened {
  readonly store: ContentStore;
  /** Makes the document store unreachable. */
  cut(): Promise<void>;
  end(): Promise<void>;
}

async function openFolder(parent: string): Promise<Opened> {
  const folder = join(parent, 'documents');
  await openUploads(join(folder, '.partial'));
  return {
    store: createFolderStore(folder),
    cut: () => rename(folder, join(parent, 'away')),
    end: () => Promise.resolve(),
  };
}

async function openS3(parent: string): Promise<Opened> {
  const server = await startLyingStore(join(parent, 's3'));
  const { endpoint } = server;
  const store = createS3Store({ bucket: BUCKET, prefix: 'claims/contents', endpoint, access: ACCESS });
  return {
    store,
    cut: () => server.close(),
    end: async () => {
      store.close();
      // A test that makes the store unreachable has closed the S3 server already.
      await server.close().catch(() => undefined);
    },
  };
}

describe.each([
  ['a folder', openFolder],
  ['S3', openS3],
])('a document store in %s keeps each content until its removal', (_kind, open) => {
  let parent: string;
  let opened: Opened;
  let store: ContentStore;
  let spool: string;

  beforeEach(async () => {
    parent = await createScratchFolder();
    spool = join(parent, 'spool');
    await mkdir(spool);
    opened = await open(parent);
    store = opened.store;
  });
  afterEach(async () => {
    await opened.end();
    await rm(parent, { recursive: true });
  });

  async function place(path: string, text = TEXT): Promise<string> {
    const file = join(spool, 'content');
    await writeFile(file, text);
    await store.put(path, file);
    return file;
  }

  test('a document store moves a file into the store, and returns its bytes whole and by range', async () => {
    const file = await place(PATH);
    await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await store.size(PATH)).toBe(Buffer.byteLength(TEXT));
    expect((await buffer(await store.read(PATH))).toString()).toBe(TEXT);
    expect((await buffer(await store.read(PATH, { start: 5, end: 5 }))).toString()).toBe('d');
  });

  test('a document store removes one content, ignores the removal of a missing content, and keeps all other contents', async () => {
    await place('cd/first');
    await place('cd/second');
    await store.remove('cd/first');
    await store.remove('cd/first');
    expect(await store.size('cd/first')).toBeUndefined();
    expect(await store.size('cd/second')).toBeDefined();
    await expect(store.read('cd/first')).rejects.toThrow(/no content/);
  });

  test.each(['../x', '/etc/passwd', 'a/../../x', '.partial/x', 'a//b', 'a/', '', 'a\0b', 'a\\b'])(
    'a document store refuses the path %j of a content',
    async (path) => {
      await place(PATH);
      expect(await store.size(path)).toBeUndefined();
      await store.remove(path);
      await expect(store.read(path)).rejects.toThrow(/no path/);
      await expect(place(path)).rejects.toThrow(/no path/);
      expect(await store.size(PATH)).toBeDefined();
    },
  );

  test('an unreachable document store reports ERROR_UNAVAILABLE, never a missing content', async () => {
    await place(PATH);
    await opened.cut();
    const unavailable = { code: 'ERROR_UNAVAILABLE' };
    await expect(store.size(PATH)).rejects.toMatchObject(unavailable);
    await expect(store.read(PATH)).rejects.toMatchObject(unavailable);
    await expect(store.remove(PATH)).rejects.toMatchObject(unavailable);
    await expect(store.put(PATH, join(spool, 'content'))).rejects.toMatchObject(unavailable);
  });
});
