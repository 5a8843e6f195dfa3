import { describe, expect, test } from '@jest/globals';
import { createHash, randomUUID } from 'node:crypto';
import { pdf, png } from '../support/samples.ts';
import { details, expectError, expectInvalid, expectRefusal, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { begin, download, filesIn, form, FORM, upload } from '../support/upload.ts';
import type { Part } from '../support/upload.ts';

const MAX_BYTES = 100_000;

const service = await forSuite(startService({ documents: { maxBytes: MAX_BYTES } }));
const own = await service.tenant('Own');
const foreign = await service.tenant('Foreign');
const manager = await service.token('ACCOUNT_MANAGER', [own.clients]);

async function attach(part?: Part): Promise<Record<string, unknown> & { id: string }> {
  const answer = await upload(service, manager, own.reclamations, part);
  expect(answer.status).toBe(201);
  return answer.json as Record<string, unknown> & { id: string };
}

/** As many contents as rows of documents, and nothing partial. */
async function expectNothingLoose(): Promise<void> {
  const rows = await service.admin('select file_path from public.documents order by file_path');
  expect(await filesIn(service.documentFolder)).toEqual(rows.map(({ file_path }) => file_path));
}

describe('an upload', () => {
  test('gives the record, without the path of its content, and its address', async () => {
    const answer = await upload(service, manager, own.reclamations, { name: 'avis foncière €.pdf' });
    const record = answer.json as { id: string };
    expect(answer.status).toBe(201);
    expect(record).toEqual({
      id: expect.any(String),
      reclamation_id: own.reclamations,
      kind: 'AUTRE',
      filename: 'avis foncière €.pdf',
      file_size: pdf.length,
      mime_type: 'application/pdf',
      uploaded_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
      sha256: createHash('sha256').update(pdf).digest('hex'),
    });
    expect(answer.headers.location).toBe(`/api/documents/${record.id}`);
    const read = await service.ask(`GET ${answer.headers.location ?? ''}`, { token: manager });
    expect([read.status, read.json, read.headers.etag]).toEqual([200, record, answer.headers.etag]);
  });

  test('takes the type from the bytes, not from the name or the sender', async () => {
    const record = await attach({ name: 'avis.pdf', type: 'application/pdf', bytes: png });
    expect(record).toMatchObject({ filename: 'avis.pdf', mime_type: 'image/png', file_size: png.length });
  });

  test.each([
    ['../../x', 'x'],
    ['/etc/passwd', 'passwd'],
    ['C:\\x\\y.pdf', 'y.pdf'],
    ['a/b\\c.pdf', 'c.pdf'],
  ])('keeps of the name %j its last component, %j', async (name, filename) => {
    expect(await attach({ name })).toMatchObject({ filename });
    await expectNothingLoose();
  });

  test.each(['con', '.partial', 'a"b%.pdf', '…'.repeat(255), '💶'.repeat(255)])(
    'keeps the name %j as it is, and it leads nowhere',
    async (name) => {
      const { id } = await attach({ name });
      const { json } = await service.ask(`GET /api/documents/${id}`, { token: manager });
      expect(json).toMatchObject({ filename: name });
      const [row] = await service.admin('select file_path from public.documents where id = $1', [id]);
      expect(row?.['file_path']).toMatch(/^[0-9a-f]{2}\/[0-9a-f-]{36}$/);
      await expectNothingLoose();
    },
  );

  test('may be as long as the limit, and not a byte longer', async () => {
    const longest = Buffer.concat([pdf, Buffer.alloc(MAX_BYTES - pdf.length)]);
    expect(await attach({ bytes: longest })).toMatchObject({ file_size: MAX_BYTES });
    const longer = await upload(service, manager, own.reclamations, {
      bytes: Buffer.concat([longest, Buffer.alloc(1)]),
    });
    expectError(longer, 'ERROR_PAYLOAD_TOO_LARGE');
    const huge = { 'content-type': FORM, 'content-length': 10 * MAX_BYTES };
    const line = `POST /api/reclamations/${own.reclamations}/documents`;
    const body = form({ bytes: Buffer.alloc(11 * MAX_BYTES) }).subarray(0, 10 * MAX_BYTES);
    expectError(await service.ask(line, { token: manager, headers: huge, body }), 'ERROR_PAYLOAD_TOO_LARGE');
    await expectNothingLoose();
  });

  test.each<[string, Buffer, string]>([
    ['with parts that are no fields', Buffer.concat([nothings(20), form({})]), 'body'],
    ['with a part header without end', headers(20_000), 'body'],
    ['without any part', form(), 'file'],
    ['with a second file', form({}, {}), 'body'],
    ['with a second file of another name', form({}, { field: 'other' }), 'body'],
    ['with the file in another field', form({ field: 'attachment' }), 'attachment'],
    ['with the file in a field named after a prototype', form({ field: '__proto__' }), '__proto__'],
    ['with an empty file', form({ bytes: '' }), 'file'],
    ['with a file without a name', form({ name: '', type: 'application/octet-stream' }), 'file'],
    ['with a file whose name is left empty', form({ name: '' }), 'body'],
    ['with a name of 256 characters', form({ name: 'x'.repeat(256) }), 'file'],
    ['with a name that is a folder', form({ name: 'C:\\x\\' }), 'file'],
    ['with a name that is the folder above', form({ name: 'a/..' }), 'file'],
    ['with a blank name', form({ name: '  ' }), 'file'],
    ['with a line break in the name', form({ name: 'a\r\nb.pdf' }), 'file'],
    ['with a control character in the header', form({ name: 'a\x1b.pdf' }), 'body'],
    ['with a NUL in the header', form({ name: 'a\0.pdf' }), 'body'],
    ['with a control character in an encoded name', encodedName('a%1b.pdf'), 'file'],
    ['with a NUL in an encoded name', encodedName('a%00.pdf'), 'file'],
    ['with a name in Latin-1', Buffer.from(form({ name: 'é.pdf' }).toString().replace('é', '\xe9'), 'latin1'), 'file'],
    ['with a field beside the file', Buffer.concat([field('note'), form({})]), 'body'],
    ['that ends within the file', form({}).subarray(0, -20), 'body'],
    ['that ends within a header', form({}).subarray(0, 40), 'body'],
    ['of nothing', Buffer.alloc(0), 'body'],
    ['that is no form', Buffer.from('x'), 'body'],
  ])('%s is refused by name, and leaves nothing', async (_what, body, name) => {
    expectInvalid(await upload(service, manager, own.reclamations, {}, body), [name]);
    await expectNothingLoose();
  });

  test.each([
    ['a form with an endless boundary', `${FORM}${'x'.repeat(70)}`, 'ERROR_VALIDATION'],
    ['a form without a boundary', 'multipart/form-data', 'ERROR_VALIDATION'],
    ['another multipart', FORM.replace('form-data', 'mixed'), 'ERROR_UNSUPPORTED_MEDIA_TYPE'],
    ['JSON', 'application/json', 'ERROR_UNSUPPORTED_MEDIA_TYPE'],
    ['no media type', 'x', 'ERROR_UNSUPPORTED_MEDIA_TYPE'],
  ] as const)('as %s is refused', async (_what, type, code) => {
    const line = `POST /api/reclamations/${own.reclamations}/documents`;
    const answer = await service.ask(line, {
      token: manager,
      headers: { 'content-type': type },
      body: form({}),
    });
    expectError(answer, code);
    await expectNothingLoose();
  });

  test('without a body is refused', async () => {
    const line = `POST /api/reclamations/${own.reclamations}/documents`;
    expectError(await service.ask(line, { token: manager }), 'ERROR_UNSUPPORTED_MEDIA_TYPE');
    const answer = await service.ask(line, { token: manager, headers: { 'content-type': FORM } });
    expectError(answer, 'ERROR_VALIDATION');
  });

  test('of a type that no document has is refused, and leaves nothing', async () => {
    const answer = await upload(service, manager, own.reclamations, {
      name: 'x.html',
      type: 'text/html',
      bytes: '<p>',
    });
    expectError(answer, 'ERROR_UNSUPPORTED_MEDIA_TYPE');
    expect(Object.keys(details(answer) as object)).toEqual(['file']);
    await expectNothingLoose();
  });

  test('is recorded with its caller and client, and a refused one without a document', async () => {
    const { id } = await attach();
    const records = await service.admin('select * from public.audit_logs where resource_id = $1', [id]);
    expect(records).toEqual([
      expect.objectContaining({
        action: `POST /api/reclamations/${own.reclamations}/documents`,
        actor: 'idp|ACCOUNT_MANAGER',
        client_context: own.clients,
        success: true,
      }),
    ]);
  });
});

function encodedName(name: string): Buffer {
  return Buffer.from(form({}).toString('latin1').replace('filename="avis.pdf"', `filename*=UTF-8''${name}`), 'latin1');
}

/** Parts that say nothing of what they are. */
function nothings(count: number): Buffer {
  const [boundary = ''] = form({}).toString().split('\r\n');
  return Buffer.from(`${boundary}\r\nX: x\r\n\r\nx\r\n`.repeat(count));
}

function headers(length: number): Buffer {
  const [boundary = ''] = form({}).toString().split('\r\n');
  return Buffer.from(`${boundary}\r\nX: ${'x'.repeat(length)}`);
}

function field(name: string): Buffer {
  const [boundary = ''] = form({}).toString().split('\r\n');
  return Buffer.from(`${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nx\r\n`);
}

describe('who may', () => {
  test('delete: everybody but a CLIENT', async () => {
    const { id } = await attach();
    const asClient = await service.token('CLIENT', [own.clients]);
    await expectRefusal(
      service,
      await service.ask(`DELETE /api/documents/${id}`, { token: asClient }),
      'ERROR_FORBIDDEN',
    );
    expect((await download(service, asClient, id)).status).toBe(200);
    const specialist = await service.token('TAX_SPECIALIST', [own.clients]);
    expect((await service.ask(`DELETE /api/documents/${id}`, { token: specialist })).status).toBe(204);
    expectError(await service.ask(`GET /api/documents/${id}`, { token: asClient }), 'ERROR_NOT_FOUND');
    await expectNothingLoose();
  });

  test('not: whoever has no access to the claim, before a byte is taken, audited with its client', async () => {
    const { request, answer } = begin(service, manager, foreign.reclamations);
    request.flushHeaders();
    const { status } = await answer;
    request.destroy();
    expect(status).toBe(403);
    const records = await service.sql`select client_context, resource_type, resource_id from public.audit_logs
      where not success and action = ${`POST /api/reclamations/${foreign.reclamations}/documents`}`;
    expect(records).toEqual([
      { client_context: foreign.clients, resource_type: 'reclamations', resource_id: foreign.reclamations },
    ]);
    const admin = await service.token('ADMIN');
    expect((await upload(service, admin, foreign.reclamations)).status).toBe(201);
  });

  test('not: for a claim that does not exist, before a byte is taken', async () => {
    const { request, answer } = begin(service, manager, randomUUID());
    request.flushHeaders();
    expect((await answer).status).toBe(404);
    request.destroy();
  });
});

describe('the kind and the name', () => {
  const change = (id: string, body: object, token = manager, headers = {}) =>
    service.ask(`PUT /api/documents/${id}`, { token, body, headers });

  test('are changed by the firm’s people, with a version and an audit record, and nothing else is', async () => {
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

  test('are not changed by a CLIENT, who attached the document', async () => {
    const asClient = await service.token('CLIENT', [own.clients]);
    const { json } = await upload(service, asClient, own.reclamations);
    const { id } = json as { id: string };
    await expectRefusal(service, await change(id, { kind: 'AVIS' }, asClient), 'ERROR_FORBIDDEN');
    expect((await change(id, { kind: 'AVIS' })).status).toBe(200);
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
    ['file_path', 'x'],
  ])('%s is never %j', async (field, value) => {
    const { id } = await attach();
    expectInvalid(await change(id, { [field]: value }), [field]);
    const { json } = await service.ask(`GET /api/documents/${id}`, { token: manager });
    expect(json).toMatchObject({ kind: 'AUTRE', filename: 'avis.pdf' });
  });

  test('of a document of before digests stay as they are, when its digest is found', async () => {
    const { id } = await attach();
    await service.admin('update public.documents set sha256 = null where id = $1', [id]);
    await change(id, { kind: 'COURRIER', filename: 'lettre.pdf' });
    await service.admin(`select app.keep_digest($1, sha256('x'))`, [id]);
    const { json } = await service.ask(`GET /api/documents/${id}`, { token: manager });
    expect(json).toMatchObject({ kind: 'COURRIER', filename: 'lettre.pdf' });
  });
});

describe('the list of documents', () => {
  test('is of all claims of the caller’s clients, by kind, words of the name, client, claim and time', async () => {
    const [one, other] = [await service.tenant('Un'), await service.tenant('Deux')];
    const both = await service.token('ACCOUNT_MANAGER', [one.clients, other.clients]);
    const names = [
      [one, 'Avis_taxe-foncière 2024.pdf', 'AVIS'],
      [one, 'mandat.pdf', 'MANDAT'],
      [other, 'avis dégrèvement.pdf', 'DECISION'],
    ] as const;
    for (const [{ reclamations }, name, kind] of names) {
      const { json } = await upload(service, both, reclamations, { name });
      const { id } = json as { id: string };
      expect((await service.ask(`PUT /api/documents/${id}`, { token: both, body: { kind } })).status).toBe(200);
    }
    const found = async (query: string, token = both): Promise<unknown[]> => {
      const answer = await service.ask(`GET /api/documents?sort=uploaded_at&${query}`, { token });
      expect(answer.status).toBe(200);
      return (answer.json as { kind: string }[]).map(({ kind }) => kind);
    };
    expect(await found('')).toEqual(['AVIS', 'MANDAT', 'DECISION']);
    expect(await found('kind=AVIS,DECISION')).toEqual(['AVIS', 'DECISION']);
    expect(await found('q=FONCIERE%20avis')).toEqual(['AVIS']);
    expect(await found('q=avis')).toEqual(['AVIS', 'DECISION']);
    expect(await found('q=%25')).toEqual(['AVIS', 'MANDAT', 'DECISION']);
    expect(await found('q=_tax')).toEqual(['AVIS']);
    expect(await found('q=axe')).toEqual([]);
    expect(await found('q=absent')).toEqual([]);
    expect(await found(`client_id=${other.clients}`)).toEqual(['DECISION']);
    expect(await found(`reclamation_id=${one.reclamations}`)).toEqual(['AVIS', 'MANDAT']);
    expect(await found('created_from=2200-01-01T00:00:00Z')).toEqual([]);
    const stranger = await service.token('CLIENT', [other.clients]);
    expect(await found('', stranger)).toEqual(['DECISION']);
    await expectRefusal(
      service,
      await service.ask(`GET /api/documents?client_id=${one.clients}`, { token: stranger }),
      'ERROR_FORBIDDEN',
      { client_context: one.clients },
    );
  });
});

describe('a deletion', () => {
  test('of a document with another version’s tag changes nothing, and with its own takes the content along', async () => {
    const { id } = await attach();
    const { headers } = await service.ask(`GET /api/documents/${id}`, { token: manager });
    const remove = (tag: string) =>
      service.ask(`DELETE /api/documents/${id}`, { token: manager, headers: { 'if-match': tag } });
    expectError(await remove('"0"'), 'ERROR_PRECONDITION_FAILED');
    expect((await download(service, manager, id)).bytes).toEqual(pdf);
    expect((await remove(String(headers.etag))).status).toBe(204);
    expectError(await remove(String(headers.etag)), 'ERROR_NOT_FOUND');
    await expectNothingLoose();
  });

  test.each(['reclamations', 'sites', 'clients'] as const)('of %s takes the contents along', async (table) => {
    const tenant = await service.tenant('Deleted');
    const admin = await service.token('ADMIN');
    for (const name of ['1.pdf', '2.pdf']) await upload(service, admin, tenant.reclamations, { name });
    const before = await filesIn(service.documentFolder);
    const answer = await service.ask(`DELETE /api/${table}/${tenant[table]}`, { token: admin });
    expect(answer.status).toBe(204);
    // The answer does not wait for the store.
    await service.documents.removeDueContents();
    expect((await filesIn(service.documentFolder)).length).toBe(before.length - 2);
    await expectNothingLoose();
  });

  test('by a DBA takes the content along at the next sweep', async () => {
    await attach();
    await service.admin('delete from public.documents where reclamation_id = $1', [own.reclamations]);
    expect(await filesIn(service.documentFolder)).not.toEqual([]);
    await service.documents.removeDueContents();
    await expectNothingLoose();
  });
});
