import { deepEqual, equal } from 'node:assert/strict';
import type { Check } from './checks.ts';
import { idOf, SELF } from './fixture.ts';
import { REQUEST_ROLES } from './rights.ts';
import { OWN } from './row-checks.ts';
import { attempt, takenBack } from './session.ts';

const COPY = 'app.client_documents';

/**
 * The table app.client_documents has a copy of each document for use in lists. These tests check that a caller who
 * cannot read a document cannot read its copy either.
 */
export const documentCopyChecks: readonly Check[] = [
  ...REQUEST_ROLES.map((role): Check => {
    const readers =
      role === 'admin' ? 'all documents' : 'only the documents of its own clients, and none without a setting';
    return {
      title: `client_documents: a caller in role ${role} reads the copies of ${readers}, and cannot create, update or delete a copy`,
      run: async (world) => {
        await takenBack(world, async (admin) => {
          await admin.query(
            `select set_config('role', $1, true), set_config('app.client_access', $2, true), set_config('app.user_id', $3, true)`,
            [`taxclaims_${role}`, OWN, SELF],
          );
          const { rows } = await admin.query<{ client: string }>(
            // The SQL also reads the column xmin, the number of the transaction that last wrote the row. Lists sorted
            // by the order of changes need this column.
            `select distinct c.client_id as client from (select c.*, c.xmin from ${COPY} as c offset 0) as c order by 1`,
          );
          const firms = (['a', 'b'] as const).filter((firm) => firm === 'a' || role === 'admin');
          deepEqual(
            rows.map(({ client }) => client),
            firms.map((firm) => idOf(firm, 'clients')),
          );
        });
        const { api } = world;
        const unset = await attempt(api, { role, sql: `select from ${COPY}` });
        equal(unset, role === 'admin' ? 'done' : 'nothing');
        for (const sql of [
          `insert into ${COPY} default values`,
          `update ${COPY} set kind = 'AVIS'`,
          `delete from ${COPY}`,
        ])
          equal(await attempt(api, { role, clientAccess: OWN, sql }), 'denied', sql);
      },
    };
  }),
];
