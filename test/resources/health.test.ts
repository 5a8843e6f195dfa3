import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectError, type Service, startService } from '../support/service.ts';

describe('the health check', () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService();
  });

  afterAll(async () => {
    await service.close();
  });

  async function expectUnwell(change: string, back: string): Promise<void> {
    await service.admin(change);
    const answers = [await service.ask('GET /health'), await service.ask('GET /')];
    await service.admin(back);
    for (const answer of answers) expectError(answer, 'ERROR_UNAVAILABLE');
    expect((await service.ask('GET /health')).json).toEqual({ status: 'ok' });
  }

  test.each([
    ['row-level security is off', 'disable', 'enable'],
    ['row-level security does not hold the owner', 'no force', 'force'],
  ])('sends a load balancer away while %s on a table', async (_what, off, on) => {
    for (const table of ['public.documents', 'reporting.grants', 'app.migrations']) {
      await expectUnwell(
        `alter table ${table} ${off} row level security`,
        `alter table ${table} ${on} row level security`,
      );
    }
  });

  test('sends a load balancer away while a table belongs to the API’s group', async () => {
    await expectUnwell(
      'alter table public.cadastres owner to taxclaims_api',
      'alter table public.cadastres owner to taxclaims_owner',
    );
  });
});
