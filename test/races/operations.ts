import { RIGHTS, ROWS } from '../resources/access.ts';
import type { Row } from '../resources/access.ts';
import { fill, isWrite, questionOf } from '../resources/situations.ts';
import { IDENTITY } from './identity-operations.ts';
import type { Operation } from './operation.ts';
import { claimsOf } from './people.ts';
import type { Person, RaceTenant } from './people.ts';
import { VARIATIONS } from './variations.ts';

const ASSIGNMENT = '/api/users/{id}/client-access/{clientId}';

/**
 * Makes a request from a row of test/resources/access.ts, which lists the rights of each role. The caller is an account
 * manager if account managers have the right, and otherwise an ADMIN.
 */
function ofRow(row: Row): Operation {
  const [table, right] = row.right;
  const isManagers = table !== 'everyone' && RIGHTS[table].ACCOUNT_MANAGER.includes(right);
  const by: Person = isManagers ? 'manager' : 'chief';
  return {
    name: `${row.line} (${by})`,
    endpoint: row.line,
    claims: (tenant) => claimsOf(by, tenant),
    line: (tenant) => fill(row, tenant),
    question: (tenant) => questionOf(row, tenant),
    ...(row.line.endsWith('/erasure') && { mayWriteNothing: true as const }),
    ...(row.line.endsWith(ASSIGNMENT) && {
      client: (tenant: RaceTenant) => tenant.clients,
      mayWriteNothing: true,
    }),
  };
}

export const OPERATIONS: readonly Operation[] = [...ROWS.filter(isWrite).map(ofRow), ...VARIATIONS, ...IDENTITY];
