import { describe, expect, test } from '@jest/globals';
import { sampledByDay } from '../support/day.ts';
import { findingsBeside } from '../support/durability.ts';
import type { Found } from '../support/durability.ts';
import { listed, sqlFor } from '../support/listed.ts';
import { forSuite } from '../support/suite.ts';
import { openAsSuperuser } from './superuser.ts';

/* What a DBA does on a day like any other. An audit that cries over it is an audit that nobody reads. */

const CLIENT = 'c1000000-0000-4000-8000-000000000001';
const API = `create role test_api login password 'x' in role taxclaims_api`;
const BI = `create role test_bi login password 'x' connection limit 5 in role taxclaims_reporting`;
const GRANTED = `insert into public.clients (id, company_name, contact_email) values ('${CLIENT}', 'Martin', 'martin@example.fr');
  ${BI}; select reporting.grant_client('test_bi', '${CLIENT}')`;

const ACTIONS = listed('audit/ordinary-actions.sql', { API, BI, GRANTED, CLIENT }).map(
  ({ head: [what = '', ...tells], sql, parts: { undo } }) => ({ what, tells, sql, undo: undo?.sql }),
);
const OUTSIDE = ACTIONS.filter(({ undo }) => undo !== undefined);
const QUIET = ACTIONS.filter(({ tells, undo }) => tells.length === 0 && undo === undefined);
/** Of these they are told in one line. */
const ONE_LINE = ACTIONS.filter(({ tells }) => tells.length === 1);
/** The schemas of the house are the house's: whoever makes something there is told all that is wrong with it. */
const TOLD = ACTIONS.filter(({ tells }) => tells.length > 1);

const { database, admin } = await forSuite(openAsSuperuser());

describe('a DBA who', () => {
  /** Findings and drift, by the names under which they are accepted. */
  async function findingsAndDrift(): Promise<{ what: string; object: string }[]> {
    const { rows: findings } = await admin.query<Found>('select finding, object from audit.findings');
    const { rows: drift } = await admin.query<{ what: string; object: string }>(
      'select kind as what, object from audit.drift',
    );
    const beside = await findingsBeside(admin, findings);
    return [...beside.map(({ finding, object }) => ({ what: finding, object })), ...drift];
  }

  /** The same action on roles, clients and schemas of its own, so that one more like it can be done beside it. */
  const apart = (sql: string, nth: number): string =>
    sql
      .replaceAll(/\btest_[a-z]+/g, (name) => `${name}_${String(nth)}`)
      .replaceAll(/\bof_dba\b/g, `of_dba_${String(nth)}`)
      .replaceAll(CLIENT, CLIENT.replace(/..$/, String(nth + 10)));

  /** What must be the first of a transaction comes first. */
  const firstOfAll = (actions: typeof ACTIONS): typeof ACTIONS =>
    actions.toSorted((a, b) => Number(/isolation/.test(b.sql)) - Number(/isolation/.test(a.sql)));

  test('does any of these is not told of it', async () => {
    // Never committed: roles belong to the whole server, where other tests run.
    await admin.query('begin');
    try {
      for (const [nth, { what, sql }] of firstOfAll(QUIET).entries()) {
        await admin.query(sqlFor(database, apart(sql, nth))).catch((error: unknown) => {
          throw new Error(`this cannot be done: ${what}`, { cause: error });
        });
      }
      expect(await findingsAndDrift()).toEqual([]);
    } finally {
      await admin.query('rollback');
    }
  });

  test.each(sampledByDay(OUTSIDE).map(({ what, sql, undo }) => [what, sql, undo] as const))(
    '%s is not told of it',
    async (_what, sql, undo) => {
      await admin.query(sqlFor(database, sql));
      try {
        expect(await findingsAndDrift()).toEqual([]);
      } finally {
        await admin.query(sqlFor(database, undo ?? ''));
      }
    },
  );

  test('does any of these others is told of each in one line, and no more of what is accepted until it changes', async () => {
    await admin.query('begin');
    try {
      for (const [nth, { what, sql }] of ONE_LINE.entries()) {
        await admin.query(sqlFor(database, apart(sql, nth))).catch((error: unknown) => {
          throw new Error(`this cannot be done: ${what}`, { cause: error });
        });
      }
      const lines = await findingsAndDrift();
      expect(lines.map(({ what }) => what).sort()).toEqual(ONE_LINE.flatMap(({ tells }) => tells).sort());
      const accepted = ['extension', 'rights_outside_house', 'schema'].map(
        (one) => lines.find(({ what }) => what === one) ?? { what: one, object: 'none' },
      );
      for (const { what, object } of accepted) {
        await admin.query('select audit.accept($1, $2, $3)', [what, object, 'this deployment means it']);
      }
      const left = lines.filter((line) => !accepted.includes(line));
      expect(new Set(await findingsAndDrift())).toEqual(new Set(left));
      const schema = accepted[2];
      await admin.query(`create view ${schema?.object ?? ''}.more with (security_invoker) as select id from reporting.clients;
        grant select on ${schema?.object ?? ''}.more to taxclaims_reporting`);
      expect(new Set(await findingsAndDrift())).toEqual(new Set([...left, schema]));
    } finally {
      await admin.query('rollback');
    }
  });

  test.each(sampledByDay(TOLD).map(({ what, sql, tells }) => [what, sql, tells] as const))(
    '%s is told so, and no more once it is accepted',
    async (_what, sql, expected) => {
      await admin.query('begin');
      try {
        await admin.query(sqlFor(database, sql));
        const said = await findingsAndDrift();
        expect(said.map(({ what }) => what)).toEqual(expect.arrayContaining(expected));
        for (const { what, object } of said) {
          await admin.query('select audit.accept($1, $2, $3)', [what, object, 'this deployment means it']);
        }
        expect(await findingsAndDrift()).toEqual([]);
      } finally {
        await admin.query('rollback');
      }
    },
  );

  test('is told of few of them, and in two lines but among what is the house’s of none', () => {
    expect(new Set(ACTIONS.map(({ what }) => what)).size).toBe(ACTIONS.length);
    expect(QUIET.length + OUTSIDE.length).toBeGreaterThan(ONE_LINE.length);
    expect(TOLD.length).toBe(2);
  });
});
