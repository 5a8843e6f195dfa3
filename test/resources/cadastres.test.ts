import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { Answer } from '../support/http.ts';
import { details, expectError, expectRefusal, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

const service = await forSuite(startService());
const own = await service.tenant('Own');
const second = await service.tenant('Second');
const foreign = await service.tenant('Foreign');
const manager = await service.token('ACCOUNT_MANAGER', [own.clients, second.clients]);

const PARCEL = { commune_code: '2A004', section: 'AB', number: '0042' };
let lastNumber = 0;

/** A parcel that no other test has. */
function parcel(site: string, more: object = {}): object {
  lastNumber += 1;
  const number = String(lastNumber).padStart(4, '0');
  return { site_id: site, commune_code: '75056', section: 'ZZ', number, ...more };
}

function create(body: object, token = manager): Promise<Answer> {
  return service.ask('POST /api/cadastres', { token, body });
}

async function made(body: object): Promise<{ id: string; updated_at: string }> {
  const answer = await create(body);
  expect(answer.status).toBe(201);
  return answer.json as { id: string; updated_at: string };
}

async function listed(query: string, token = manager): Promise<string[]> {
  const answer = await service.ask(`GET /api/cadastres?${query}`, { token });
  expect(answer.status).toBe(200);
  return (answer.json as { id: string }[]).map(({ id }) => id);
}

describe('a parcel', () => {
  test('is created with its reference of 14 characters, and amounts of two decimals', async () => {
    const answer = await create({
      ...{ site_id: own.sites, ...PARCEL, area_m2: 320, address: 'Cours Napoléon' },
      ...{ rental_value: '1234.5', reference_year: 2025 },
    });
    const { id } = answer.json as { id: string };
    expect(answer.json).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      site_id: own.sites,
      ...PARCEL,
      prefix: '000',
      reference: '2A004000AB0042',
      area_m2: 320,
      address: 'Cours Napoléon',
      rental_value: 1234.5,
      reference_year: 2025,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    expect(answer.text).toContain('"rental_value":1234.50,');
    expect(answer.headers.location).toBe(`/api/cadastres/${id}`);
    const read = await service.ask(`GET /api/cadastres/${id}`, { token: manager });
    expect([read.json, read.headers.etag]).toEqual([answer.json, answer.headers.etag]);
  });

  test('is unique in its site by its reference, and may lie on two sites', async () => {
    const body = parcel(own.sites);
    await made(body);
    const again = await create(body);
    expectError(again, 'ERROR_CONFLICT');
    expect(details(again)).toEqual({ number: expect.any(String), existing_id: expect.any(String) });
    await made({ ...body, site_id: second.sites });
  });

  test('is changed field by field, and its reference follows; read-only fields sent back are ignored', async () => {
    const { id } = await made(parcel(own.sites, { address: 'Ancienne' }));
    const line = `PUT /api/cadastres/${id}`;
    const before = (await service.ask(`GET /api/cadastres/${id}`, { token: manager })).json as object;
    const body = { ...before, prefix: '123', section: '0C', area_m2: null };
    const answer = await service.ask(line, { token: manager, body });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ prefix: '123', section: '0C', address: 'Ancienne', area_m2: null });
    expect((answer.json as { reference: string }).reference).toMatch(/^750561230C\d{4}$/);
  });

  test('never moves to another site, not even of the same caller', async () => {
    const { id } = await made(parcel(own.sites));
    const move = { token: manager, body: { site_id: second.sites } };
    expectError(await service.ask(`PUT /api/cadastres/${id}`, move), 'ERROR_CONFLICT');
    expect(await listed(`site_id=${own.sites}`)).toContain(id);
  });

  test.each([
    ['commune_code', '2C004'],
    ['commune_code', '7505'],
    ['prefix', '12'],
    ['prefix', null],
    ['section', 'ab'],
    ['section', 'A'],
    ['number', '42'],
    ['number', '٠٠٤٢'],
    ['area_m2', -1],
    ['area_m2', 2_147_483_648],
    ['area_m2', 1.5],
    ['rental_value', '0.001'],
    ['rental_value', '10000000000'],
    ['reference_year', 1899],
    ['site_id', 'nowhere'],
    ['client_id', randomUUID()],
  ])('is refused with %s %j, by the name of the field', async (field, value) => {
    const answer = await create(parcel(own.sites, { [field]: value }));
    expectError(answer, 'ERROR_VALIDATION');
    expect(Object.keys(details(answer) as object)).toEqual([field]);
  });
});

