import { readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { once } from 'node:events';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import S3rver from 's3rver';
import { createFolderStore } from '../../src/documents/folder-store.ts';
import { openUploads } from '../../src/documents/uploads.ts';
import { withAdmin } from '../support/database.ts';
import { pdf } from '../support/samples.ts';
import { createScratchFolder } from '../support/scratch.ts';
import { expectError, startService } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { begin, download, filesIn, frame, until, upload } from '../support/upload.ts';

/* Content and row appear and disappear together, whatever fails in between. */

const MIB = 1024 * 1024;

let own: Tenant;

const service = await forSuite(startService());
const token = await service.token('ADMIN');

async function expectNothing(of: Tenant = own): Promise<void> {
  const rows = await service.sql`select from public.documents where reclamation_id = ${of.reclamations}`;
  expect(rows).toEqual([]);
  // Nobody is kept waiting while the store loses a content.
  await until(async () => (await filesIn(service.documentFolder)).length === 0);
}

/** The counter-proof: what was refused is taken once nothing fails any more. */
async function expectTaken(): Promise<void> {
  const answer = await upload(service, token, own.reclamations);
  expect(answer.status).toBe(201);
  const { id } = answer.json as { id: string };
  expect((await download(service, token, id)).bytes).toEqual(pdf);
  expect((await service.ask(`DELETE /api/documents/${id}`, { token })).status).toBe(204);
}

const planned = () => service.admin('select file_path from app.content_removals');

describe('an upload', () => {
  beforeAll(async () => {
    own = await service.tenant('Own');
  });
  afterEach(async () => {
    await expectNothing();
    await service.admin('delete from app.content_removals');
  });

  test('lies on the disk while it still comes: it is never held whole', async () => {
    const { request, answer } = begin(service, token, own.reclamations);
    const { head, tail } = frame();
    const size = 24 * MIB;
    const partial = join(service.documentFolder, '.partial');
    request.write(head);
    request.write(pdf);
    let sent = pdf.length;
    while (sent < size) {
      const piece = Buffer.alloc(Math.min(4 * MIB, size - sent));
      sent += piece.length;
      if (!request.write(piece)) await once(request, 'drain');
      // Nothing more is sent before what was sent is written, up to what streams hold back on the way.
      await until(async () => {
        const [name] = await readdir(partial);
        return name !== undefined && (await stat(join(partial, name))).size > sent - MIB;
      });
    }
    request.end(tail);
    const { status, json } = await answer;
    expect([status, (json as { file_size: number }).file_size]).toEqual([201, size]);
    expect(await readdir(partial)).toEqual([]);
    await service.ask(`DELETE /api/documents/${(json as { id: string }).id}`, { token });
  });

  test('whose caller hangs up within the file leaves nothing, and the service goes on', async () => {
    const { request } = begin(service, token, own.reclamations);
    request.on('error', () => undefined);
    request.write(frame().head);
    request.write(Buffer.alloc(MIB));
    await until(async () => (await filesIn(service.documentFolder)).length === 1);
    request.destroy();
    await until(async () => (await filesIn(service.documentFolder)).length === 0);
    await expectTaken();
  });

  test('to a store whose folder cannot take it is 503 and leaves nothing', async () => {
    // In the place of each folder that the store might make, a file.
    const names = Array.from({ length: 256 }, (_, number) => number.toString(16).padStart(2, '0'));
    await rename(service.documentFolder, `${service.documentFolder}.away`);
    await openUploads(join(service.documentFolder, '.partial'));
    for (const name of names) await writeFile(join(service.documentFolder, name), '');
    const answer = await upload(service, token, own.reclamations);
    expectError(answer, 'ERROR_UNAVAILABLE');
    expect(await readdir(join(service.documentFolder, '.partial'))).toEqual([]);
    await rm(service.documentFolder, { recursive: true });
    await rename(`${service.documentFolder}.away`, service.documentFolder);
    await expectTaken();
  });

  test('whose row the database refuses leaves nothing', async () => {
    await service.admin(`alter table public.documents add constraint trial check (filename <> 'refused.pdf')`);
    const answer = await upload(service, token, own.reclamations, { name: 'refused.pdf' });
    expectError(answer, 'ERROR_VALIDATION');
    await expectNothing();
    await service.admin('alter table public.documents drop constraint trial');
    expect(await planned()).toEqual([]);
    await expectTaken();
  });

  test.each(['ADMIN', 'CLIENT'] as const)(
    'by %s to a claim that is deleted meanwhile is 404 and leaves nothing',
    async (role) => {
      const gone = await service.tenant('Gone');
      const caller = await service.token(role, role === 'ADMIN' ? [] : [gone.clients]);
      const { request, answer } = begin(service, caller, gone.reclamations);
      request.write(Buffer.concat([frame().head, pdf]));
      await until(async () => (await filesIn(service.documentFolder)).length === 1);
      await service.admin('delete from public.reclamations where id = $1', [gone.reclamations]);
      request.end(frame().tail);
      expect((await answer).status).toBe(404);
      await expectNothing(gone);
    },
  );

  test('whose connection to the database is killed within the insert is 503, and its content goes with the sweep', async () => {
    await withAdmin(service.postgres.adminUrl, async (admin) => {
      await admin.query('begin');
      await admin.query('lock table public.documents in share mode');
      const answering = upload(service, token, own.reclamations);
      const waiting = `select pid from pg_stat_activity where wait_event_type = 'Lock' and query like '%insert into public.documents%' and datname = current_database()`;
      await until(async () => (await service.admin(waiting)).length === 1);
      expect(await filesIn(service.documentFolder)).toHaveLength(1);
      await service.admin(`select pg_terminate_backend(pid) from (${waiting}) as w`);
      expectError(await answering, 'ERROR_UNAVAILABLE');
      await admin.query('rollback');
    });
    // It is not known whether the row was committed: for an hour the content stays, as is planned.
    await service.documents.removeDueContents();
    const [file] = await filesIn(service.documentFolder);
    expect(await planned()).toContainEqual({ file_path: file });
    await service.admin(`update app.content_removals set due_at = now() - interval '1 second'`);
    await service.documents.removeDueContents();
    expect(await planned()).toEqual([]);
    await expectNothing();
    await expectTaken();
  });

  test('that finds no database when its file has come is 503 and leaves nothing', async () => {
    const { request, answer } = begin(service, token, own.reclamations);
    request.write(Buffer.concat([frame().head, pdf]));
    await until(async () => (await filesIn(service.documentFolder)).length === 1);
    const { name } = service.postgres;
    await service.admin(`revoke connect on database ${name} from taxclaims_api`);
    await service.sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = ${name} and application_name like 'taxclaims-api%'`;
    request.end(frame().tail);
    const { status } = await answer;
    await service.admin(`grant connect on database ${name} to taxclaims_api`);
    expect(status).toBe(503);
    await expectNothing();
    await expectTaken();
  });

  test('of many at once, while their claim is deleted, leaves no content behind', async () => {
    const busy = await service.tenant('Busy');
    const uploads = Array.from({ length: 12 }, () => upload(service, token, busy.reclamations));
    await Promise.race(uploads);
    await service.ask(`DELETE /api/reclamations/${busy.reclamations}`, { token });
    const statuses = new Set((await Promise.all(uploads)).map(({ status }) => status));
    expect([...statuses].filter((status) => status !== 201 && status !== 404)).toEqual([]);
    await service.documents.removeDueContents();
    await expectNothing(busy);
  });
});

describe('a content without a document', () => {
  const place = async (path: string, dueIn: string): Promise<void> => {
    const source = join(service.documentFolder, '.partial', 'source');
    await writeFile(source, pdf);
    await createFolderStore(service.documentFolder).put(path, source);
    await service.admin(`insert into app.content_removals values ($1, now() + $2::interval)`, [path, dueIn]);
  };

  test('is removed once it is due, and not before', async () => {
    await place('aa/due', '-1 second');
    await place('aa/later', '1 minute');
    await service.documents.removeDueContents();
    expect(await filesIn(service.documentFolder)).toEqual(['aa/later']);
    await service.admin(`update app.content_removals set due_at = now()`);
    await service.documents.removeDueContents();
    expect(await filesIn(service.documentFolder)).toEqual([]);
  });

  test('stays planned while the store is out of reach, and goes when it is back', async () => {
    await place('aa/away', '-1 second');
    await rename(service.documentFolder, `${service.documentFolder}.away`);
    await service.documents.removeDueContents();
    expect(await planned()).toEqual([{ file_path: 'aa/away' }]);
    await rename(`${service.documentFolder}.away`, service.documentFolder);
    await service.documents.removeDueContents();
    expect([await planned(), await filesIn(service.documentFolder)]).toEqual([[], []]);
  });

  test('is none as long as a document has it, whatever is planned', async () => {
    const tenant = await service.tenant('Planned');
    const { json } = await upload(service, token, tenant.reclamations);
    const [content] = await filesIn(service.documentFolder);
    await service.admin(`insert into app.content_removals values ($1, '-infinity')`, [content]);
    await service.documents.removeDueContents();
    expect(await filesIn(service.documentFolder)).toEqual([content]);
    await service.ask(`DELETE /api/documents/${(json as { id: string }).id}`, { token });
    await service.documents.removeDueContents();
    expect(await filesIn(service.documentFolder)).toEqual([]);
  });

  test('is what a truncate leaves, and a large cascade, and all of it goes', async () => {
    const tenant = await service.tenant('Large');
    await Promise.all(Array.from({ length: 8 }, () => upload(service, token, tenant.reclamations)));
    await service.admin('truncate public.documents cascade');
    await service.documents.removeDueContents();
    expect(await filesIn(service.documentFolder)).toEqual([]);
    await service.sql`insert into public.documents (reclamation_id, filename, file_path) select ${tenant.reclamations}, 'x', 'cc/' || n
      from generate_series(1, 250) as n`;
    for (let number = 1; number <= 250; number += 50) await place(`cc/${number}`, '1 hour');
    await service.admin('delete from app.content_removals');
    expect(await filesIn(service.documentFolder)).toHaveLength(5);
    expect((await service.ask(`DELETE /api/clients/${tenant.clients}`, { token })).status).toBe(204);
    await until(async () => (await planned()).length === 0);
    expect(await filesIn(service.documentFolder)).toEqual([]);
  });
});

test('what a crash left half-written is removed after an hour, and nothing that is being written', async () => {
  const folder = await createScratchFolder();
  const spool = await openUploads(folder);
  const hours = (count: number) => new Date(Date.now() - count * 3_600_000);
  for (const [name, age] of [
    ['old', 1.1],
    ['young', 0.9],
  ] as const) {
    await writeFile(join(folder, name), 'x');
    await utimes(join(folder, name), hours(age), hours(age));
  }
  await spool.removeAbandoned();
  expect(await readdir(folder)).toEqual(['young']);
  await rm(folder, { recursive: true });
});

test('with its store in S3 the service does the same, and is 503 while that is out of reach', async () => {
  const directory = await createScratchFolder();
  const options = {
    address: '127.0.0.1',
    silent: true,
    configureBuckets: [{ name: 'documents' }],
    directory,
  };
  const server = new S3rver({ ...options, port: 0 });
  const { port } = await server.run();
  const remote = await startService({
    documents: {
      store: { kind: 's3', bucket: 'documents', prefix: 'claims' },
      endpoint: `http://127.0.0.1:${port}`,
      s3Access: { region: 'eu-west-3', credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' } },
    },
  });
  try {
    const tenant = await remote.tenant('Remote');
    const admin = await remote.token('ADMIN');
    const large = Buffer.concat([pdf, Buffer.alloc(6 * MIB, 'x')]);
    const answer = await upload(remote, admin, tenant.reclamations, { bytes: large });
    expect(answer.status).toBe(201);
    const { id } = answer.json as { id: string };
    expect((await download(remote, admin, id)).bytes.equals(large)).toBe(true);
    const part = await download(remote, admin, id, { range: 'bytes=0-3' });
    expect([part.status, part.bytes.toString()]).toEqual([206, '%PDF']);
    expect((await filesIn(directory)).filter((name) => name.includes('claims/'))).not.toEqual([]);
    await server.close();
    expect((await download(remote, admin, id)).status).toBe(503);
    expectError(await upload(remote, admin, tenant.reclamations), 'ERROR_UNAVAILABLE');
    const again = new S3rver({ ...options, port });
    await again.run();
    expect((await remote.ask(`DELETE /api/documents/${id}`, { token: admin })).status).toBe(204);
    await remote.documents.removeDueContents();
    expect((await filesIn(directory)).filter((name) => name.includes('claims/'))).toEqual([]);
    await again.close();
  } finally {
    await remote.close();
    await rm(directory, { recursive: true });
  }
});
