import { describe, expect, test } from '@jest/globals';
import { findingsBeside, type Found } from '../../support/durability.ts';
import { listed, sqlFor } from '../../support/listed.ts';
import { forSuite } from '../../support/suite.ts';
import { openAsSuperuser } from './superuser.ts';

const CLIENT = 'c1000000-0000-4000-8000-000000000001';
const BI = `create role test_bi login password 'x' connection limit 5 in role taxclaims_reporting`;

const ACTIONS = listed('admin/audit/ordinary.sql', {
  API: `create role test_api login password 'x' in role taxclaims_api`,
  BI,
  GRANTED: `insert into public.clients (id, company_name, contact_email) values ('${CLIENT}', 'Martin', 'martin@example.fr');
    ${BI}; select reporting.grant_client('test_bi', '${CLIENT}')`,
  CLIENT,
}).map(({ head: [title = '', ...lines], sql, parts: { undo } }) => ({ title, lines, sql, undo: undo?.sql }));

const WITHIN = ACTIONS.filter(({ undo }) => undo === undefined);
const QUIET = WITHIN.filter(({ lines }) => lines.length === 0);
const REPORTED = WITHIN.filter(({ lines }) => lines.length > 0);

const { database, admin } = await forSuite(openAsSuperuser());
/**
 * The rows of the view audit.drift, which lists changed database objects, in a new database. There are such rows only
 * while the expected objects in db/audit/declared are out of date.
 */
const stale = new Set((await readDrift()).map(({ object }) => object));

describe('the views audit.findings and audit.drift after ordinary actions of a DBA', () => {
  // The actions of a DBA are rolled back. Otherwise they could change roles, which belong to the whole Postgres server,
  // for other test suites.
  test('the audit’s views audit.findings and audit.drift stay empty after ordinary actions of a DBA, such as a password change or an index rebuild', async () => {
    await admin.query('begin');
    try {
      await doAll(QUIET);
      expect(await readLines()).toEqual([]);
    } finally {
      await admin.query('rollback');
    }
  });

  test('the audit reports each action of a DBA that ordinary.sql marks as reported, exactly once, until a DBA accepts the report', async () => {
    await admin.query('begin');
    try {
      await doAll(REPORTED);
      const lines = await readLines();
      expect(lines.map(({ line }) => line).sort()).toEqual(REPORTED.map(({ lines: [line] }) => line).sort());

      const accepted = lines.filter(({ line }) =>
        ['drift extension', 'drift schema', 'finding outside_within_reach', 'finding rights_outside_house'].includes(
          line,
        ),
      );
      for (const { line, object } of accepted) {
        await admin.query('select audit.accept($1, $2, $3)', [line.split(' ')[1], object, 'this deployment means it']);
      }
      const left = lines.filter((one) => !accepted.includes(one));
      expect(new Set(await readLines())).toEqual(new Set(left));
      const calendar = accepted.find(({ object }) => object.endsWith('.codes'));
      await admin.query(`alter ${calendar?.object} add column more text`);
      expect(new Set(await readLines())).toEqual(new Set([...left, calendar]));
    } finally {
      await admin.query('rollback');
    }
  });

  test.each(ACTIONS.filter(({ undo }) => undo !== undefined))(
    'the audit’s views audit.findings and audit.drift report nothing after this action of a DBA: $title',
    async ({ sql, undo }) => {
      await admin.query(sqlFor(database, sql));
      try {
        expect(await readLines()).toEqual([]);
      } finally {
        await admin.query(sqlFor(database, undo ?? ''));
      }
    },
  );
});

async function doAll(actions: typeof ACTIONS): Promise<void> {
  // Postgres accepts a change of the isolation level only before the first query of a transaction. An action that
  // changes the isolation level therefore comes first.
  const isolationFirst = actions.toSorted(
    (a, b) => Number(b.sql.includes('isolation')) - Number(a.sql.includes('isolation')),
  );
  for (const [nth, { title, sql }] of isolationFirst.entries()) {
    await admin.query(sqlFor(database, withOwnNames(sql, nth))).catch((error: unknown) => {
      throw new Error(`refused: ${title}`, { cause: error });
    });
  }
}

/** Returns the rows of audit.findings and audit.drift, each as one text: `finding NAME` or `drift KIND`. */
async function readLines(): Promise<{ line: string; object: string }[]> {
  const { rows } = await admin.query<Found>('select finding, object from audit.findings');
  const findings = await findingsBeside(admin, rows);
  const drift = await readDrift();
  return [
    ...findings.map(({ finding, object }) => ({ line: `finding ${finding}`, object })),
    ...drift.filter(({ object }) => !stale.has(object)).map(({ kind, object }) => ({ line: `drift ${kind}`, object })),
  ];
}

async function readDrift(): Promise<{ kind: string; object: string }[]> {
  return (await admin.query<{ kind: string; object: string }>('select kind, object from audit.drift')).rows;
}

/** Adds a number to each name that an action of a DBA creates, so that all actions can run in one transaction. */
function withOwnNames(sql: string, nth: number): string {
  return sql
    .replaceAll(/\btest_[a-z]+/g, (name) => `${name}_${nth}`)
    .replaceAll(/\bof_dba\b/g, (name) => `${name}_${nth}`)
    .replaceAll(CLIENT, CLIENT.replace(/..$/, String(nth + 10)));
}