describe('a site that is named for a new parcel', () => {
  test.each(['ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST'] as const)(
    'is refused to %s where it is a foreign client’s, audited with that client; its own people may',
    async (role) => {
      const body = parcel(foreign.sites);
      const answer = await create(body, await service.token(role, [own.clients]));
      const record = await expectRefusal(service, answer, 'ERROR_FORBIDDEN');
      expect(record).toMatchObject({ resource_type: 'cadastres', client_context: foreign.clients });
      expect((await create(body, await service.token(role, [foreign.clients]))).status).toBe(201);
    },
  );

  test.each([
    ['an account manager', 'ACCOUNT_MANAGER', true],
    ['an ADMIN of everything', 'ADMIN', false],
  ] as const)('is 404 for %s where there is none', async (_who, role, hasClient) => {
    const token = await service.token(role, hasClient ? [own.clients] : []);
    const answer = await create(parcel(randomUUID()), token);
    expectError(answer, 'ERROR_NOT_FOUND');
    expect(details(answer)).toEqual({ site_id: expect.any(String) });
  });
});

describe('the list of parcels', () => {
  test('is of the caller’s clients alone, by client, by site, by commune and by text', async () => {
    const [mine, other, theirs] = [
      await made(parcel(own.sites, { commune_code: '13055', address: 'Rue 100 % à part' })),
      await made(parcel(second.sites, { commune_code: '13055' })),
      (await create(parcel(foreign.sites, { commune_code: '13055' }), await service.token('ADMIN'))).json,
    ] as [{ id: string }, { id: string }, { id: string }];
    expect(await listed('commune_code=13055')).toEqual([other.id, mine.id]);
    expect(await listed('commune_code=13055&sort=created_at')).toEqual([mine.id, other.id]);
    expect(await listed(`commune_code=13055&client_id=${own.clients}`)).toEqual([mine.id]);
    expect(await listed(`commune_code=13055&site_id=${second.sites}`)).toEqual([other.id]);
    expect(await listed('q=100%20%25')).toEqual([mine.id]);
    expect(await listed('q=13055000ZZ&sort=reference')).toEqual([mine.id, other.id]);
    expect(
      (await service.ask(`GET /api/cadastres?site_id=${foreign.sites}`, { token: manager })).status,
    ).toBe(403);
    const all = await listed('commune_code=13055', await service.token('ADMIN'));
    expect(all).toEqual([theirs.id, other.id, mine.id]);
  });

  test('is walked page by page, each parcel once, and counted, also by client', async () => {
    const token = await service.token('TAX_SPECIALIST', [own.clients, second.clients]);
    for (const filter of ['', `client_id=${own.clients}&`]) {
      const whole = await listed(filter, token);
      const seen: string[] = [];
      let next = `/api/cadastres?${filter}limit=2&count=exact`;
      while (next !== '') {
        const page = await service.ask(`GET ${next}`, { token });
        expect(page.headers['x-total-count']).toBe(String(whole.length));
        seen.push(...(page.json as { id: string }[]).map(({ id }) => id));
        next = /<(.+)>; rel="next"/.exec(String(page.headers['link']))?.[1] ?? '';
      }
      expect(whole.length).toBeGreaterThan(2);
      expect(seen).toEqual(whole);
    }
  });
});

test('a tax specialist cannot delete a parcel of an assigned client; an account manager can', async () => {
  const { id } = await made(parcel(own.sites));
  const line = `DELETE /api/cadastres/${id}`;
  const specialist = await service.token('TAX_SPECIALIST', [own.clients]);
  await expectRefusal(service, await service.ask(line, { token: specialist }), 'ERROR_FORBIDDEN');
  expect((await service.ask(line, { token: manager })).status).toBe(204);
  expectError(await service.ask(line, { token: manager }), 'ERROR_NOT_FOUND');
});
