import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
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
