import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Endpoint } from '../../src/http/endpoint.ts';
import { ROLES } from '../../src/identity/caller.ts';
import { allEndpoints, endpoints } from '../../src/resources/index.ts';
import { details, expectError, expectRefusal, startService } from '../support/service.ts';
import type { Service, Tenant } from '../support/service.ts';

/* Walks the list of endpoints: what is proven here holds for each of them, and for those of tomorrow. */

let service: Service;
let own: Tenant;
let foreign: Tenant;

beforeAll(async () => {
  service = await startService();
  own = await service.tenant('Boulangerie Martin');
  foreign = await service.tenant('Garage Dupont');
});
afterAll(() => service.close());

/** The request line of an endpoint that names records of a tenant. */
function lineFor({ method, path, resource, query }: Endpoint, tenant: Tenant): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_placeholder, name: string) => {
    const id = name === 'clientId' ? tenant.clients : tenant[resource as keyof Tenant];
    return id;
  });
  const filter = query !== undefined && 'client_id' in query.shape ? `?client_id=${tenant.clients}` : '';
  return `${method.toUpperCase()} ${filled}${filter}`;
}

for (const endpoint of endpoints) {
  describe(`${endpoint.method.toUpperCase()} ${endpoint.path}`, () => {
    const { roles } = endpoint;

    test('without a token is refused, audited once, and asks the database nothing', async () => {
      const before = service.runs;
      const answer = await service.ask(lineFor(endpoint, own));
      const record = await expectRefusal(service, answer, 'ERROR_UNAUTHORIZED');
      expect(record).toMatchObject({
        actor: 'anonymous',
        action: lineFor(endpoint, own).replace(/\?.*/, ''),
      });
      expect(answer.headers['www-authenticate']).toBe('Bearer');
      expect(service.runs).toBe(before);
    });

    for (const role of ROLES.filter((other) => !roles.includes(other))) {
      test(`is refused to ${role}, audited once, and asks the database nothing`, async () => {
        const before = service.runs;
        const token = await service.token(role, [own.clients]);
        const answer = await service.ask(lineFor(endpoint, own), { token });
        const record = await expectRefusal(service, answer, 'ERROR_FORBIDDEN');
        expect(record).toMatchObject({ actor: `idp|${role}`, resource_type: endpoint.resource });
        expect(service.runs).toBe(before);
      });
    }

    for (const role of roles.filter(() => endpoint.client !== undefined)) {
      test(`is refused to ${role} for a foreign client, audited once, before anything is read`, async () => {
        const before = service.runs;
        const token = await service.token(role, [own.clients]);
        const answer = await service.ask(lineFor(endpoint, foreign), { token });
        const record = await expectRefusal(service, answer, 'ERROR_FORBIDDEN');
        expect(record).toMatchObject({ actor: `idp|${role}`, client_context: foreign.clients });
        expect(service.runs).toBe(before);
      });
    }

    for (const role of roles.filter(() => endpoint.id !== undefined)) {
      test(`is refused to ${role} for a foreign record, audited once with its client`, async () => {
        const token = await service.token(role, [own.clients]);
        const answer = await service.ask(lineFor(endpoint, foreign), { token });
        const record = await expectRefusal(service, answer, 'ERROR_FORBIDDEN');
        expect(record).toMatchObject({
          resource_type: endpoint.resource,
          resource_id: foreign[endpoint.resource as keyof Tenant],
          client_context: foreign.clients,
        });
      });
    }

    test('refuses an unknown parameter by name', async () => {
      const token = await service.token(roles[0] ?? 'ADMIN', [own.clients]);
      const line = lineFor(endpoint, own);
      const answer = await service.ask(`${line}${line.includes('?') ? '&' : '?'}surprise=1`, { token });
      expectError(answer, 'ERROR_VALIDATION');
      expect(details(answer)).toEqual({ surprise: expect.any(String) });
    });

    test('takes strict objects alone, and a schema for each placeholder of its path', () => {
      for (const schema of [endpoint.params, endpoint.query, endpoint.body].filter(
        (part) => part !== undefined,
      )) {
        const issues = schema.safeParse({ surprise: 1 }).error?.issues;
        expect(issues).toContainEqual(
          expect.objectContaining({ code: 'unrecognized_keys', keys: ['surprise'] }),
        );
      }
      const placeholders = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(Object.keys(endpoint.params?.shape ?? {})).toEqual(placeholders);
    });

    test('is described, with its roles and refusals', async () => {
      const token = await service.token('ADMIN');
      const { paths } = (await service.ask('GET /api-json', { token })).json as Described;
      const operation = paths[endpoint.path]?.[endpoint.method];
      expect(operation?.summary).toBe(endpoint.summary);
      expect(operation?.description).toContain(roles.join(', '));
      expect(Object.keys(operation?.responses ?? {})).toEqual(
        expect.arrayContaining(['200', '400', '401', '403', '429', '500', '503']),
      );
    });

    if (endpoint.method !== 'get') return;

    for (const role of roles) {
      test(`gives ${role} the records of an assigned client as described, and no secret`, async () => {
        const token = await service.token(role, [own.clients]);
        const answer = await service.ask(lineFor(endpoint, own), { token });
        expect(answer.status).toBe(200);
        expect(answer.headers).toMatchObject({
          'content-type': 'application/json; charset=utf-8',
          'cache-control': 'no-store',
        });
        endpoint.responses[200].parse(answer.json);
        expect(answer.text).not.toMatch(/password|file_path/);
        if (endpoint.resource !== 'description') expect(answer.text).not.toContain(foreign.clients);
      });
    }

    test('answers HEAD as GET, without the body', async () => {
      const token = await service.token(roles[0] ?? 'ADMIN', [own.clients]);
      const answer = await service.ask(lineFor(endpoint, own).replace('GET', 'HEAD'), { token });
      expect([answer.status, answer.text]).toEqual([200, '']);
    });

    test('is refused to a token of a user who was made inactive, and audited once', async () => {
      const [user] = await service.admin(
        `insert into public.users (email, password_hash, name, role, client_access, subject, is_active)
         values (gen_random_uuid() || '@b.example', '!', 'Gone', $1, array[$2]::uuid[], gen_random_uuid(), false)
         returning subject`,
        [roles[0], own.clients],
      );
      const token = await service.token(roles[0] ?? 'ADMIN', [own.clients], { sub: user?.['subject'] });
      const answer = await service.ask(lineFor(endpoint, own), { token });
      await expectRefusal(service, answer, 'ERROR_UNAUTHORIZED');
      await service.admin('update public.users set is_active = true where subject = $1', [user?.['subject']]);
      expect((await service.ask(lineFor(endpoint, own), { token })).status).toBe(200);
    });
  });
}

interface Described {
  readonly paths: Record<
    string,
    Record<string, { summary: string; description: string; responses: Record<string, unknown> }>
  >;
}

test('no two endpoints share a method and a path', () => {
  const lines = allEndpoints.map(({ method, path }) => `${method} ${path}`);
  expect(new Set(lines).size).toBe(lines.length);
});
