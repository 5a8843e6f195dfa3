import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer } from '../support/http.ts';
import { details, expectError, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import type { Tenant } from '../support/tenant.ts';
import { make } from '../support/rows.ts';

/* This suite tests the errors of an import that only the database finds, which name the line and the field. */

const ASSIGNEE = 'must be an active user with access to the client';

const service = await forSuite(startService());
const own = await service.furnishedTenant('Boulangerie Martin');
const other = await service.furnishedTenant('Garage Petit');
const token = await service.token('TAX_SPECIALIST', [own.clients, other.clients]);

const send = (path: string, body: object | string): Promise<Answer> =>
  service.ask(`POST ${path}`, {
    token,
    headers: { 'content-type': typeof body === 'string' ? 'text/csv' : 'application/json' },
    body,
  });

const claimOf = (tenant: Tenant, assignee?: string) => ({
  ...{ client_id: tenant.clients, site_id: tenant.sites, claim_type: 'TF', amount: 5 },
  ...(assignee !== undefined && { assignee_id: assignee }),
});

const tableOf = (claims: readonly object[]): string =>
  [
    'client_id;site_id;claim_type;amount;assignee_id',
    ...claims.map((claim) => Object.values(claim as Record<string, unknown>).join(';')),
  ].join('\r\n');

async function stored(): Promise<number> {
  const [row] = await service.admin(
    `select count(*)::int + (select count(*)::int from public.audit_logs where success) as count
     from (select from public.reclamations union all select from public.sites) as r`,
  );
  return Number(row?.['count']);
}

describe('an import with a wrong assignee', () => {
  let inactive: string;
  beforeAll(async () => {
    inactive = await make(service, 'users', { client_access: [own.clients], is_active: false });
  });

  test('an import with an assignee who is unknown, inactive or without the client gets 400 for each line of that assignee', async () => {
    const unknown = randomUUID();
    const claims = [
      claimOf(own, own.users),
      claimOf(own, unknown),
      claimOf(own),
      claimOf(other, own.users),
      claimOf(other, other.users),
      claimOf(own, inactive),
      claimOf(own, unknown),
    ];
    const wrong = [1, 3, 5, 6];
    const before = await stored();
    for (const query of ['?dry_run=true', '']) {
      const array = await send(`/api/reclamations/import${query}`, claims);
      expectError(
        array,
        'ERROR_VALIDATION',
        Object.fromEntries(wrong.map((index) => [`${index}.assignee_id`, ASSIGNEE])),
      );
      const table = await send(`/api/reclamations/import${query}`, tableOf(claims));
      expectError(
        table,
        'ERROR_VALIDATION',
        Object.fromEntries(wrong.map((index) => [`line ${index + 2}, assignee_id`, ASSIGNEE])),
      );
    }
    expect(await stored()).toBe(before);
  });

  test('an import of 2,000 lines with one inactive assignee reports the first 100 of these lines', async () => {
    const claims = Array.from({ length: 3_000 }, (_, index) => claimOf(own, index < 1_000 ? own.users : inactive));
    const named = details(await send('/api/reclamations/import', claims)) as Record<string, string>;
    expect(named['1000.assignee_id']).toBe(ASSIGNEE);
    expect(named['1099.assignee_id']).toBe(ASSIGNEE);
    expect(named['…']).toBe('and 1900 more');
  }, 60_000);

  test('an import with 400 different wrong assignees reports some of them, and says that other lines were not checked', async () => {
    const claims = Array.from({ length: 400 }, () => claimOf(own, randomUUID()));
    const named = details(await send('/api/reclamations/import', claims)) as Record<string, string>;
    expect(named['0.assignee_id']).toBe(ASSIGNEE);
    expect(Object.keys(named).length).toBeGreaterThan(50);
    expect(named['…']).toBe('and the lines that were not checked');
  }, 60_000);
});

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
  const before = await stored();
  const answers = [await send('/api/sites/import?dry_run=true', sites), await send('/api/sites/import', sites)];
  await service.admin('drop function public.refuse_it() cascade');
  for (const answer of answers)
    expectError(answer, 'ERROR_CONFLICT', {
      '17.site_name': 'is refused',
      '480': 'conflicts with the stored data',
      '599.site_name': 'is refused',
    });
  expect(await stored()).toBe(before);
}, 60_000);
