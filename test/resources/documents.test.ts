import { describe, expect, test } from '@jest/globals';
import { createHash, randomUUID } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { pdf, png } from '../support/samples.ts';
import { details, expectError, expectInvalid, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { begin, download, filesIn, form, FORM, upload } from '../support/upload.ts';
import type { Part } from '../support/upload.ts';

const MAX_BYTES = 100_000;
const [BOUNDARY = ''] = form({}).toString().split('\r\n');

const service = await forSuite(startService({ documents: { maxBytes: MAX_BYTES } }));
const own = await service.tenant('Own');
const foreign = await service.tenant('Foreign');
const manager = await service.token('ACCOUNT_MANAGER', [own.clients]);

async function attach(part?: Part): Promise<Record<string, unknown> & { id: string }> {
  const answer = await upload(service, manager, own.reclamations, part);
  expect(answer.status).toBe(201);
  return answer.json as Record<string, unknown> & { id: string };
}

/** Expects the document store to have one file per row of the table `documents`, and no partial file. */
async function expectNoOrphans(): Promise<void> {
  const rows = await service.admin('select file_path from public.documents order by file_path');
  expect(await filesIn(service.documentFolder)).toEqual(rows.map(({ file_path }) => file_path));
}

test('an upload returns the document’s record with the path of its content, which is not the path in the store', async () => {
  const answer = await upload(service, manager, own.reclamations, { name: 'avis foncière €.pdf' });
  const record = answer.json as { id: string };
  expect(answer.status).toBe(201);
  expect(record).toEqual({
    id: expect.any(String),
    reclamation_id: own.reclamations,
    kind: 'AUTRE',
    filename: 'avis foncière €.pdf',
    file_path: `/api/documents/${record.id}/content`,
    file_size: pdf.length,
    mime_type: 'application/pdf',
    uploaded_at: expect.stringMatching(/Z$/),
    updated_at: expect.stringMatching(/Z$/),
    sha256: createHash('sha256').update(pdf).digest('hex'),
  });
  expect(answer.headers.location).toBe(`/api/documents/${record.id}`);
  const read = await service.ask(`GET ${answer.headers.location ?? ''}`, { token: manager });
  expect([read.status, read.json, read.headers.etag]).toEqual([200, record, answer.headers.etag]);
  const { file_path: path } = read.json as { file_path: string };
  const content = await service.ask(`GET ${path}`, { token: manager });
  expect([content.status, content.text.slice(0, 8)]).toEqual([200, '%PDF-1.4']);
  const list = await service.ask('GET /api/documents?fields=file_path', { token: manager });
  expect(list.json).toContainEqual({ id: record.id, file_path: path });
  const csv = await service.ask('GET /api/documents', { token: manager, headers: { accept: 'text/csv' } });
  expect(csv.text).toContain(`,${path},`);
  const changed = { file_path: 'x' };
  expect((await service.ask(`PUT /api/documents/${record.id}`, { token: manager, body: changed })).status).toBe(200);
  const [row] = await service.sql`select file_path from public.documents where id = ${record.id}`;
  expect(row?.['file_path']).toMatch(/^[0-9a-f]{2}\/[0-9a-f-]{36}$/);
});

test('the type of an uploaded document is detected from its bytes, not from its name or the upload’s header', async () => {
  const record = await attach({ name: 'avis.pdf', type: 'application/pdf', bytes: png });
  expect(record).toMatchObject({ filename: 'avis.pdf', mime_type: 'image/png', file_size: png.length });
});

test.each([
  ['../../x', 'x'],
  ['/etc/passwd', 'passwd'],
  ['C:\\x\\y.pdf', 'y.pdf'],
  ['a/b\\c.pdf', 'c.pdf'],
])('the name %j of an uploaded document is reduced to its last path component %j', async (name, filename) => {
  expect(await attach({ name })).toMatchObject({ filename });
  await expectNoOrphans();
});

test.each(['con', '.partial', 'a"b%.pdf', '…'.repeat(255), '💶'.repeat(255)])(
  'the name %j of an uploaded document is kept, and is not used in the path of the stored content',
  async (name) => {
    const { id } = await attach({ name });
    const { json } = await service.ask(`GET /api/documents/${id}`, { token: manager });
    expect(json).toMatchObject({ filename: name });
    const [row] = await service.admin('select file_path from public.documents where id = $1', [id]);
    expect(row?.['file_path']).toMatch(/^[0-9a-f]{2}\/[0-9a-f-]{36}$/);
    await expectNoOrphans();
  },
);

test('an upload with as many bytes as the configured limit is accepted, and an upload with one byte more is refused', async () => {
  const longest = Buffer.concat([pdf, Buffer.alloc(MAX_BYTES - pdf.length)]);
  expect(await attach({ bytes: longest })).toMatchObject({ file_size: MAX_BYTES });
  const longer = await upload(service, manager, own.reclamations, { bytes: Buffer.concat([longest, Buffer.alloc(1)]) });
  expectError(longer, 'ERROR_PAYLOAD_TOO_LARGE');
  const huge = { 'content-type': FORM, 'content-length': 10 * MAX_BYTES };
  const line = `POST /api/reclamations/${own.reclamations}/documents`;
  const body = form({ bytes: Buffer.alloc(11 * MAX_BYTES) }).subarray(0, 10 * MAX_BYTES);
  expectError(await service.ask(line, { token: manager, headers: huge, body }), 'ERROR_PAYLOAD_TOO_LARGE');
  await expectNoOrphans();
});

test.each([
  { upload: 'with 20 parts without a name', body: Buffer.concat([namelessParts(20), form({})]), field: 'body' },
  { upload: 'with a part header without end', body: headers(20_000), field: 'body' },
  { upload: 'without any part', body: form(), field: 'file' },
  { upload: 'with a second file', body: form({}, {}), field: 'body' },
  { upload: 'with a second file in another field', body: form({}, { field: 'other' }), field: 'body' },
  { upload: 'with the file in another field', body: form({ field: 'attachment' }), field: 'attachment' },
  { upload: 'with the file in the field __proto__', body: form({ field: '__proto__' }), field: '__proto__' },
  { upload: 'with an empty file', body: form({ bytes: '' }), field: 'file' },
  { upload: 'without a file name', body: form({ name: '', type: 'application/octet-stream' }), field: 'file' },
  { upload: 'with an empty file name', body: form({ name: '' }), field: 'body' },
  { upload: 'with a name of 256 characters', body: form({ name: 'x'.repeat(256) }), field: 'file' },
  { upload: 'with a name that is a folder', body: form({ name: 'C:\\x\\' }), field: 'file' },
  { upload: 'with a name that is the folder above', body: form({ name: 'a/..' }), field: 'file' },
  { upload: 'with a blank name', body: form({ name: '  ' }), field: 'file' },
  { upload: 'with a line break in the name', body: form({ name: 'a\r\nb.pdf' }), field: 'file' },
  { upload: 'with a control character in the header', body: form({ name: 'a\x1b.pdf' }), field: 'body' },
  { upload: 'with a NUL in the header', body: form({ name: 'a\0.pdf' }), field: 'body' },
  { upload: 'with a control character in an encoded name', body: encodedName('a%1b.pdf'), field: 'file' },
  { upload: 'with a NUL in an encoded name', body: encodedName('a%00.pdf'), field: 'file' },
  { upload: 'with a name in Latin-1', body: latin1Name(), field: 'file' },
  { upload: 'with a field beside the file', body: Buffer.concat([textField('note'), form({})]), field: 'note' },
  { upload: 'with an unknown kind', body: Buffer.concat([textField('kind', 'FACTURE'), form({})]), field: 'kind' },
  { upload: 'with an empty kind', body: Buffer.concat([textField('kind', ''), form({})]), field: 'kind' },
  { upload: 'with an unknown kind behind the file', body: behind(textField('kind', 'avis')), field: 'kind' },
  { upload: 'with two kinds', body: behind(textField('kind', 'AVIS'), textField('kind', 'AVIS')), field: 'kind' },
  { upload: 'with a kind and no file', body: Buffer.concat([textField('kind', 'AVIS'), form()]), field: 'file' },
  { upload: 'with text in the field of the file', body: Buffer.concat([textField('file'), form({})]), field: 'body' },
  { upload: 'with a text without a name', body: Buffer.concat([textField(), form({})]), field: 'body' },
  { upload: 'that ends within the file', body: form({}).subarray(0, -20), field: 'body' },
  { upload: 'that ends within a header', body: form({}).subarray(0, 40), field: 'body' },
  { upload: 'of no bytes', body: Buffer.alloc(0), field: 'body' },
  { upload: 'that is no form', body: Buffer.from('x'), field: 'body' },
])('an upload $upload gets 400 that names $field, and stores nothing', async ({ body, field }) => {
  expectInvalid(await upload(service, manager, own.reclamations, {}, body), [field]);
  await expectNoOrphans();
});

test.each([
  { media: 'a form with an endless boundary', type: `${FORM}${'x'.repeat(70)}`, code: 'ERROR_VALIDATION' },
  { media: 'a form without a boundary', type: 'multipart/form-data', code: 'ERROR_VALIDATION' },
  { media: 'multipart/mixed', type: FORM.replace('form-data', 'mixed'), code: 'ERROR_UNSUPPORTED_MEDIA_TYPE' },
  { media: 'JSON', type: 'application/json', code: 'ERROR_UNSUPPORTED_MEDIA_TYPE' },
  { media: 'no valid media type', type: 'x', code: 'ERROR_UNSUPPORTED_MEDIA_TYPE' },
] as const)('an upload whose Content-Type is $media gets $code', async ({ type, code }) => {
  const line = `POST /api/reclamations/${own.reclamations}/documents`;
  const answer = await service.ask(line, { token: manager, headers: { 'content-type': type }, body: form({}) });
  expectError(answer, code);
  await expectNoOrphans();
});

test('an upload without a body is refused, with and without a Content-Type', async () => {
  const line = `POST /api/reclamations/${own.reclamations}/documents`;
  expectError(await service.ask(line, { token: manager }), 'ERROR_UNSUPPORTED_MEDIA_TYPE');
  const answer = await service.ask(line, { token: manager, headers: { 'content-type': FORM } });
  expectError(answer, 'ERROR_VALIDATION');
});

test('an HTML file is not uploaded: 415 names the file, and nothing is stored', async () => {
  const answer = await upload(service, manager, own.reclamations, { name: 'x.html', type: 'text/html', bytes: '<p>' });
  expectError(answer, 'ERROR_UNSUPPORTED_MEDIA_TYPE');
  expect(Object.keys(details(answer) as object)).toEqual(['file']);
  await expectNoOrphans();
});

function encodedName(name: string): Buffer {
  return Buffer.from(form({}).toString('latin1').replace('filename="avis.pdf"', `filename*=UTF-8''${name}`), 'latin1');
}

/** Parts of an upload form that lack a Content-Disposition header. */
function namelessParts(count: number): Buffer {
  return Buffer.from(`${BOUNDARY}\r\nX: x\r\n\r\nx\r\n`.repeat(count));
}

function headers(length: number): Buffer {
  return Buffer.from(`${BOUNDARY}\r\nX: ${'x'.repeat(length)}`);
}

function latin1Name(): Buffer {
  return Buffer.from(form({ name: 'é.pdf' }).toString().replace('é', '\xe9'), 'latin1');
}

function textField(name?: string, value = 'x'): Buffer {
  const disposition = name === undefined ? '' : `; name="${name}"`;
  return Buffer.from(`${BOUNDARY}\r\nContent-Disposition: form-data${disposition}\r\n\r\n${value}\r\n`);
}

/** A form with text fields behind its file. */
function behind(...fields: readonly Buffer[]): Buffer {
  const whole = form({});
  const end = whole.lastIndexOf(BOUNDARY);
  return Buffer.concat([whole.subarray(0, end), ...fields, whole.subarray(end)]);
}

describe('the form of an upload may name the kind of the document', () => {
  const kindOf = async (body: Buffer) => {
    const { status, json } = await upload(service, manager, own.reclamations, {}, body);
    return [status, (json as { kind: string }).kind];
  };

  test('a CLIENT names the kind of a document before or after the file in the upload form of FormData', async () => {
    const owner = await service.token('CLIENT', [own.clients]);
    for (const names of [
      ['kind', 'file'],
      ['file', 'kind'],
    ]) {
      const body = new FormData();
      for (const name of names)
        if (name === 'kind') body.append('kind', 'MANDAT');
        else body.append('file', new Blob([new Uint8Array(pdf)], { type: 'application/pdf' }), 'mandat.pdf');
      const answer = await fetch(`http://127.0.0.1:${service.port}/api/reclamations/${own.reclamations}/documents`, {
        ...{ method: 'POST', body },
        headers: { authorization: `Bearer ${owner}` },
      });
      expect([answer.status, await answer.json()]).toMatchObject([201, { kind: 'MANDAT', filename: 'mandat.pdf' }]);
    }
  });

  test.each([
    { program: 'FilePond', fields: [['file', '{}']], kind: 'AUTRE' },
    { program: 'FilePond with metadata', fields: [['file', '{"page":{"number":1}}']], kind: 'AUTRE' },
    {
      ...{ program: 'Uppy', kind: 'AVIS' },
      fields: [
        ['relativePath', 'null'],
        ['name', 'avis.pdf'],
        ['type', 'application/pdf'],
        ['kind', 'AVIS'],
      ],
    },
  ])('the service accepts the upload form that $program sends', async ({ fields, kind }) => {
    const body = Buffer.concat([...fields.map(([name, value]) => textField(name, value)), form({})]);
    expect(await kindOf(body)).toEqual([201, kind]);
    await expectNoOrphans();
  });

  test('an upload that is repeated with its Idempotency-Key makes one document, and with another kind it gets 409', async () => {
    const headers = { 'idempotency-key': randomUUID(), 'content-type': FORM };
    const send = (...fields: readonly Buffer[]) =>
      service.ask(`POST /api/reclamations/${own.reclamations}/documents`, {
        ...{ token: manager, headers, body: Buffer.concat([...fields, form({})]) },
      });
    const first = await send(textField('kind', 'AVIS'));
    expect((await send(textField('kind', 'AVIS'))).json).toEqual(first.json);
    expectError(await send(textField('kind', 'MANDAT')), 'ERROR_CONFLICT', { 'Idempotency-Key': expect.any(String) });
    expectError(await send(), 'ERROR_CONFLICT', { 'Idempotency-Key': expect.any(String) });
    await expectNoOrphans();
  });
});

test('a document is found by the SHA-256 of its content, among those of the caller’s clients', async () => {
  const bytes = (text: string) => Buffer.concat([pdf, Buffer.from(text)]);
  const digest = (text: string) => createHash('sha256').update(bytes(text)).digest('hex');
  const admin = await service.token('ADMIN');
  const one = await attach({ bytes: bytes('one') });
  const again = await attach({ bytes: bytes('one'), name: 'again.pdf' });
  const other = await attach({ bytes: bytes('other') });
  const { json } = await upload(service, admin, foreign.reclamations, { bytes: bytes('one') });
  const foreignId = (json as { id: string }).id;
  const found = async (query: string, token = manager) => {
    const answer = await service.ask(query, { token });
    return (answer.json as { id: string }[]).map(({ id }) => id).toSorted();
  };
  const both = [one.id, again.id].toSorted();
  expect(await found(`GET /api/documents?sha256=${digest('one')}`)).toEqual(both);
  expect(await found(`GET /api/documents?sha256=${digest('one').toUpperCase()}`)).toEqual(both);
  expect(await found(`GET /api/documents?sha256=${digest('none')}`)).toEqual([]);
  expect(await found(`GET /api/documents?sha256=${digest('one')},${digest('other')}`)).toEqual(
    [...both, other.id].toSorted(),
  );
  expect(await found(`GET /api/documents?sha256=${digest('one')}`, admin)).toEqual([...both, foreignId].toSorted());
  expect(await found(`GET /api/documents?sha256=${digest('one')}&q=again&count=exact`)).toEqual([again.id]);
  expect(await found(`GET /api/reclamations/${own.reclamations}/documents?sha256=${digest('one')}`)).toEqual(both);
  const csv = await service.ask(`GET /api/documents?sha256=${digest('one')}`, {
    ...{ token: manager, headers: { accept: 'text/csv' } },
  });
  expect(csv.text.trimEnd().split('\r\n')).toHaveLength(3);
  for (const wrong of ['', digest('one').slice(1), `${digest('one')}0`, `g${digest('one').slice(1)}`])
    expectInvalid(await service.ask(`GET /api/documents?sha256=${wrong}`, { token: manager }), ['sha256']);
});

test.each([
  ['a claim of another tenant', 403, () => foreign.reclamations],
  ['an unknown claim', 404, () => randomUUID()],
] as const)('an upload to %s gets %d before any byte of the file is read', async (_claim, status, id) => {
  const { request, answer } = begin(service, manager, id());
  request.flushHeaders();
  expect((await answer).status).toBe(status);
  request.destroy();
});

describe('a change of a document’s kind and name', () => {
  const change = (id: string, body: object, token = manager, headers = {}) =>
    service.ask(`PUT /api/documents/${id}`, { token, body, headers });

  test('a tax specialist changes the kind and name of a document; the content stays, and the change is audited', async () => {
    const { id, ...before } = await attach({ name: 'scan.pdf' });
    const read = await service.ask(`GET /api/documents/${id}`, { token: manager });
    const version = { 'if-match': String(read.headers.etag) };
    const specialist = await service.token('TAX_SPECIALIST', [own.clients]);
    const named = { kind: 'AVIS', filename: 'avis foncière.pdf' };
    const answer = await change(id, named, specialist, version);
    expect([answer.status, answer.json]).toEqual([200, { id, ...before, ...named, updated_at: expect.any(String) }]);
    expect(answer.headers.etag).not.toBe(read.headers.etag);
    expectError(await change(id, { kind: 'AUTRE' }, specialist, version), 'ERROR_PRECONDITION_FAILED');
    const content = await download(service, manager, id);
    expect(content.bytes).toEqual(pdf);
    expect(content.headers.get('content-disposition')).toMatch(/filename\*=UTF-8''avis%20fonci%C3%A8re\.pdf$/);
    const records = await service.admin(
      `select actor, client_context from public.audit_logs
       where resource_id = $1 and action like 'PUT%' and success`,
      [id],
    );
    expect(records).toEqual([{ actor: 'idp|TAX_SPECIALIST', client_context: own.clients }]);
    const [row] = await service.sql`select kind, filename from app.client_documents where id = ${id}`;
    expect(row).toEqual(named);
  });

  test.each([
    ['kind', 'FACTURE'],
    ['kind', null],
    ['filename', ''],
    ['filename', ' '],
    ['filename', 'x'.repeat(256)],
    ['filename', '../x.pdf'],
    ['filename', 'a\\x.pdf'],
    ['filename', '..'],
    ['filename', 'a\r\nb.pdf'],
    ['filename', 'a\ufffd.pdf'],
  ])('a change of a document’s %s to %j gets 400', async (field, value) => {
    const { id } = await attach();
    expectInvalid(await change(id, { [field]: value }), [field]);
    const { json } = await service.ask(`GET /api/documents/${id}`, { token: manager });
    expect(json).toMatchObject({ kind: 'AUTRE', filename: 'avis.pdf' });
  });

  test('a document that was stored without a SHA-256 digest keeps its kind and name when the service adds the digest', async () => {
    const { id } = await attach();
    await service.admin('update public.documents set sha256 = null where id = $1', [id]);
    await change(id, { kind: 'COURRIER', filename: 'lettre.pdf' });
    await service.admin(`select app.keep_digest($1, sha256('x'))`, [id]);
    const { json } = await service.ask(`GET /api/documents/${id}`, { token: manager });
    expect(json).toMatchObject({ kind: 'COURRIER', filename: 'lettre.pdf' });
  });
});

test('the changes of a document do not show the path in the store, even after a DBA has moved the content', async () => {
  const { id } = await attach();
  const [row] = await service.admin(
    `update public.documents as d set file_path = d.file_path || 'x', filename = 'moved.pdf'
     where id = $1 returning d.file_path`,
    [id],
  );
  const moved = String(row?.['file_path']);
  await rename(join(service.documentFolder, moved.slice(0, -1)), join(service.documentFolder, moved));
  expect((await download(service, manager, id)).bytes).toEqual(pdf);
  const { json } = await service.ask(`GET /api/documents/${id}/changes`, { token: manager });
  expect((json as { field: string }[]).map(({ field }) => field)).toEqual(['filename']);
});

test.each(['reclamations', 'sites', 'clients'] as const)(
  'deleting rows of the table %s through the API also deletes the contents of their documents',
  async (table) => {
    const tenant = await service.tenant('Deleted');
    const admin = await service.token('ADMIN');
    for (const name of ['1.pdf', '2.pdf']) await upload(service, admin, tenant.reclamations, { name });
    const before = await filesIn(service.documentFolder);
    const answer = await service.ask(`DELETE /api/${table}/${tenant[table]}`, { token: admin });
    expect(answer.status).toBe(204);
    // The service answers a DELETE of a record before the document store has deleted the contents of the record’s
    // documents.
    await service.documents.removeDueContents();
    expect((await filesIn(service.documentFolder)).length).toBe(before.length - 2);
    await expectNoOrphans();
  },
);

test('if a DBA deletes rows of documents with SQL, the service’s periodic cleaning deletes the stored files', async () => {
  await attach();
  await service.admin('delete from public.documents where reclamation_id = $1', [own.reclamations]);
  expect(await filesIn(service.documentFolder)).not.toEqual([]);
  await service.documents.removeDueContents();
  await expectNoOrphans();
});
