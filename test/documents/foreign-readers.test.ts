import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { fromRandomAccessReader, RandomAccessReader, type Entry } from 'yauzl';
import { ZIP_BLOCK_BYTES } from '../../src/limits.ts';
import { createZip } from '../../src/resources/documents/zip.ts';
import { pdf, png } from '../support/samples.ts';
import { startService } from '../support/service.ts';
import { shell } from '../support/shell.ts';
import { folderForSuite, forSuite } from '../support/suite.ts';

/* These tests send documents with curl, and read the ZIP of a claim with Java, Python, unzip, jar and yauzl. */

const MIB = 1024 * 1024;
const FILES: Readonly<Record<string, Buffer>> = {
  'avis foncière €.pdf': pdf,
  'plan.png': png,
  'large.pdf': Buffer.concat([pdf, Buffer.alloc(3 * MIB, 'x')]),
  'ας.pdf': Buffer.concat([pdf, Buffer.alloc(32 * 1024 - pdf.length)]),
};

const service = await forSuite(startService());
const folder = await folderForSuite();
const { reclamations: claim, clients } = await service.tenant('Own');
const token = await service.token('CLIENT', [clients]);
const url = `http://127.0.0.1:${service.port}/api/reclamations/${claim}`;
const authorization = `Authorization: Bearer ${token}`;
const archive = join(folder, 'documents.zip');
const env = { FOLDER: folder, ARCHIVE: archive, URL: url, AUTHORIZATION: authorization };

test('curl -F uploads files with their kind, before the file and behind it', async () => {
  for (const [index, [name, bytes]] of Object.entries(FILES).entries()) {
    await writeFile(join(folder, name), bytes);
    const fields = ['-F kind=AVIS', `-F "file=@$FOLDER/${name}"`];
    const sent = index % 2 === 0 ? fields : fields.toReversed();
    const said = await shell(`curl -s -H "$AUTHORIZATION" ${sent.join(' ')} "$URL/documents"`, env);
    expect(said).toMatch(/"kind":"AVIS"/);
  }
  const saved = `curl -s --fail -H "$AUTHORIZATION" -o "$ARCHIVE" "$URL/documents.zip"`;
  expect(await shell(saved, env)).not.toMatch(/error/);
});

const expected = Object.entries(FILES)
  .map(([name, bytes]) => `${createHash('sha256').update(bytes).digest('hex')} ${name}`)
  .toSorted();

test.each([
  ['Java’s ZipInputStream, as a stream', `java ${join(import.meta.dirname, 'StreamReader.java')} < "$ARCHIVE"`],
  [
    'Java’s ZipInputStream, from the service',
    `curl -sN -H "$AUTHORIZATION" -o - "$URL/documents.zip" -w '' | java ${join(import.meta.dirname, 'StreamReader.java')}`,
  ],
  [
    'Python’s zipfile',
    `python3 -c '
import hashlib, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    assert archive.testzip() is None
    for name in archive.namelist():
        print(hashlib.sha256(archive.read(name)).hexdigest(), name)
' "$ARCHIVE"`,
  ],
  [
    'unzip',
    'unzip -tqq "$ARCHIVE" && rm -rf "$FOLDER/u" && unzip -qq -d "$FOLDER/u" "$ARCHIVE" && cd "$FOLDER/u" && sha256sum -- * | sed "s/  / /"',
  ],
  [
    'jar',
    'rm -rf "$FOLDER/j" && mkdir "$FOLDER/j" && cd "$FOLDER/j" && jar -xf "$ARCHIVE" && sha256sum -- * | sed "s/  / /"',
  ],
])('%s reads every file of a claim’s ZIP', async (_, code) => {
  const read = await shell(code, { ...env, LC_ALL: 'C.UTF-8', PYTHONIOENCODING: 'utf-8' });
  expect(read.trimEnd().split('\n').toSorted()).toEqual(expected);
});

test('a ZIP above 4 GiB has the format ZIP64, the announced length, and every file', async () => {
  const content = Buffer.alloc(64 * MIB, 'x');
  const sizes = [...Array.from({ length: 65 }, () => content.length), 0, 1, ZIP_BLOCK_BYTES, ZIP_BLOCK_BYTES + 1];
  const { body, size } = createZip(
    sizes.map((bytes, index) => ({
      ...{ name: `${index}.pdf`, modifiedAt: new Date(1_800_000_000_000), size: bytes },
      open: () => Promise.resolve(Readable.from(bytes === 0 ? [] : [content.subarray(0, bytes)])),
    })),
  );
  // The archive is kept as the parts behind the large files, because 4 GiB do not fit into the memory of a test.
  let length = 0;
  const kept: { at: number; bytes: Buffer }[] = [];
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (chunk.length < MIB) kept.push({ at: length, bytes: chunk });
    length += chunk.length;
  }
  expect(length).toBe(size);
  expect(length).toBeGreaterThan(2 ** 32);
  class Parts extends RandomAccessReader {
    override _readStreamForRange(start: number, end: number): Readable {
      const parts = kept.filter(({ at, bytes }) => at < end && at + bytes.length > start);
      return Readable.from(parts.map(({ at, bytes }) => bytes.subarray(Math.max(start - at, 0), end - at)));
    }
  }
  const files: [string, number][] = [];
  await new Promise<void>((resolve, reject) => {
    fromRandomAccessReader(new Parts(), length, { lazyEntries: true }, (error, zip) => {
      if (error) {
        reject(error);
        return;
      }
      zip.on('error', reject).on('end', resolve);
      zip.on('entry', (entry: Entry) => {
        if (entry.uncompressedSize >= MIB) {
          files.push([entry.fileName, entry.uncompressedSize]);
          zip.readEntry();
          return;
        }
        zip.openReadStream(entry, (failure, stream) => {
          if (failure) {
            reject(failure);
            return;
          }
          buffer(stream).then((bytes) => {
            expect(crc32(bytes)).toBe(entry.crc32);
            files.push([entry.fileName, bytes.length]);
            zip.readEntry();
          }, reject);
        });
      });
      zip.readEntry();
    });
  });
  expect(files).toEqual(sizes.map((bytes, index) => [`${index}.pdf`, bytes]));
});
