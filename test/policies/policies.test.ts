import { describe, test } from '@jest/globals';
import { createTestDatabase } from '../support/database.ts';
import { createReportingLogin } from '../support/reporting-login.ts';
import { CHECKS } from './checks.ts';
import { openWorld } from './world.ts';
import { forSuite } from '../support/suite.ts';

const database = await forSuite(createTestDatabase());
const login = await forSuite(createReportingLogin(database));
const world = await forSuite(openWorld({ ...database, reportingUrl: login.url }));

describe('the policies', () => {
  test.each(CHECKS.map((check) => [check.title, check] as const))('%s', async (_title, check) => {
    await check.run(world);
  });
});
