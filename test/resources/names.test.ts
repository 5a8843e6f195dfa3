import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { migrate } from '../../src/admin/deploy/migrate.ts';
import { createEmptyDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { expectInvalid, startService } from '../support/service.ts';
import type { Service } from '../support/service.ts';
import { readPages } from './paging.ts';
import { newTenant, tenantSql } from '../support/tenant.ts';

/* This suite tests that lists are sorted by names in human reading order, whatever collation the database has. */

/** Names in the expected order: lower case before upper case, letters without accents before letters with accents. */
const NAMES = [
  ...['3 Fontaines', 'abeille', 'Aéroport', 'Âme', 'Ångström', 'eau', 'Eau', 'ecole', 'École', 'Étoile'],
  ...['L’Île bleue', 'La Poste', 'Łódź', 'Œuvre', 'oie', 'Škoda', 'Strasse', 'Straße', 'Zèbre'],
  ...['Αθήνα', 'Завод', 'アトリエ', '東京'],
];

const LISTS = [
  ['/api/clients', 'company_name'],
  ['/api/sites', 'site_name'],
  ['/api/partners', 'name'],
  ['/api/users', 'name'],
  ['/api/reclamations/{id}/documents', 'filename'],
] as const;

describe.each([
  { order: 'C', locale: `encoding 'UTF8' locale 'C' locale_provider libc` },
  { order: 'Danish (aa after z)', locale: `encoding 'UTF8' locale 'C' locale_provider icu icu_locale 'da'` },
])('the order of names in a database with the collation $order', ({ order, locale }) => {
  let postgres: TestDatabase;
  let service: Service;
  const first = newTenant();
  const clients: string[] = [];
  beforeAll(async () => {
    postgres = await createEmptyDatabase(locale);
    await migrate({ adminUrl: postgres.adminUrl, log: pino({ level: 'silent' }) });
    service = await startService({ postgres });
    // Inserts the test’s names in an order that is neither the expected sort order nor its reverse.
    for (const [index, name] of NAMES.toSorted((a, b) => a.length - b.length).entries()) {
      const tenant = index === 0 ? first : newTenant();
      clients.push(tenant.clients);
      await service.admin(`${tenantSql(tenant, name)}
        update public.sites set site_name = '${name}' where id = '${tenant.sites}';
        insert into public.partners (id, name) values ('${tenant.partners}', '${name}');
        insert into public.client_partners (client_id, partner_id) values ('${tenant.clients}', '${tenant.partners}');
        insert into public.documents (reclamation_id, filename, file_path) values ('${first.reclamations}', '${name}', gen_random_uuid());
        insert into public.users (email, password_hash, name, role, client_access)
        values (gen_random_uuid() || '@b.example', '!', '${name}', 'TAX_SPECIALIST', array['${first.clients}']::uuid[])`);
    }
  });
  afterAll(async () => {
    await service.close();
    await postgres.close();
  });

  /** Reads a list in pages of one record, and returns the given field of all records. */
  async function valuesOf(line: string, name: string, token: string): Promise<unknown[]> {
    const pages = await readPages(service, `${line}limit=1`, token);
    return pages.flatMap(({ json }) => (json as Record<string, string>[]).map((row) => row[name]));
  }

  test.each(LISTS)(
    `the list %s sorted by %s has the names in human reading order, on a database with the collation ${order}`,
    async (path, field) => {
      const line = `${path.replace('{id}', first.reclamations)}?sort=`;
      for (const token of [await service.token('ADMIN'), await service.token('ACCOUNT_MANAGER', clients)]) {
        expect(await valuesOf(`${line}${field}&`, field, token)).toEqual(NAMES);
        expect(await valuesOf(`${line}-${field}&`, field, token)).toEqual(NAMES.toReversed());
      }
    },
  );

  test(`the assignees of a client are sorted in human reading order, on a database with the collation ${order}`, async () => {
    const token = await service.token('ACCOUNT_MANAGER', clients);
    expect(await valuesOf(`/api/clients/${first.clients}/assignees?`, 'name', token)).toEqual(NAMES);
  });

  test.each([...LISTS, ['/api/clients/{id}/assignees', 'name'] as const])(
    'the list %s sorted by %s refuses a page cursor of the previous release with 400, because the next page would miss records',
    async (path, field) => {
      const isList = !path.endsWith('assignees');
      const table = path.split('/').at(-1) ?? '';
      const cursor = [table, ...(isList ? [field] : []), NAMES[3], first.clients];
      const after = Buffer.from(JSON.stringify(cursor)).toString('base64url');
      const at = path.replace('{id}', isList ? first.reclamations : first.clients);
      const answer = await service.ask(`GET ${at}?${isList ? `sort=${field}&` : ''}after=${after}`, {
        token: await service.token('ADMIN'),
      });
      expectInvalid(answer, ['after']);
    },
  );
});
