import { expect, test } from '@jest/globals';
import type { Answer } from '../support/http.ts';
import { expectError, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { readMigratedRows, readPackageRows } from './package-rows.ts';

/* The INSEE codes that a claim or a parcel may have, and those that the filter commune_code finds together. */

const service = await forSuite(startService());
const own = await service.furnishedTenant('Own');
const token = await service.token('TAX_SPECIALIST', [own.clients]);

const CLAIM = { client_id: own.clients, site_id: own.sites, claim_type: 'TF', amount: 1 };
const createClaim = (commune_code: string | null): Promise<Answer> =>
  service.ask('POST /api/reclamations', { token, body: { ...CLAIM, commune_code } });
const changeClaim = (id: string, body: object): Promise<Answer> =>
  service.ask(`PUT /api/reclamations/${id}`, { token, body });

let parcels = 0;
const createParcel = (commune_code: string): Promise<Answer> =>
  service.ask('POST /api/cadastres', {
    token,
    body: { site_id: own.sites, commune_code, section: 'ZC', number: String((parcels += 1)) },
  });

function idOf(answer: Answer): string {
  expect(answer.status).toBe(201);
  return (answer.json as { id: string }).id;
}

/** Stores a code that the database would refuse, as it was stored before the check. */
async function storeUnchecked(table: string, id: string, code: string): Promise<void> {
  await service.admin(
    `begin; set local session_replication_role = replica;
     update public.${table} set commune_code = '${code}' where id = '${id}'; commit`,
  );
}

test('the table communes has exactly the communes of the package @etalab/decoupage-administratif', async () => {
  const rows = await service.sql`
    select code, concat_ws(';', coalesce(name, ''), coalesce(current_code, ''), coalesce(array_to_string(postal_codes, ' '), '')) as rest
    from public.communes order by code collate "C"`;
  const stored = rows.map(({ code, rest }) => `${String(code)};${String(rest)}`);
  const expected = [...(await readPackageRows())].map(([code, rest]) => `${code};${rest}`);
  expect(stored.length).toBeGreaterThan(38_000);
  expect(stored.filter((line, index) => line !== expected[index]).slice(0, 3)).toEqual([]);
  expect(stored.length).toBe(expected.length);
  expect((await readMigratedRows()).size).toBe(expected.length);
});

test.each([
  ['a commune of Corsica', '2A004'],
  ['Paris as a whole', '75056'],
  ['the first arrondissement of Paris', '75101'],
  ['a merged commune', '01003'],
  ['a delegated commune', '01036'],
  ['a merged commune in another department than its successor', '49144'],
])('a claim and a parcel may have the code of %s (%s)', async (_what, code) => {
  expect((await createClaim(code)).json).toMatchObject({ commune_code: code });
  expect((await createParcel(code)).json).toMatchObject({ commune_code: code });
});

test.each([
  ['75100', 'none has had 75100 since 1976'],
  ['2A999', 'none has had 2A999 since 1976'],
  ['75001', '75001 is the postal code of 75101 (Paris 1er Arrondissement), 75056 (Paris)'],
  ['20090', '20090 is the postal code of 2A004 (Ajaccio)'],
  ['69380', '69380 is the postal code of 69004 (Alix), 69020 (Belmont-d'],
])('no claim and no parcel gets the code %s, and the refusal says that %s', async (code, reason) => {
  const problem = { commune_code: expect.stringContaining(reason) };
  const claim = idOf(await createClaim('75056'));
  for (const answer of [
    await createClaim(code),
    await createParcel(code),
    await changeClaim(claim, { commune_code: code }),
  ])
    expectError(answer, 'ERROR_VALIDATION', problem);
  const parcel = idOf(await createParcel('75056'));
  const changed = await service.ask(`PUT /api/cadastres/${parcel}`, { token, body: { commune_code: code } });
  expectError(changed, 'ERROR_VALIDATION', problem);
  expect((await service.ask(`GET /api/reclamations/${claim}`, { token })).json).toMatchObject({
    commune_code: '75056',
  });
});

test('an import of claims with two unknown commune codes names both lines, and imports none', async () => {
  const codes = ['75056', '75001', '2A004', '99999', '75101'];
  const body = codes.map((commune_code) => ({ ...CLAIM, grounds: 'imported', commune_code }));
  const answer = await service.ask('POST /api/reclamations/import', { token, body });
  expectError(answer, 'ERROR_VALIDATION', {
    '1.commune_code': expect.stringContaining('75001 is the postal code'),
    '3.commune_code': expect.stringContaining('none has had 99999 since 1976'),
  });
  expect(await service.sql`select from public.reclamations where grounds = 'imported'`).toEqual([]);
});

test('a bulk change with an unknown commune code names the change, and changes none', async () => {
  const [one, other] = [idOf(await createClaim('75056')), idOf(await createClaim('75056'))];
  const changes = [
    { id: one, commune_code: '75101' },
    { id: other, commune_code: '99999' },
  ];
  const answer = await service.ask('POST /api/reclamations/changes', { token, body: { changes } });
  expectError(answer, 'ERROR_VALIDATION', { '1.commune_code': expect.stringContaining('99999') });
  expect((await service.ask(`GET /api/reclamations/${one}`, { token })).json).toMatchObject({ commune_code: '75056' });
});

test('a claim or parcel stored with an unknown commune code accepts changes of other fields, and audit.findings counts it', async () => {
  const claim = idOf(await createClaim('75056'));
  const parcel = idOf(await createParcel('75056'));
  await storeUnchecked('reclamations', claim, '99999');
  await storeUnchecked('cadastres', parcel, '99999');
  const findings = async (): Promise<unknown> =>
    service.admin(`select object, detail from audit.findings where object like '%.commune_code' order by 1`);
  expect(await findings()).toEqual(
    ['cadastres', 'reclamations'].map((table) => ({
      ...{ object: `public.${table}.commune_code`, detail: 'rows with a commune_code that no commune has or had: 1' },
    })),
  );
  const whole = (await service.ask(`GET /api/reclamations/${claim}`, { token })).json as object;
  expect((await changeClaim(claim, { ...whole, grounds: 'Autre' })).json).toMatchObject({ grounds: 'Autre' });
  const area = await service.ask(`PUT /api/cadastres/${parcel}`, { token, body: { area_m2: 7 } });
  expect(area.json).toMatchObject({ commune_code: '99999', area_m2: 7 });
  expectError(await changeClaim(claim, { commune_code: '99998' }), 'ERROR_VALIDATION', {
    commune_code: expect.any(String),
  });
  expect((await changeClaim(claim, { commune_code: null })).json).toMatchObject({ commune_code: null });
  expect((await service.ask(`PUT /api/cadastres/${parcel}`, { token, body: { commune_code: '75101' } })).status).toBe(
    200,
  );
  expect(await findings()).toEqual([]);
});

test.each([
  ['75056', ['75056', '75101', '75120']],
  ['75101', ['75056', '75101']],
  ['01165', ['01003', '01165']],
  ['01003', ['01003', '01165']],
  ['75102,13201', ['13055', '13201', '75056']],
  ['99999', ['99999']],
  ['01001', []],
])('the filter commune_code=%s of claims and parcels finds the codes %j', async (filter, found) => {
  const stored = [
    ...['75056', '75101', '75120', '69123', '69381', '69389', '13055', '13201', '13216', '01003', '01165', '2A004'],
  ];
  const site = await service.furnishedTenant(`Filter ${filter}`);
  const theirs = await service.token('TAX_SPECIALIST', [site.clients]);
  await service.admin(
    `begin; set local session_replication_role = replica;
     update public.reclamations set commune_code = null where client_id = '${site.clients}';
     delete from public.cadastres where site_id = '${site.sites}';
     insert into public.reclamations (client_id, site_id, claim_type, amount, commune_code)
     select '${site.clients}', '${site.sites}', 'TF', 1, c.code from unnest('{99999,${stored.join()}}'::text[]) as c (code);
     insert into public.cadastres (site_id, commune_code, section, number)
     select '${site.sites}', c.code, 'AB', '0001' from unnest('{99999,${stored.join()}}'::text[]) as c (code); commit`,
  );
  for (const path of ['/api/reclamations', '/api/cadastres']) {
    const { json } = await service.ask(`GET ${path}?commune_code=${filter}`, { token: theirs });
    expect((json as { commune_code: string }[]).map((row) => row.commune_code).toSorted()).toEqual(found);
  }
  const none = await service.ask(`GET /api/reclamations?commune_code=none,${filter}`, { token: theirs });
  expect((none.json as unknown[]).length).toBeGreaterThan(found.length);
});
