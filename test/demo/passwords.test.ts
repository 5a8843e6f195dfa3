import { expect, test } from '@jest/globals';
import { setDemonstrationPasswords } from '../../src/demo/passwords.ts';
import { DEMONSTRATION_USERS } from '../../src/demo/people.ts';
import { loadDemonstration } from '../support/demonstration.ts';
import { startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { secondsAgo } from '../support/user-with-password.ts';

const service = await forSuite(startService());
await loadDemonstration(service);

test('the service accepts tokens of the demonstration users even in the second in which the users’ passwords were set', async () => {
  const iat = secondsAgo(0);
  const given = await setDemonstrationPasswords(service.postgres.adminUrl, service.dataDir);
  expect(given.map(({ email }) => email)).toEqual(DEMONSTRATION_USERS.map(({ email }) => email));
  for (const { role, subject: sub, clientAccess } of DEMONSTRATION_USERS) {
    const token = await service.token(role, clientAccess, { sub, iat });
    expect([role, (await service.ask('GET /api/clients', { token })).status]).toEqual([role, 200]);
  }
});
