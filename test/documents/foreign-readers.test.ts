import { createHash } from 'node:crypto';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { ZIP_BLOCK_BYTES } from '../../src/limits.ts';
import { createZip } from '../../src/resources/documents/zip.ts';
import { pdf, png } from '../support/samples.ts';
import { startService } from '../support/service.ts';
import { shell } from '../support/shell.ts';
import { folderForSuite, forSuite } from '../support/suite.ts';

/* These tests send documents with curl, and read the ZIP of a claim with Java, Python, unzip and jar. */

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

const content = Buffer.alloc(64 * MIB, 'x');
const sizes = [...Array.from({ length: 65 }, () => content.length), 0, 1, ZIP_BLOCK_BYTES, ZIP_BLOCK_BYTES + 1];
const names = sizes.map((_, index) => `${index}.pdf`);
const large = join(folder, 'large.zip');

test('a ZIP above 4 GiB has the announced length', async () => {
  const { body, size } = createZip(
    sizes.map((bytes, index) => ({
      ...{ name: names[index] ?? '', modifiedAt: new Date(1_800_000_000_000), size: bytes },
      open: () => Promise.resolve(Readable.from(bytes === 0 ? [] : [content.subarray(0, bytes)])),
    })),
  );
  const file = await open(large, 'w');
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    // The content of the large files is left out as a hole, which takes no space on the disk.
    if (chunk.length < MIB) await file.write(chunk, 0, chunk.length, length);
    length += chunk.length;
  }
  await file.truncate(length);
  await file.close();
  expect(length).toBe(size);
  expect(length).toBeGreaterThan(2 ** 32);
});

test.each([
  [
    'Python’s zipfile',
    `python3 -c '
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    for file in archive.infolist():
        size = file.file_size if file.file_size >= 1 << 20 else len(archive.read(file))
        print(file.filename, size)
' "$ARCHIVE"`,
  ],
  ['unzip', `unzip -Zl "$ARCHIVE" | awk '$10 ~ /[.]pdf$/ {print $10, $4}'`],
  ['jar', `jar -tvf "$ARCHIVE" | awk '{print $NF, $1}'`],
])('%s lists every file of a ZIP above 4 GiB, whose format is ZIP64, with its size', async (_, code) => {
  const read = await shell(code, { ...env, ARCHIVE: large });
  expect(read.trimEnd().split('\n')).toEqual(sizes.map((bytes, index) => `${names[index]} ${bytes}`));
});
