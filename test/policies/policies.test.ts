import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createReportingLogin } from '../support/reporting-login.ts';
import { CHECKS } from './checks.ts';
import { openWorld, type World } from './world.ts';

describe('the policies', () => {
  let database: TestDatabase;
  let login: Awaited<ReturnType<typeof createReportingLogin>>;
  let world: World;

  beforeAll(async () => {
    database = await createTestDatabase();
    login = await createReportingLogin(database);
    world = await openWorld({ ...database, reportingUrl: login.url });
  });

  afterAll(async () => {
    await world.close();
    await login.drop();
    await database.close();
  });

  test.each(CHECKS.map((check) => [check.title, check] as const))('%s', async (_title, check) => {
    await check.run(world);
  });
});
