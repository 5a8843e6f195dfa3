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

describe('the row-level security policies', () => {
  /*
   * This test is an example of the many tests below. The API’s login acts as a caller of firm a, with a role and
   * settings as in a request. It must find claims of firm a, and no claim of firm b. The superuser finds claims of firm
   * b. These claims thus exist, and only a policy hides them.
   */
  test('a tax specialist of firm a reads the claims of firm a, and cannot read the existing claim of firm b', async () => {
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

  test.each(CHECKS.map((check) => ({ guarantee: check.title, check })))(
    'the database guarantees: $guarantee',
    async ({ check }) => {
      await check.run(world);
    },
  );
});
