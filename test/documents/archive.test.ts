import { createHash } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { fromBufferPromise } from 'yauzl';
import { makeNamesDistinct } from '../../src/resources/documents/names.ts';
import { createZip } from '../../src/resources/documents/zip.ts';
import { MAX_ZIP_DOCUMENTS } from '../../src/limits.ts';
import { person } from '../support/people.ts';
import { pdf, png } from '../support/samples.ts';
import { expectError, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { until, upload } from '../support/upload.ts';

/* These tests check that the download of a claim’s documents as a ZIP is either complete or aborted. */

const MIB = 1024 * 1024;

let log = '';
const service = await forSuite(startService({ log: pino({}, { write: (line) => (log += line) }) }));

async function claimWith(...files: readonly (readonly [name: string, bytes: Buffer | string])[]) {
  const { reclamations, clients } = await service.tenant('Own');
  const owner = await service.token('CLIENT', [clients]);
  const ids: string[] = [];
  for (const [name, bytes] of files) {
    const { status, json } = await upload(service, owner, reclamations, { name, bytes });
    expect(status).toBe(201);
    ids.push((json as { id: string }).id);
  }
  return { claim: reclamations, token: owner, ids };
}

async function fileOf(id: string | undefined): Promise<string> {
  const [row] = await service.sql`select file_path from public.documents where id = ${id}`;
  return join(service.documentFolder, String(row?.['file_path']));
}

const at = (claim: string) => `/api/reclamations/${claim}/documents.zip`;

function begin(claim: string, owner: string): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${owner}` };
  return new Promise((resolve, reject) => {
    get({ port: service.port, host: '127.0.0.1', path: at(claim), headers, agent: false }, resolve).once(
      'error',
      reject,
    );
  });
}

/** The name, content and time of each entry in a ZIP, read with another library than the one that writes ZIPs. */
async function entriesOf(archive: Buffer): Promise<[string, Buffer, string][]> {
  const zip = await fromBufferPromise(archive, { lazyEntries: true, strictFileNames: true });
  const entries: [string, Buffer, string][] = [];
  for await (const entry of zip.eachEntry()) {
    const bytes = await buffer(await zip.openReadStreamPromise(entry));
    entries.push([entry.fileName, bytes, entry.getLastModDate().toISOString()]);
  }
  return entries;
}

test('the ZIP of a claim has every document unchanged in the order of upload, and a Content-Length', async () => {
  const large = Buffer.alloc(3 * MIB, 'x').fill('%PDF-1.4\n', 0, 9);
  const {
    claim,
    token: owner,
    ids,
  } = await claimWith(['avis foncière €.pdf', pdf], ['plan.png', png], ['large.pdf', large]);
  const response = await begin(claim, owner);
  const archive = await buffer(response);
  expect(response.statusCode).toBe(200);
  expect(response.headers).toMatchObject({
    'content-type': 'application/zip',
    'content-disposition': `attachment; filename=documents-${claim}.zip`,
    'content-length': String(archive.length),
    'cache-control': 'no-store',
  });
  const [row] = await service.sql`select date_trunc('second', uploaded_at) as second
      from public.documents where id = ${ids[0]}`;
  const entries = await entriesOf(archive);
  expect(entries.map(([name, bytes]) => [name, bytes.length])).toEqual([
    ['avis foncière €.pdf', pdf.length],
    ['plan.png', png.length],
    ['large.pdf', large.length],
  ]);
  expect(entries.map(([, bytes]) => digest(bytes))).toEqual([pdf, png, large].map(digest));
  expect(entries[0]?.[2]).toBe((row?.['second'] as Date).toISOString());
});

test('HEAD for the ZIP of a claim gets no content, and the ZIP of a claim without documents has no entry', async () => {
  const { claim, token: owner } = await claimWith();
  const head = await service.ask(`HEAD ${at(claim)}`, { token: owner });
  expect([head.status, head.text, head.headers['content-type']]).toEqual([200, '', 'application/zip']);
  expect(await entriesOf(await buffer(await begin(claim, owner)))).toEqual([]);
});

test('documents of the same name have different names in the ZIP of a claim', async () => {
  const { claim, token: owner } = await claimWith(
    ['avis.pdf', pdf],
    ['Avis.pdf', png],
    ['avis (2).pdf', pdf],
    ['avis.pdf', pdf],
  );
  const entries = await entriesOf(await buffer(await begin(claim, owner)));
  expect(entries.map(([name]) => name)).toEqual(['avis.pdf', 'Avis (2).pdf', 'avis (2) (3).pdf', 'avis (4).pdf']);
});

test('the ZIP of a claim with a document of unknown size is complete, and has its Content-Length', async () => {
  const { claim, token: owner, ids } = await claimWith(['avis.pdf', pdf], ['plan.png', png]);
  await service.sql`update public.documents set file_size = null, sha256 = null where id = ${ids[0]}`;
  const response = await begin(claim, owner);
  const archive = await buffer(response);
  const entries = await entriesOf(archive);
  expect(response.headers['content-length']).toBe(String(archive.length));
  expect(entries.map(([, bytes]) => bytes)).toEqual([pdf, png]);
});

test('the download of a ZIP of a claim with too many documents gets 400 with the limit', async () => {
  const { claim, token: owner } = await claimWith();
  await service.sql`insert into public.documents (reclamation_id, filename, file_path)
      select ${claim}, 'x.pdf', gen_random_uuid() from generate_series(0, ${MAX_ZIP_DOCUMENTS})`;
  const answer = await service.ask(`GET ${at(claim)}`, { token: owner });
  expectError(answer, 'ERROR_VALIDATION', { id: `must be of a claim with at most ${MAX_ZIP_DOCUMENTS} documents` });
});

test.each([
  ['is lost', [0, 2], (file: string) => rm(file)],
  ['is too short', [1], (file: string) => writeFile(file, pdf.subarray(1))],
  ['is too long', [1], (file: string) => writeFile(file, Buffer.concat([pdf, pdf]))],
])(
  'if the content of a document %s, the ZIP of its claim gets 503 that names %j, and is complete once the content is restored',
  async (_, lost, damage) => {
    const names = ['a.pdf', 'b.pdf', 'c.pdf'];
    const { claim, token: owner, ids } = await claimWith(...names.map((name) => [name, pdf] as const));
    for (const index of lost) await damage(await fileOf(ids[index]));
    const { damaged } = service.documents.figures();
    const answer = await service.ask(`GET ${at(claim)}`, { token: owner });
    const list = lost.map((index) => names[index]).join(', ');
    const id = `is of a claim with documents whose content is lost: ${list}. Have them restored, or delete them`;
    expectError(answer, 'ERROR_UNAVAILABLE', { id });
    expect(answer.headers).not.toHaveProperty('content-disposition');
    expect(service.documents.figures().damaged).toBe(damaged + 1);
    for (const index of lost) await writeFile(await fileOf(ids[index]), pdf);
    const entries = await entriesOf(await buffer(await begin(claim, owner)));
    expect(entries.map(([name]) => name)).toEqual(names);
  },
);

test('the 503 to a ZIP names ten of eleven lost documents, and the ZIP is complete once the lost documents are deleted', async () => {
  const files = Array.from({ length: 11 }, (_, index) => [`${index}.pdf`, pdf] as const);
  const { claim, token: owner, ids } = await claimWith(...files, ['kept.pdf', pdf]);
  for (const id of ids.slice(0, -1)) await rm(await fileOf(id));
  const answer = await service.ask(`GET ${at(claim)}`, { token: owner });
  expectError(answer, 'ERROR_UNAVAILABLE', { id: expect.stringMatching(/: 0\.pdf, .*, 9\.pdf\. /) });
  await service.sql`delete from public.documents where id = any (${ids.slice(0, -1)})`;
  const entries = await entriesOf(await buffer(await begin(claim, owner)));
  expect(entries.map(([name]) => name)).toEqual(['kept.pdf']);
});

test('a caller without access to a claim whose documents are lost gets 403 without the documents’ names', async () => {
  const { claim, ids } = await claimWith(['a.pdf', pdf]);
  await rm(await fileOf(ids[0]));
  const { clients } = await service.tenant('Foreign');
  const stranger = await service.token('ACCOUNT_MANAGER', [clients]);
  expectError(await service.ask(`GET ${at(claim)}`, { token: stranger }), 'ERROR_FORBIDDEN');
});

test('the download of a claim’s ZIP gets 503 in JSON while the folder of the contents is unreachable', async () => {
  const { claim, token: owner } = await claimWith(['a.pdf', pdf]);
  await rename(service.documentFolder, `${service.documentFolder}.away`);
  const answer = await service
    .ask(`GET ${at(claim)}`, { token: owner })
    .finally(() => rename(`${service.documentFolder}.away`, service.documentFolder));
  expectError(answer, 'ERROR_UNAVAILABLE');
});

describe('the service aborts a ZIP download that it cannot complete', () => {
  const three = () => claimWith(['a.pdf', pdf], ['b.pdf', Buffer.concat([pdf, Buffer.alloc(MIB)])], ['c.pdf', pdf]);

  test('the download of a claim’s ZIP is aborted if the content of a document has other bytes', async () => {
    const { claim, token: owner, ids } = await three();
    const file = await fileOf(ids[1]);
    await writeFile(file, (await readFile(file)).fill('y', 100, 200));
    await expect(begin(claim, owner).then(buffer)).rejects.toThrow();
  });

  test('the download of a ZIP is aborted if the content of its last document is lost after the ZIP began', async () => {
    const big = Buffer.concat([pdf, Buffer.alloc(20 * MIB)]);
    const { claim, token: owner, ids } = await claimWith(['a.pdf', big], ['b.pdf', pdf]);
    const response = await begin(claim, owner);
    response.pause();
    await rm(await fileOf(ids[1]));
    await expect(buffer(response)).rejects.toThrow();
  });

  test.each([
    { event: 'a document is deleted', sql: 'delete from public.documents where id = $1', of: 'document' },
    {
      ...{ event: 'its reader is made inactive', of: 'reader' },
      sql: 'update public.users set is_active = false where id = $1',
    },
  ] as const)(
    'the download of a ZIP is aborted if $event meanwhile, without an error in the log',
    async ({ sql, of }) => {
      const big = Buffer.concat([pdf, Buffer.alloc(20 * MIB)]);
      const { claim, ids } = await claimWith(['a.pdf', big], ['b.pdf', pdf]);
      const [row] = await service.sql`select client_id from public.reclamations where id = ${claim}`;
      const reader = await person(service, 'CLIENT', [String(row?.['client_id'])]);
      const response = await begin(claim, reader.token);
      response.pause();
      log = '';
      // The service has not yet read the ZIP’s second document, because the first document is larger than the buffers.
      await service.admin(sql, [{ document: ids[1], reader: reader.id }[of]]);
      await expect(buffer(response)).rejects.toThrow();
      await until(() => log.includes('documents.zip'));
      expect(JSON.parse(log)).toMatchObject({ level: 30, aborted: true });
    },
  );
});

test.each([
  [-1, 'a content is shorter than its 10 bytes'],
  [1, 'a content is longer than its 10 bytes'],
])('a ZIP fails if a content has %i bytes more than announced', async (more, message) => {
  const open = () => Promise.resolve(Readable.from([Buffer.alloc(10 + more)]));
  const { body } = createZip([{ name: 'a.pdf', modifiedAt: new Date(), size: 10, open }]);
  await expect(buffer(body)).rejects.toThrow(message);
});

test('a caller’s second simultaneous ZIP download gets 429, and succeeds once the caller has ended the first download', async () => {
  const big = Buffer.concat([pdf, Buffer.alloc(20 * MIB)]);
  const { claim, token: owner } = await claimWith(['a.pdf', big]);
  const first = await begin(claim, owner);
  first.pause();
  const second = await service.ask(`GET ${at(claim)}`, { token: owner });
  expectError(second, 'ERROR_RATE_LIMITED');
  first.destroy();
  await until(() => service.documents.archiveLimit.running === 0);
  const third = await begin(claim, owner);
  expect((await entriesOf(await buffer(third))).map(([name]) => name)).toEqual(['a.pdf']);
});

test.each([
  [
    ['a', 'A', 'a'],
    ['a', 'A (2)', 'a (3)'],
  ],
  [
    ['con.txt', 'NUL', 'comma.txt'],
    ['_con.txt', '_NUL', 'comma.txt'],
  ],
  [
    ['a:b?.pdf', 'a\\b/c.pdf', 'x. ', '...', '../../etc/cron.d/x', '..'],
    ['a_b_.pdf', 'a_b_c.pdf', 'x_', '_', '.._.._etc_cron.d_x', '_ (6)'],
  ],
  [
    ['COM1.pdf', 'com¹.pdf', 'LPT0', 'CONIN$.txt', 'aux .txt', 'PRN. ', 'com10.pdf', 'console.txt'],
    ['_COM1.pdf', '_com¹.pdf', '_LPT0', '_CONIN$.txt', '_aux .txt', '_PRN_', 'com10.pdf', 'console.txt'],
  ],
  [
    ['ΑΣ.pdf', 'ας.pdf', 'ασ.pdf'],
    ['ΑΣ.pdf', 'ας (2).pdf', 'ασ (3).pdf'],
  ],
  [
    ['STRASSE', 'Straße', 'STRAẞE'],
    ['STRASSE', 'Straße (2)', 'STRAẞE (3)'],
  ],
  [
    ['avis\u202efdp.exe', '\u2066a\u2069\u200f.pdf', '\ufeffa\u00ad.pdf', '\u200b', 'a\u2028b\u0085c'],
    ['avisfdp.exe', 'a.pdf', 'a (3).pdf', '_', 'a_b_c'],
  ],
  [
    [`${'a'.repeat(179)} b`, `${'a'.repeat(179)}.`, `x.${'a'.repeat(38)} b`],
    [`${'a'.repeat(179)}_`, `${'a'.repeat(179)}_ (2)`, `x.${'a'.repeat(38)}_`],
  ],
  [
    ['co\u200bn.txt', 'a<b>"c|d*e'],
    ['_con.txt', 'a_b__c_d_e'],
  ],
  [
    ['e\u0301.pdf', 'é.pdf'],
    ['é.pdf', 'é (2).pdf'],
  ],
  [['💶'.repeat(255)], ['💶'.repeat(45)]],
])(
  'documents with the names %j have the names %j in a ZIP, which are valid and distinct on any system',
  (names, expected) => {
    expect(makeNamesDistinct(names)).toEqual(expected);
  },
);

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
