import { describe, expect, test } from '@jest/globals';
import { createTestDatabase } from '../support/database.ts';
import { createReportingLogin } from '../support/reporting-login.ts';
import { CHECKS } from './checks.ts';
import { idOf } from './fixture.ts';
import { openWorld } from './world.ts';
import { forSuite } from '../support/suite.ts';

const database = await forSuite(createTestDatabase());
const login = await forSuite(createReportingLogin(database));
const world = await forSuite(openWorld({ ...database, reportingUrl: login.url }));

describe('the policies', () => {
  /*
   * One denial in full; the checks below try it so for every table, role and command. The caller is the API's login, in
   * the role and with the settings of one request. That nothing is found says something only because the same statement
   * finds what is the caller's own, and because the superuser, whom no policy holds, finds what was kept from the caller.
   */
  test('a tax specialist of firm a reads the claims of firm a, and none of firm b, although there is one', async () => {
    const claimsOf = (firm: 'a' | 'b') => ({
      text: 'select id from public.reclamations where client_id = $1',
      values: [idOf(firm, 'clients')],
    });
    await world.api.query(
      `begin;
       set local role taxclaims_tax_specialist;
       set local app.client_access = '{${idOf('a', 'clients')}}'`,
    );
    const [own, foreign] = [await world.api.query(claimsOf('a')), await world.api.query(claimsOf('b'))];
    await world.api.query('rollback');
    expect(foreign.rows).toEqual([]);
    expect(own.rows).not.toEqual([]);
    expect((await world.admin.query(claimsOf('b'))).rows).not.toEqual([]);
  });

  test.each(CHECKS.map((check) => [check.title, check] as const))('%s', async (_title, check) => {
    await check.run(world);
  });
});
