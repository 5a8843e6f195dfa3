import { expect, test } from '@jest/globals';
import { document } from '../support/described.ts';
import { startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { OF_ONESELF, PAGE_ROLES, RIGHTS, ROWS } from './access.ts';

/*
 * This suite compares the operations in GET /api/users/me/rights with access.ts, the tests’ own table of what each role
 * is allowed to do.
 */

const service = await forSuite(startService());
const tenant = await service.tenant('Boulangerie Martin');

const ids = new Map(
  Object.entries(document.paths as Record<string, Record<string, { readonly operationId: string }>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => [`${method.toUpperCase()} ${path}`, operationId]),
  ),
);

test.each(PAGE_ROLES)(
  'GET /api/users/me/rights lists exactly the operations that the role %s is allowed to call',
  async (role) => {
    const may = ROWS.filter(({ right: [table, letter] }) => {
      if (table === 'everyone') return true;
      const letters = RIGHTS[table][role];
      return (
        letters.includes(letter) ||
        (letter === 'r' && letters.includes('s')) ||
        (letter === 'p' && letters.includes('o'))
      );
    }).map(({ line }) => line);
    const answer = await service.ask('GET /api/users/me/rights', {
      token: await service.token(role, [tenant.clients]),
    });
    const { operations, ...rest } = answer.json as { readonly operations: readonly string[] };
    expect([answer.status, rest]).toEqual([200, { role }]);
    expect(operations.toSorted()).toEqual([...may, ...OF_ONESELF].map((line) => ids.get(line)).toSorted());
  },
);
