import { readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { once } from 'node:events';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createFolderStore } from '../../src/documents/folder-store.ts';
import { openUploads } from '../../src/documents/uploads.ts';
import { pdf } from '../support/samples.ts';
import { createScratchFolder } from '../support/scratch.ts';
import { expectError, startService } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { begin, download, filesIn, frame, until, upload } from '../support/upload.ts';

/*
 * These tests check that a document’s content and row appear and disappear together. The slow tests in test/faults
 * check the same with broken disks, S3 and Postgres.
 */

const MIB = 1024 * 1024;

let own: Tenant;

const service = await forSuite(startService());
const token = await service.token('ADMIN');

async function expectNothing(of: Tenant = own): Promise<void> {
  const rows = await service.sql`select from public.documents where reclamation_id = ${of.reclamations}`;
  expect(rows).toEqual([]);
  // The test waits for an empty store, because the service answers before the content is removed.
  await until(async () => (await filesIn(service.documentFolder)).length === 0);
}

/** Expects that an upload, its download and its deletion succeed after the failure that the test caused has ended. */
async function expectTaken(): Promise<void> {
  const answer = await upload(service, token, own.reclamations);
  expect(answer.status).toBe(201);
  const { id } = answer.json as { id: string };
  expect((await download(service, token, id)).bytes).toEqual(pdf);
  expect((await service.ask(`DELETE /api/documents/${id}`, { token })).status).toBe(204);
}

const planned = () => service.admin('select file_path from app.content_removals');

describe('an upload stores the row and the content of a document, or neither', () => {
  beforeAll(async () => {
    own = await service.tenant('Own');
  });
  afterEach(async () => {
    await expectNothing();
    await service.admin('delete from app.content_removals');
  });

  test('an upload is written to the disk while it arrives, and never held whole in memory', async () => {
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
      // The test sends the next piece when the file on disk has all earlier pieces except the last 1 MiB.
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

  test('an upload whose database row is refused by a constraint leaves no document and no stored content', async () => {
    await service.admin(`alter table public.documents add constraint trial check (filename <> 'refused.pdf')`);
    const answer = await upload(service, token, own.reclamations, { name: 'refused.pdf' });
    expectError(answer, 'ERROR_VALIDATION');
    await expectNothing();
    await service.admin('alter table public.documents drop constraint trial');
    expect(await planned()).toEqual([]);
    await expectTaken();
  });

  test.each(['ADMIN', 'CLIENT'] as const)(
    'an upload by %s to a claim that is deleted during the upload gets 404, and its content is not kept',
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

  test('the contents of twelve simultaneous uploads are not kept if their claim is deleted during the uploads', async () => {
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

describe('the service removes stored contents that no document has', () => {
  const place = async (path: string, dueIn: string): Promise<void> => {
    const source = join(service.documentFolder, '.partial', 'source');
    await writeFile(source, pdf);
    await createFolderStore(service.documentFolder).put(path, source);
    await service.admin(`insert into app.content_removals values ($1, now() + $2::interval)`, [path, dueIn]);
  };

  test('a stored content without a document is removed once its removal is due, and not before', async () => {
    await place('aa/due', '-1 second');
    await place('aa/later', '1 minute');
    await service.documents.removeDueContents();
    expect(await filesIn(service.documentFolder)).toEqual(['aa/later']);
    await service.admin(`update app.content_removals set due_at = now()`);
    await service.documents.removeDueContents();
    expect(await filesIn(service.documentFolder)).toEqual([]);
  });

  test('the removal of a document’s content stays planned while the store is unreachable, and happens afterwards', async () => {
    await place('aa/away', '-1 second');
    await rename(service.documentFolder, `${service.documentFolder}.away`);
    await service.documents.removeDueContents();
    expect(await planned()).toEqual([{ file_path: 'aa/away' }]);
    await rename(`${service.documentFolder}.away`, service.documentFolder);
    await service.documents.removeDueContents();
    expect([await planned(), await filesIn(service.documentFolder)]).toEqual([[], []]);
  });

  test('the content of an existing document is kept, even if the removal of this content is planned', async () => {
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

  test('each document’s content is removed after TRUNCATE of the documents, and after a cascade that deletes 250 documents', async () => {
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

test('the file of an unfinished upload is removed after an hour, and the file of a younger upload is kept', async () => {
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
