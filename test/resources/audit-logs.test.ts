import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { expectError, expectRefusal, startService } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

const service = await forSuite(startService());
const own = await service.tenant('Own');
const foreign = await service.tenant('Foreign');
const admin = await service.token('ADMIN');

async function listed(token: string, query: Record<string, string> = {}): Promise<Record<string, unknown>[]> {
  const answer = await service.ask(`GET /api/audit-logs?${new URLSearchParams(query).toString()}`, { token });
  expect(answer.status).toBe(200);
  return answer.json as Record<string, unknown>[];
}

/** A write and a refusal of one person, told by its subject. */
async function act(tenant: Tenant): Promise<string> {
  const sub = `idp|${randomUUID()}`;
  const token = await service.token('ACCOUNT_MANAGER', [tenant.clients], { sub });
  const headers = { 'user-agent': 'Navigateur/1' };
  const line = `PUT /api/sites/${tenant.sites}`;
  expect((await service.ask(line, { token, headers, body: { address: 'Lyon' } })).status).toBe(200);
  expect((await service.ask(`DELETE /api/clients/${tenant.clients}`, { token })).status).toBe(403);
  return sub;
}

describe('the audit log', () => {
  test('shows an ADMIN what was written and what was refused, newest first, with everything known of it', async () => {
    const actor = await act(own);
    const [refused, written, ...others] = await listed(admin, { actor });
    expect(others).toEqual([]);
    expect(written).toEqual({
      id: expect.any(String),
      user_id: null,
      actor,
      action: `PUT /api/sites/${own.sites}`,
      resource_type: 'sites',
      resource_id: own.sites,
      client_context: own.clients,
      success: true,
      error_message: null,
      ip_address: '127.0.0.1',
      user_agent: 'Navigateur/1',
      request_id: expect.any(String),
      created_at: expect.stringMatching(/Z$/),
    });
    expect(refused).toMatchObject({ success: false, error_message: expect.any(String) });
  });

  test('is filtered by each of its fields', async () => {
    const actor = await act(own);
    const [refused, written] = await listed(admin, { actor });
    const only = async (query: Record<string, string>) =>
      (await listed(admin, { actor, ...query })).map(({ id }) => id);
    expect(await only({ success: 'true' })).toEqual([written?.['id']]);
    expect(await only({ success: 'false' })).toEqual([refused?.['id']]);
    expect(await only({ resource_type: 'sites' })).toEqual([written?.['id']]);
    expect(await only({ resource_id: own.sites.toUpperCase() })).toEqual([written?.['id']]);
    expect(await only({ client_context: own.clients })).toContain(written?.['id']);
    expect(await only({ client_context: foreign.clients })).toEqual([]);
    expect(await only({ action: `DELETE /api/clients/${own.clients}` })).toEqual([refused?.['id']]);
    expect(await only({ user_id: randomUUID() })).toEqual([]);
    expect(await only({ created_from: '2999-01-01T00:00:00Z' })).toEqual([]);
    expect(await only({ created_to: '2999-01-01T00:00:00Z' })).toEqual([refused?.['id'], written?.['id']]);
  });

  test('is walked page by page, each record once, while others are added', async () => {
    const actor = await act(own);
    const first = await service.ask(`GET /api/audit-logs?limit=1&actor=${encodeURIComponent(actor)}`, {
      token: admin,
    });
    await service.sql`insert into public.audit_logs (action, resource_type, success, actor)
      values ('x', 'x', true, ${actor})`;
    const next = /^<(.+)>; rel="next"$/.exec(String(first.headers['link']))?.[1] ?? '';
    const second = await service.ask(`GET ${next}`, { token: admin });
    expect([first.json, second.json]).toMatchObject([
      [{ success: false }],
      [{ success: true, resource_type: 'sites' }],
    ]);
    expect(second.headers['link']).toBeUndefined();
  });

  test('shows an ADMIN with a list the records of its clients alone', async () => {
    const [mine, theirs] = [await act(own), await act(foreign)];
    const scoped = await service.token('ADMIN', [own.clients]);
    expect(await listed(scoped, { actor: mine })).not.toEqual([]);
    expect(await listed(scoped, { actor: theirs })).toEqual([]);
    expect(await listed(admin, { actor: theirs })).toHaveLength(2);
    const all = await listed(scoped);
    expect(new Set(all.map((record) => record['client_context']))).toEqual(new Set([own.clients]));
    const before = service.runs;
    const answer = await service.ask(`GET /api/audit-logs?client_context=${foreign.clients}`, {
      token: scoped,
    });
    await expectRefusal(service, answer, 'ERROR_FORBIDDEN');
    expect(service.runs).toBe(before);
  });

  test.each(['ACCOUNT_MANAGER', 'TAX_SPECIALIST', 'CLIENT'] as const)('is closed to %s', async (role) => {
    const answer = await service.ask('GET /api/audit-logs', {
      token: await service.token(role, [own.clients]),
    });
    await expectRefusal(service, answer, 'ERROR_FORBIDDEN');
  });

  test('is not written through the interface', async () => {
    expectError(
      await service.ask('POST /api/audit-logs', { token: admin, body: {} }),
      'ERROR_METHOD_NOT_ALLOWED',
    );
    expectError(
      await service.ask(`DELETE /api/audit-logs/${randomUUID()}`, { token: admin }),
      'ERROR_NOT_FOUND',
    );
  });
});
