import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer, Question } from '../support/http.ts';
import { make } from '../support/rows.ts';
import { details, expectError, expectRefusal, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

/* This suite tests imports of many records: all records are stored or none, and errors name the line and field. */

const NOBODY = '11111111-1111-4111-8111-111111111111';
const ASSIGNEE = 'must be an active user with access to the client';
const CSV = 'text/csv';

const service = await forSuite(startService());
const own = await service.furnishedTenant('Boulangerie Martin');
const other = await service.furnishedTenant('Garage Petit');
const foreign = await service.furnishedTenant('Hôtels Belle Rive');
const token = await service.token('TAX_SPECIALIST', [own.clients, other.clients]);

function post(path: string, body: string | Buffer | object, more: Question = {}): Promise<Answer> {
  const isJson = typeof body === 'object' && !Buffer.isBuffer(body);
  const headers = { 'content-type': isJson ? 'application/json' : CSV, ...more.headers };
  return service.ask(`POST ${path}`, { token, ...more, headers, body });
}

const importSites = (body: string | Buffer | object, more?: Question) => post('/api/sites/import', body, more);
const importClaims = (body: string | Buffer | object, more?: Question) => post('/api/reclamations/import', body, more);

const lines = (...all: readonly string[]): string => all.map((line) => `${line}\r\n`).join('');

async function count(table = 'sites', client = own.clients): Promise<number> {
  const [found] = await service.admin(
    `select count(*)::int as count from public.${table}
     where ${table === 'audit_logs' ? 'client_context' : 'client_id'} = $1`,
    [client],
  );
  return Number(found?.['count']);
}

function idsOf({ json }: Answer): string[] {
  return (json as { ids: string[] }).ids;
}

describe('an import that succeeds', () => {
  test('a CSV import creates every record, returns the records’ ids in order, and audits each record', async () => {
    const before = await count();
    const answer = await importSites(
      lines(
        'site_name,client_id,address',
        `A,${own.clients},"Rue, 1\nLyon"`,
        `B,${own.clients},`,
        `C,${other.clients},x`,
      ),
    );
    const ids = idsOf(answer);
    expect([answer.status, answer.json]).toEqual([201, { imported: 3, ids }]);
    expect(answer.headers.location).toBe(`/api/sites/${String(ids[0])}`);
    expect(await count()).toBe(before + 2);
    const read = await Promise.all(ids.map((id) => service.ask(`GET /api/sites/${id}`, { token })));
    expect(read.map(({ json }) => json)).toMatchObject([
      { client_id: own.clients, site_name: 'A', address: 'Rue, 1\nLyon' },
      { client_id: own.clients, site_name: 'B', address: null },
      { client_id: other.clients, site_name: 'C', address: 'x' },
    ]);
    const records = await service.sql`select resource_type, resource_id, client_context, success from public.audit_logs
     where request_id = ${answer.headers['x-request-id']} order by created_at`;
    expect(records.map(({ resource_id }) => resource_id)).toEqual(ids);
    expect(new Set(records.map(({ success, resource_type }) => `${String(success)} ${String(resource_type)}`))).toEqual(
      new Set(['true sites']),
    );
  });

  test('an import also accepts a JSON array', async () => {
    const answer = await importClaims([
      { client_id: own.clients, site_id: own.sites, claim_type: 'TF', amount: '1200.50', tax_year: 2024 },
      { client_id: other.clients, site_id: other.sites, claim_type: 'CFE', amount: 3 },
    ]);
    expect(answer.status).toBe(201);
    const [first] = idsOf(answer);
    const { json } = await service.ask(`GET /api/reclamations/${String(first)}`, { token });
    expect(json).toMatchObject({ amount: 1200.5, tax_year: 2024, status: 'DRAFT' });
  });

  test('an import repeated with the same Idempotency-Key gets the same response, even if a record that it refers to was deleted in between', async () => {
    const tenant = await service.tenant('Own');
    const by = { token: await service.token('ADMIN', [tenant.clients]) };
    const { json } = await importSites([{ client_id: tenant.clients, site_name: 'Annexe' }], by);
    const [annex] = (json as { ids: string[] }).ids;
    const body = [tenant.sites, annex].map((site_id) => ({
      ...{ client_id: tenant.clients, site_id, claim_type: 'TF', amount: 5 },
    }));
    const keyed = { ...by, headers: { 'idempotency-key': 'claims-of-two-sites' } };
    const first = await importClaims(body, keyed);
    expect(first.status).toBe(201);
    await service.admin('delete from public.sites where id = $1', [annex]);
    expect((await importClaims(body, keyed)).text).toBe(first.text);
  });

  test('an import stores 10,000 lines of one request', async () => {
    const before = [await count('reclamations'), await count('audit_logs')];
    const header = 'client_id,site_id,claim_type,amount,tax_year,commune_code,notice_reference,grounds';
    const claims = Array.from(
      { length: 10_000 },
      (_, index) =>
        `${own.clients},${own.sites},TF,${index}.25,2024,75056,N-${index},${'Erreur de surface. '.repeat(20)}`,
    );
    const answer = await importClaims(lines(header, ...claims));
    expect(answer.json).toMatchObject({ imported: 10_000 });
    expect(new Set(idsOf(answer)).size).toBe(10_000);
    expect(await count('reclamations')).toBe((before[0] ?? 0) + 10_000);
    const [found] = await service.sql`select count(distinct resource_id)::int as count from public.audit_logs
      where request_id = ${answer.headers['x-request-id']}`;
    expect(found).toEqual({ count: 10_000 });
  }, 120_000);
});

describe('the errors of an import', () => {
  let before: readonly number[];
  let inactive: string;
  const counts = async () => [await count(), await count('reclamations'), await count('sites', other.clients)];
  beforeAll(async () => {
    before = await counts();
    inactive = await make(service, 'users', { client_access: [own.clients], is_active: false });
  });
  const expectNothingStored = async () => {
    expect(await counts()).toEqual(before);
  };
  const claim = (changes: object = {}) => ({
    ...{ client_id: own.clients, site_id: own.sites, claim_type: 'TF', amount: 5 },
    ...changes,
  });

  test('an import reports each wrong field of every CSV line, and stores nothing', async () => {
    const second = await importClaims(
      lines(
        'client_id,site_id,claim_type,amount,tax_year,granted_amount',
        `${own.clients},${own.sites},TF,5,2024,`,
        `${own.clients},x,TF,"5,555",20x4,`,
        `${own.clients},${own.sites},TVA,,1,`,
        `"a\nb",${own.sites},TF,5,,`,
        `c,${own.sites},TF,5,,`,
      ),
    );
    expectError(second, 'ERROR_VALIDATION', {
      'line 3, site_id': 'must be a UUID',
      'line 3, amount': 'may be read as 5555 or as 5.555: write it with two decimals, as in 1234,50',
      'line 3, tax_year': 'must be a whole number from 1900 to 2200',
      'line 4, claim_type': 'must be one of TF, CFE',
      'line 4, amount': 'is required',
      'line 4, tax_year': 'must be a whole number from 1900 to 2200',
      'line 5, client_id': 'must be a UUID',
      'line 7, client_id': 'must be a UUID',
    });
    await expectNothingStored();
  });

  test('an import reports each wrong field of every item of a JSON array, and stores nothing', async () => {
    const answer = await importClaims([claim(), claim({ amount: -1, surprise: 1 }), 7, claim({ status: 'CLOSED' })]);
    expectError(answer, 'ERROR_VALIDATION', {
      '1.amount': 'must be a decimal from 0 to 99999999.99 with at most two places',
      '1.surprise': 'is not known here',
      '2': 'must be an object',
      '3.status': 'must be DRAFT, the status of every new record',
    });
    await expectNothingStored();
  });

  test('an import of a JSON array reports errors that only the database finds with the index of the item', async () => {
    const answer = await importClaims([
      claim(),
      claim({ granted_amount: 6 }),
      claim({ granted_amount: 5 }),
      claim({ granted_amount: 7 }),
    ]);
    expectError(answer, 'ERROR_VALIDATION', {
      '1.granted_amount': 'must not exceed amount',
      '3.granted_amount': 'must not exceed amount',
    });
    await expectNothingStored();
  });

  test('an import reports a refused line after the first thousand lines with the number of that line in the file', async () => {
    const amounts = Array.from({ length: 2_002 }, (_, index) => ([999, 1_000, 2_001].includes(index) ? 6 : 5));
    const rows = amounts.map((granted) => `${own.clients},${own.sites},TF,5,${granted}`);
    const answer = await importClaims(lines('client_id,site_id,claim_type,amount,granted_amount', ...rows));
    expectError(answer, 'ERROR_VALIDATION', {
      'line 1001, granted_amount': 'must not exceed amount',
      'line 1002, granted_amount': 'must not exceed amount',
      'line 2003, granted_amount': 'must not exceed amount',
    });
    await expectNothingStored();
  });

  test('an import with an unknown site gets 404, and one with a site of another client of the caller gets 409', async () => {
    const answer = await importClaims([claim(), claim({ site_id: NOBODY }), claim({ site_id: other.sites })]);
    expectError(answer, 'ERROR_NOT_FOUND', {
      '1.site_id': 'does not exist',
      '2.site_id': 'must be a record of the same client',
    });
    const conflict = await importClaims([
      claim(),
      claim({ client_id: other.clients, site_id: other.sites }),
      claim({ site_id: other.sites }),
    ]);
    expectError(conflict, 'ERROR_CONFLICT', { '2.site_id': 'must be a record of the same client' });
    await expectNothingStored();
  });

  test('an import with a client or site that the caller is not allowed to see gets 403, which is audited once with that client', async () => {
    const rows = [
      [importClaims, [claim(), claim({ site_id: foreign.sites }), claim({ site_id: NOBODY })]],
      [importClaims, [claim(), claim({ client_id: foreign.clients })]],
      [
        importSites,
        [
          { client_id: own.clients, site_name: 'A' },
          { client_id: foreign.clients, site_name: 'B' },
        ],
      ],
    ] as const;
    for (const [send, body] of rows)
      for (const query of ['', '?dry_run=true']) {
        const path = send === importSites ? '/api/sites/import' : '/api/reclamations/import';
        const record = await expectRefusal(service, await post(path + query, body), 'ERROR_FORBIDDEN');
        expect(record['client_context']).toBe(foreign.clients);
      }
    await expectNothingStored();
  });

  test.each<[string, string | Buffer, Record<string, string>]>([
    [
      'UTF-16',
      Buffer.from('\uFEFFclient_id,site_name\r\n', 'utf16le'),
      { 'line 1': expect.stringContaining('and is UTF-16') as unknown as string },
    ],
    ['only a header', 'client_id,site_name\r\n', { body: 'must have at least one record' }],
    [
      'a quotation mark that is never closed',
      'client_id,site_name\r\na,b\r\nc,"d\r\ne,f\r\n',
      { 'line 3': 'has a quotation mark that is never closed' },
    ],
    [
      'a quotation mark within a cell',
      'client_id,site_name\r\na,b"c\r\n',
      { 'line 2': 'has a quotation mark in a cell that does not begin with one' },
    ],
    [
      'text after a quotation mark',
      'client_id,site_name\r\na,"b"c\r\n',
      { 'line 2': 'has text after a closing quotation mark; a quotation mark within a cell is written twice' },
    ],
    [
      'an endless line',
      `client_id,site_name\r\na,"${'x'.repeat(200_000)}`,
      { 'line 2': expect.stringContaining('has more than') as unknown as string },
    ],
  ])('an import of a CSV file with %s gets 400 with the reason', async (_what, body, found) => {
    expectError(await importSites(body), 'ERROR_VALIDATION', found);
  });

  test('an import reports a NUL character by its line and field', async () => {
    const nul = await importSites(lines('client_id,site_name', `${own.clients},a\0b`));
    expect(details(nul)).toEqual({ 'line 2, site_name': 'must not contain NUL or unpaired surrogates' });
  });

  test('an import refuses media types other than CSV and JSON, and a body over 10 MiB', async () => {
    const headers = { 'content-type': 'text/plain' };
    expectError(await importSites('x', { headers }), 'ERROR_UNSUPPORTED_MEDIA_TYPE');
    expectError(await importSites(Buffer.alloc(10 * 1024 * 1024 + 1)), 'ERROR_PAYLOAD_TOO_LARGE');
  });

  test('an import with an assignee who is unknown, inactive or without the client gets 400 for each line of that assignee', async () => {
    const unknown = randomUUID();
    const ofOther = { client_id: other.clients, site_id: other.sites };
    const claims = [
      claim({ assignee_id: own.users }),
      claim({ assignee_id: unknown }),
      claim(),
      claim({ ...ofOther, assignee_id: own.users }),
      claim({ ...ofOther, assignee_id: other.users }),
      claim({ assignee_id: inactive }),
      claim({ assignee_id: unknown }),
    ];
    const table = lines(
      'client_id;site_id;claim_type;amount;assignee_id',
      ...claims.map((one) => Object.values(one).join(';')),
    );
    const told = (name: (index: number) => string) =>
      Object.fromEntries([1, 3, 5, 6].map((index) => [name(index), ASSIGNEE]));
    for (const query of ['?dry_run=true', '']) {
      const send = (body: string | object) => post(`/api/reclamations/import${query}`, body);
      expectError(
        await send(claims),
        'ERROR_VALIDATION',
        told((index) => `${index}.assignee_id`),
      );
      expectError(
        await send(table),
        'ERROR_VALIDATION',
        told((index) => `line ${index + 2}, assignee_id`),
      );
    }
    await expectNothingStored();
  });

  test('an import of 2,000 lines with one inactive assignee reports the first 100 of these lines', async () => {
    const claims = Array.from({ length: 3_000 }, (_, index) =>
      claim({ assignee_id: index < 1_000 ? own.users : inactive }),
    );
    const named = details(await importClaims(claims)) as Record<string, string>;
    expect(named['1000.assignee_id']).toBe(ASSIGNEE);
    expect(named['1099.assignee_id']).toBe(ASSIGNEE);
    expect(named['…']).toBe('and 1900 more');
  }, 60_000);

  test('an import with 400 different wrong assignees reports some of them, and says that other lines were not checked', async () => {
    const claims = Array.from({ length: 400 }, () => claim({ assignee_id: randomUUID() }));
    const named = details(await importClaims(claims)) as Record<string, string>;
    expect(named['0.assignee_id']).toBe(ASSIGNEE);
    expect(Object.keys(named).length).toBeGreaterThan(50);
    expect(named['…']).toBe('and the lines that were not checked');
  }, 60_000);

  test('an import reports each line that a database trigger refuses, with the trigger’s message or a general one', async () => {
    await service.admin(
      `create function public.refuse_it() returns trigger language plpgsql as $$
       begin
           if new.site_name = 'in words' then
               raise exception 'no' using errcode = 'TX409', detail = '{"site_name": "is refused"}';
           elsif new.site_name = 'without' then
               raise exception 'no' using errcode = 'TX409';
           end if;
           return new;
       end $$`,
    );
    await service.admin(
      'create trigger refuse_it before insert on public.sites for each row execute function public.refuse_it()',
    );
    const sites = Array.from({ length: 600 }, (_, index) => ({
      client_id: own.clients,
      site_name: ({ 17: 'in words', 480: 'without', 599: 'in words' } as Record<number, string>)[index] ?? 'A',
    }));
    const answers = [await post('/api/sites/import?dry_run=true', sites), await importSites(sites)];
    await service.admin('drop function public.refuse_it() cascade');
    for (const answer of answers)
      expectError(answer, 'ERROR_CONFLICT', {
        '17.site_name': 'is refused',
        '480': 'conflicts with the stored data',
        '599.site_name': 'is refused',
      });
    await expectNothingStored();
  }, 60_000);
});

describe('a dry run of an import', () => {
  test('a dry run of an import returns how many records could be imported and stores nothing', async () => {
    const before = [await count(), await count('audit_logs')];
    const body = lines('client_id,site_name', `${own.clients},A`, `${own.clients},B`);
    const headers = { 'idempotency-key': 'a-trial-and-then-the-import' };
    const trial = await post('/api/sites/import?dry_run=true', body, { headers });
    expect([trial.status, trial.json]).toEqual([200, { importable: 2 }]);
    expect([await count(), await count('audit_logs')]).toEqual(before);
    const records = await service.sql`select from public.audit_logs
      where request_id = ${trial.headers['x-request-id']}`;
    expect(records).toEqual([]);
    const made = await post('/api/sites/import?dry_run=false', body, { headers });
    expect([made.status, idsOf(made).length]).toEqual([201, 2]);
    expect((await importSites(body, { headers })).text).toBe(made.text);
    // A dry run with the same Idempotency-Key does not return the stored response of the import.
    const again = await post('/api/sites/import?dry_run=true', body, { headers });
    expect([again.status, again.json]).toEqual([200, { importable: 2 }]);
    expect(await count()).toBe((before[0] ?? 0) + 2);
  });
});
