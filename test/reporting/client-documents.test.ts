import { beforeEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { migrate } from '../../src/admin/deploy/migrate.ts';
import { FIXTURE, idOf } from '../policies/fixture.ts';
import { connected, createTestDatabase, withAdmin } from '../support/database.ts';
import { createReportingLogin } from '../support/reporting-login.ts';
import { createDatabaseBefore } from '../support/release-before.ts';
import { forSuite } from '../support/suite.ts';

const A = idOf('a', 'clients');
const B = idOf('b', 'clients');
const CLAIM_A = idOf('a', 'reclamations');
const CLAIM_B = idOf('b', 'reclamations');

/** A query of the documents in which public.documents and its copy app.client_documents differ. */
const DIFFERENCES = `
  with documents as (
    select d.id, r.client_id, d.reclamation_id, d.filename, d.file_size, d.mime_type, d.uploaded_at
    from public.documents as d
    join public.reclamations as r on r.id = d.reclamation_id
  ), copies as (
    select id, client_id, reclamation_id, filename, file_size, mime_type, uploaded_at from app.client_documents
  )
  (table documents except table copies) union all (table copies except table documents)`;

const database = await forSuite(createTestDatabase());
const login = await forSuite(createReportingLogin(database));
await withAdmin(database.adminUrl, (admin) => admin.query(FIXTURE));
const superuser = await forSuite(connected(database.adminUrl));
const tool = await forSuite(connected(login.url));
await superuser.query('select reporting.grant_client($1, $2)', [login.name, A]);

describe('app.client_documents, the copy of the documents that reporting logins read', () => {
  beforeEach(async () => {
    await superuser.query('delete from public.documents');
  });

  const attach = async (name: string, claim = CLAIM_A): Promise<string> => {
    const { rows } = await superuser.query<{ id: string }>(
      `insert into public.documents (reclamation_id, filename, file_path, file_size, mime_type)
       values ($1, $2, 'made/' || gen_random_uuid(), 7, 'application/pdf') returning id`,
      [claim, name],
    );
    return rows[0]?.id ?? '';
  };
  const visibleDocuments = async (): Promise<string[]> =>
    (await tool.query<{ filename: string }>('select filename from reporting.documents order by filename')).rows.map(
      ({ filename }) => filename,
    );
  const differences = async (): Promise<unknown[]> =>
    (await superuser.query<Record<string, unknown>>(DIFFERENCES)).rows;
  const count = async (): Promise<number | undefined> =>
    (await superuser.query<{ n: number }>('select count(*)::integer as n from app.client_documents')).rows[0]?.n;

  test('a reporting login reads a document of its client from the upload to the deletion, and no document of another client', async () => {
    const id = await attach('notice.pdf');
    await attach('foreign.pdf', CLAIM_B);
    expect(await visibleDocuments()).toEqual(['notice.pdf']);
    expect(await count()).toBe(2);
    await superuser.query('delete from public.documents where id = $1', [id]);
    expect(await visibleDocuments()).toEqual([]);
    expect(await differences()).toEqual([]);
  });

  test('a reporting login reads a document’s new filename, and no longer reads a document that moved to another tenant’s client', async () => {
    const id = await attach('notice.pdf');
    await superuser.query(`update public.documents set filename = 'renamed.pdf', file_size = null where id = $1`, [id]);
    expect(await visibleDocuments()).toEqual(['renamed.pdf']);
    await superuser.query('update public.documents set reclamation_id = $2 where id = $1', [id, CLAIM_B]);
    expect(await visibleDocuments()).toEqual([]);
    expect(await count()).toBe(1);
    expect(await differences()).toEqual([]);
  });

  test.each(['reclamations', 'sites', 'clients'] as const)(
    'the deletion of a row of %s also deletes the row’s documents from app.client_documents, the copy for reporting logins',
    async (table) => {
      await attach('foreign.pdf', CLAIM_B);
      await attach('notice.pdf');
      await superuser.query('begin');
      await superuser.query(`delete from public.${table} where id = $1`, [idOf('a', table)]);
      expect(await count()).toBe(1);
      expect(await differences()).toEqual([]);
      await superuser.query('rollback');
      expect(await visibleDocuments()).toEqual(['notice.pdf']);
    },
  );

  test('a TRUNCATE of public.documents empties app.client_documents', async () => {
    await attach('notice.pdf');
    await superuser.query('truncate public.documents cascade');
    expect(await count()).toBe(0);
    expect(await visibleDocuments()).toEqual([]);
  });

  test.each([
    ['insert', `insert into app.client_documents select * from app.client_documents`],
    ['move to another client', `update app.client_documents set client_id = '${B}'`],
    ['change', `update app.client_documents set filename = 'x'`],
    ['delete', 'delete from app.client_documents'],
    ['truncate', 'truncate app.client_documents'],
  ])('not even a superuser can %s rows of app.client_documents directly', async (_what, sql) => {
    await attach('notice.pdf');
    await expect(superuser.query(sql)).rejects.toMatchObject({
      code: '42501',
      message: 'app.client_documents is a copy: change public.documents instead',
    });
    expect(await differences()).toEqual([]);
    expect(await count()).toBe(1);
  });

  test('foreign keys keep app.client_documents equal to public.documents even if a DBA disables the trigger of the copy', async () => {
    await attach('notice.pdf');
    await superuser.query(
      'begin; alter table app.client_documents disable trigger client_documents_refuse_direct_write',
    );
    await expect(superuser.query(`update app.client_documents set client_id = '${B}'`)).rejects.toMatchObject({
      code: '23503',
      constraint: 'client_documents_reclamation_of_client',
    });
    await superuser.query('rollback');
    await superuser.query(
      'begin; alter table app.client_documents disable trigger client_documents_refuse_direct_write',
    );
    await expect(superuser.query('update app.client_documents set id = gen_random_uuid()')).rejects.toMatchObject({
      code: '23503',
      constraint: 'client_documents_document',
    });
    await superuser.query('rollback');
  });

  test('after simultaneous uploads and deletions, app.client_documents is still an exact copy of public.documents', async () => {
    const lanes = await Promise.all(Array.from({ length: 8 }, () => connected(database.adminUrl)));
    try {
      await Promise.all(
        lanes.map(async (lane, number) => {
          for (let turn = 0; turn < 12; turn += 1) {
            await lane.query(`insert into public.documents (reclamation_id, filename, file_path) values ($1, $2, $3)`, [
              number % 2 === 0 ? CLAIM_A : CLAIM_B,
              `${number}-${turn}`,
              `lane/${number}/${turn}`,
            ]);
            // Several sessions delete documents at once, so another session has possibly deleted some of these
            // documents already.
            if (turn % 3 === 2) {
              await lane.query(
                `delete from public.documents where id in (select id from public.documents order by id limit 2)`,
              );
            }
          }
        }),
      );
    } finally {
      await Promise.all(lanes.map((lane) => lane.end()));
    }
    expect(await count()).toBeGreaterThan(0);
    expect(await differences()).toEqual([]);
  });

  test('db:migrate copies the documents of an older release into app.client_documents', async () => {
    const earlier = await createDatabaseBefore('0020');
    const { adminUrl } = earlier;
    await withAdmin(adminUrl, async (admin) => {
      await admin.query(
        `insert into public.clients (id, company_name, contact_email) values ('${A}', 'Firm a', 'a@example.org');
         insert into public.sites (id, client_id, site_name) values ('${A}', '${A}', 'Site a');
         insert into public.reclamations (id, client_id, site_id, claim_type, amount) values ('${CLAIM_A}', '${A}', '${A}', 'TF', 100);
         insert into public.documents (reclamation_id, filename, file_path)
         values ('${CLAIM_A}', 'one.pdf', 'made/one'), ('${CLAIM_A}', 'two.pdf', 'made/two')`,
      );
      await migrate({ adminUrl, log: pino({ level: 'silent' }) });
      expect((await admin.query('select from app.client_documents')).rowCount).toBe(2);
      expect((await admin.query(DIFFERENCES)).rows).toEqual([]);
    });
    await earlier.close();
  });
});
