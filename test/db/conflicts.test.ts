import { expect, test } from '@jest/globals';
import { castToProblemRule } from '../../src/problems.ts';
import { allEndpoints } from '../../src/resources/index.ts';
import { createTestDatabase, withAdmin } from '../support/database.ts';
import { forSuite } from '../support/suite.ts';

/* This suite tests that each constraint that a request can violate (409) has a message for the caller. */

const database = await forSuite(createTestDatabase());

async function names(sql: string): Promise<string[]> {
  return withAdmin(database.adminUrl, async (admin) =>
    (await admin.query<{ name: string }>(sql)).rows.map(({ name }) => name),
  );
}

const explained = new Set(allEndpoints.flatMap(({ constraints = {} }) => Object.keys(constraints)));

const OWN_IDS = 'ids, paths and secrets are random and made by the service';
const NAMED = 'the endpoint names the record as a reference: it is 404, 403 or a record of another client';
const HELD = 'what holds the record is counted for whoever deletes it';
const REFUSED_BEFORE = 'what it would refuse a trigger has refused: it is a 400 that names the field';
const NO_REQUEST = 'no request writes it, or it is written so that a second time is none';

/** Constraints for which callers get no error message, each with the reason. */
const EXCUSED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      ...['cadastres_pkey', 'clients_pkey', 'documents_pkey', 'documents_file_path_key'],
      ...['factures_id_client_id_key', 'factures_pkey', 'partner_invoices_pkey', 'partners_pkey'],
      ...['reclamation_history_pkey', 'reclamations_id_client_id_key', 'reclamations_pkey'],
      ...['notes_pkey', 'sites_id_client_id_key', 'sites_pkey', 'users_calendar_digest_idx'],
    ].map((name) => [name, OWN_IDS]),
  ),
  ...Object.fromEntries(
    [
      ...['cadastres_site_id_fkey', 'client_partners_client_id_fkey', 'documents_reclamation_id_fkey'],
      ...['factures_client_id_fkey', 'partner_invoices_client_id_fkey', 'reclamations_client_id_fkey'],
      ...['notes_reclamation_of_client', 'sites_client_id_fkey'],
    ].map((name) => [name, NAMED]),
  ),
  ...Object.fromEntries(
    ['client_partners_partner_id_fkey', 'partner_invoices_partner_id_fkey'].map((name) => [name, HELD]),
  ),
  notes_assignee_id_fkey: REFUSED_BEFORE,
  reclamations_assignee_id_fkey: REFUSED_BEFORE,
  ...Object.fromEntries(
    [
      ...['client_partners_pkey', 'communes_pkey', 'invoice_counters_pkey'],
      ...['identity_changes_pkey', 'identity_changes_user_id_fkey'],
      ...['invoice_transitions_pkey', 'reclamation_history_reclamation_of_client'],
      ...['public_holidays_pkey', 'reclamation_transitions_pkey', 'users_subject_key'],
    ].map((name) => [name, NO_REQUEST]),
  ),
};

test('each key constraint of a table has an error message for callers who violate the constraint, except those listed with a reason', async () => {
  const keys = await names(
    `select conname as name from pg_constraint
     where connamespace = 'public'::regnamespace and contype in ('f', 'p', 'u', 'x') and conparentid = 0
     union
     select indexrelid::regclass::text from pg_index as i join pg_class as c on c.oid = i.indexrelid
     where c.relnamespace = 'public'::regnamespace and i.indisunique
     order by 1`,
  ).then((all) => [...new Set(all.map((name) => name.replace(/^public\./, '')))]);
  expect(keys.length).toBeGreaterThan(30);
  expect(keys.filter((name) => !explained.has(name)).toSorted()).toEqual(Object.keys(EXCUSED).toSorted());
});

/** Functions that compute the hint with the rule of their error; test/resources/claim-life.test.ts and claim-days.test.ts read the messages. */
const COMPUTED = [
  'app.apply_reclamation_move()',
  'app.check_move(text,text,jsonb)',
  'app.refuse_claim_day(text,text,jsonb)',
];

test('every conflict that a database function raises (SQLSTATE TX409) has an error message for the caller', async () => {
  const raised = await withAdmin(database.adminUrl, async (admin) => {
    const { rows } = await admin.query<{ name: string; source: string }>(
      `select f.oid::regprocedure::text as name, f.prosrc as source from pg_proc as f
       where f.pronamespace in ('app'::regnamespace, 'public'::regnamespace, 'reporting'::regnamespace)`,
    );
    return rows.flatMap(({ name, source }) =>
      [...source.matchAll(/raise exception[^;]*'TX409'[^;]*;/g)].map(([statement]) => ({ name, statement })),
    );
  });
  expect(raised.length).toBeGreaterThan(10);
  const silent = raised.filter(({ name, statement }) => {
    if (COMPUTED.includes(name)) return !/\bhint = (?!')/.test(statement);
    const [, constraint] = /constraint = '(\w+)'/.exec(statement) ?? [];
    const [, key] = /\bhint = (?:'\["|pg_catalog\.jsonb_build_array\(\s*')([\w.]+)/.exec(statement) ?? [];
    const isRule = key !== undefined && castToProblemRule(JSON.stringify([key])) !== undefined;
    if (/\bdetail = /.test(statement)) return !isRule;
    return constraint === undefined || !explained.has(constraint);
  });
  expect(silent).toEqual([]);
});
