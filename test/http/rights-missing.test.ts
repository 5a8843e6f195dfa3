import { expect, test } from '@jest/globals';
import { figuresAt } from '../metrics/figures.ts';
import { createTestLogger } from '../support/test-logger.ts';
import { expectError, expectRefusal, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

const { log, loggedText } = createTestLogger();

const service = await forSuite(startService({ metrics: { cacheMs: 0 }, log }));
const own = await service.tenant('Own');
const asManager = await service.token('ACCOUNT_MANAGER', [own.clients]);

const create = () =>
  service.ask('POST /api/sites', {
    token: asManager,
    body: { client_id: own.clients, site_name: 'Entrepôt' },
  });
const stored = () =>
  service.admin(
    `select (select count(*) from public.sites) as sites,
       (select count(*) from public.audit_logs where not success) as refusals`,
  );
const missing = async () =>
  (await figuresAt(service.metricsPort)).get('taxclaims_rights_missing_total{lane="requests"}') ?? 0;

test.each([
  ['to a table', 'insert (id, client_id, site_name, address) on public.sites', 'tax_specialist'],
  ['to a column', 'insert (site_name) on public.sites', 'tax_specialist'],
  ['to a schema', 'usage on schema public', 'account_manager, taxclaims_tax_specialist, taxclaims_client'],
  ['to a function', 'execute on function app.caller_id', 'api'],
])(
  'a write without the database right %s gets 503, appears in the log and a metric, and is not audited as a refusal',
  async (_what, right, group) => {
    const before = [await stored(), await missing()] as const;
    await service.admin(`revoke ${right} from taxclaims_${group}`);
    const answer = await create();
    await service.admin(`grant ${right} to taxclaims_${group}`);
    expectError(answer, 'ERROR_UNAVAILABLE');
    expect(answer.headers['retry-after']).toBe('5');
    expect([await stored(), await missing()]).toEqual([before[0], before[1] + 1]);
    expect(loggedText()).toMatch(/"level":50[^\n]*the service lacks a right: permission denied/);
    expect((await create()).status).toBe(201);
  },
);

test('a write that a policy forbids gets 403, is audited as a refusal, and does not count as a missing right', async () => {
  const before = await missing();
  await service.admin('alter policy sites_insert_tenant on public.sites with check (false)');
  await expectRefusal(service, await create(), 'ERROR_FORBIDDEN', {
    client_context: own.clients,
    error_message: expect.stringContaining('42501'),
  });
  expect(await missing()).toBe(before);
});
