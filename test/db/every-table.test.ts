import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import type pg from 'pg';
import { sqlFolder } from '../../src/db/sql-folder.ts';
import { firmSql } from '../interference/firm.ts';
import { FIXTURE } from '../policies/fixture.ts';
import { TABLES } from '../policies/rights.ts';
import { createTestDatabase, withAdmin } from '../support/database.ts';
import { forSuite } from '../support/suite.ts';
import { FOREIGN_ROWS, furnitureSql, newTenant, tenantSql } from '../support/tenant.ts';

/*
 * Several test suites have a list of all tables. These tests fail if a new table is missing from such a list without a
 * stated reason.
 */

const OF_NO_REQUEST = 'no request reads or writes it';
const OF_NO_TENANT = 'it holds no row of a tenant';

/** Tables without rows of any tenant. Lists of tables with tenants’ rows leave these tables out. */
const NEVER = {
  'app.administrator_guard': OF_NO_TENANT,
  'app.audit_days': OF_NO_TENANT,
  'app.deploy_lock': OF_NO_TENANT,
  'app.identity_management': OF_NO_TENANT,
  'app.migrations': OF_NO_TENANT,
  'app.provider_clock': OF_NO_TENANT,
  'app.reminders': OF_NO_TENANT,
  'audit.acceptances': OF_NO_TENANT,
  'audit.applied': OF_NO_TENANT,
  'audit.archives': OF_NO_TENANT,
  'public.communes': OF_NO_TENANT,
  'public.invoice_transitions': OF_NO_TENANT,
  'public.public_holidays': OF_NO_TENANT,
  'public.reclamation_transitions': OF_NO_TENANT,
} as const;

/** Tables that get rows only from requests to the service. */
const OF_REQUESTS = {
  'app.content_removals': 'it is filled by deletions and uploads',
  'app.created_clients': 'it is filled by whoever creates a client by a request',
  'app.document_links': 'it is filled by whoever asks for the address of a document',
  'app.idempotency_keys': 'it is filled by creations that bear a key',
  'app.lost_clients': 'it is filled by changes of users’ rights',
  'app.password_attempts': 'it is filled by users who say their present password',
  'app.refusals_at_month_end': 'it is filled by refusals about the end of a month',
} as const;

/** For each list of tables in the test suites, the tables that the list leaves out, each with the reason. */
const ABSENT = {
  'the rights in test/policies/rights.ts': {
    ...Object.fromEntries(Object.keys(NEVER).map((table) => [table, 'its few readers are tried one by one'])),
    ...Object.fromEntries(Object.keys(OF_REQUESTS).map((table) => [table, OF_NO_REQUEST])),
    'app.claim_words': OF_NO_REQUEST,
    'app.client_documents': 'test/reporting/client-documents.test.ts tries it',
    'public.invoice_counters': OF_NO_REQUEST,
    'reporting.grants': OF_NO_REQUEST,
  },
  'the rows of another tenant that generated requests must not change': {
    ...NEVER,
    ...OF_REQUESTS,
    'app.claim_words': 'they follow the claims',
    'app.client_documents': 'it follows the documents',
    'public.audit_logs': 'each refusal to touch the tenant adds to it',
    'public.invoice_counters': OF_NO_TENANT,
  },
  'the two firms of test/policies/fixture.ts': {
    ...NEVER,
    ...OF_REQUESTS,
    'public.invoice_counters': 'no invoice of theirs is issued',
    'reporting.grants': 'granted to the login that is tried',
  },
  'the tenant on whom the endpoints are tested': {
    ...NEVER,
    ...OF_REQUESTS,
    'public.invoice_counters': 'no invoice of theirs is issued',
    'reporting.grants': OF_NO_REQUEST,
  },
  'the firms of the interference proof': {
    ...NEVER,
    'app.refusals_at_month_end': OF_REQUESTS['app.refusals_at_month_end'],
    'public.invoice_counters': 'what it tells is a channel that docs/channels.md states',
    'reporting.grants': 'granted to the login that asks',
  },
  'the demonstration': {
    ...NEVER,
    ...OF_REQUESTS,
    'public.identity_changes': 'nothing of it was changed yet',
    'reporting.grants': 'it has no reporting login',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

const database = await forSuite(createTestDatabase());
const tables = await withAdmin(database.adminUrl, tablesOf);

async function tablesOf(admin: pg.Client): Promise<string[]> {
  const { rows } = await admin.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name
     from pg_class as c
     join pg_namespace as n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and c.relowner = 'taxclaims_owner'::regrole
     order by 1`,
  );
  return rows.map(({ name }) => name);
}

async function tablesFilledBy(sql: string): Promise<string[]> {
  return withAdmin(database.adminUrl, async (admin) => {
    const counts = async (): Promise<number[]> => {
      const each = tables.map((name) => `select count(*)::integer as rows from ${name}`);
      return (await admin.query<{ rows: number }>(each.join(' union all '))).rows.map(({ rows }) => rows);
    };
    await admin.query('begin');
    const before = await counts();
    await admin.query(sql);
    const after = await counts();
    await admin.query('rollback');
    return tables.filter((_table, index) => (after[index] ?? 0) > (before[index] ?? 0));
  });
}

const tenant = newTenant();

const LISTS: Readonly<Record<keyof typeof ABSENT, () => Promise<readonly string[]>>> = {
  'the rights in test/policies/rights.ts': () => Promise.resolve(TABLES.map((table) => `public.${table}`)),
  'the rows of another tenant that generated requests must not change': () =>
    Promise.resolve(Object.keys(FOREIGN_ROWS)),
  'the two firms of test/policies/fixture.ts': () => tablesFilledBy(FIXTURE),
  'the tenant on whom the endpoints are tested': () =>
    tablesFilledBy(tenantSql(tenant, 'Boulangerie Martin') + furnitureSql(tenant)),
  'the firms of the interference proof': () =>
    tablesFilledBy(firmSql({ seed: 'own', clients: 2, claims: 2, flavour: 0 })),
  'the demonstration': async () => tablesFilledBy(await readFile(sqlFolder('demonstration/data.sql'), 'utf8')),
};

test.each(Object.keys(ABSENT) as (keyof typeof ABSENT)[])(
  'every table of the database is in the test suites’ list “%s”, or its absence has a stated reason',
  async (list) => {
    const present = await LISTS[list]();
    expect(tables.length).toBeGreaterThan(15);
    expect(tables.filter((table) => !present.includes(table))).toEqual(Object.keys(ABSENT[list]).sort());
  },
);
