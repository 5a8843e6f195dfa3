import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from '@jest/globals';
import type pg from 'pg';
import { sqlFolder } from '../../src/db/sql-folder.ts';
import { connected, createTestDatabase } from '../support/database.ts';
import { blockOf } from '../support/pages.ts';
import { forSuite } from '../support/suite.ts';

/*
 * Runs the SQL of db/README.md on the demonstration’s database, in the order of the page, each block with the login
 * that the page names. All blocks run in one transaction that is rolled back, because a new role would exist in every
 * database of the server.
 */

/** Inserts a row for each query of db/README.md that finds no row in the demonstration. */
const ROWS = `
insert into public.audit_logs (action, resource_type, success, actor)
  values ('GET /api/sites', 'sites', false, 'somebody'), ('POST /api/users/x/erasure', 'users', true, 'somebody');
insert into app.content_removals values ('a path', '-infinity');
insert into app.document_links
  values ('a digest', gen_random_uuid(), gen_random_uuid(), 'auth0|…', gen_random_uuid(), 'CLIENT', now(), '', now());
insert into app.idempotency_keys (subject, key_digest, request_digest, resource_type, resource_id, body, location)
  values ('somebody', repeat('0', 64), repeat('0', 64), 'sites', gen_random_uuid(), '{}', '/api/sites');
insert into public.identity_changes (user_id, actor, role, client_access, is_active, ends_tokens)
  select id, 'somebody', role, client_access, true, false from public.users limit 1;
insert into app.reminders (user_id, day, told_until, waits_since)
  select id, current_date, current_date - 1, now() from public.users limit 1`;

const database = await forSuite(createTestDatabase());
const admin = await forSuite(connected(database.adminUrl));
await admin.query(await readFile(sqlFolder('demonstration/data.sql'), 'utf8'));

beforeAll(() => admin.query(`begin; ${ROWS}`));

test.each<readonly [beginning: string, by: string, findingNothing?: number]>([
  ['create role api_production', 'a superuser'],
  // The query finds no session of the old login, so the old login can be dropped.
  ['create role api_second', 'a superuser', 1],
  ['create role dba_jane', 'a superuser'],
  ['create role auditor_jane', 'a superuser'],
  ['begin;\nset local role taxclaims_tax_specialist', 'a superuser'],
  // The query lists transactions that block a deploy and finds none, because no other transaction is open.
  ['-- Who would be in the way of a deploy', 'a superuser', 1],
  ['create role bi_acme', 'a superuser'],
  // The last query grants nothing, because the tests' database has no user with the page's email.
  ["select reporting.revoke_client('bi_acme'", 'dba_jane', 1],
  // The SQL returns no row, because an earlier block of the page has revoked the grant of all clients.
  ["select reporting.grant_all_clients('bi_acme')", 'dba_jane', 1],
  ['select refused_at, actor, email, action, client_id', 'auditor_jane'],
  ['select changed_at, email, field, old, new', 'a superuser'],
  ['select created_at, actor, resource_id', 'a superuser'],
  ['select file_path, due_at', 'a superuser'],
  ['delete from app.document_links', 'a superuser'],
  ['update public.users set calendar_digest', 'a superuser'],
  ['create role backup', 'a superuser'],
  ['select d.datname, l.name', 'a superuser'],
  ['revoke connect, temporary', 'a superuser'],
  ['select subject, resource_type', 'a superuser'],
  ['select user_id, state, attempts', 'a superuser'],
  ['select app.end_identity_management()', 'dba_jane'],
  ['select user_id, day, waits_since', 'a superuser'],
  ['select role, command, columns, policies from audit.matrix', 'auditor_jane'],
  ['select w.kind, w.name', 'a superuser'],
  ['select allowed, decided_by', 'auditor_jane'],
  ['begin;\nalter table public.sites', 'a superuser'],
  ['select refused_at, actor, email, action, resource_type', 'auditor_jane'],
  ['create role monitoring', 'a superuser'],
])(
  'the SQL of db/README.md that begins with %j runs without error as %s, and finds rows',
  async (beginning, by, findingNothing = 0) => {
    const sql = blockOf('db/README.md', beginning)
      .replaceAll('database taxclaims ', `database ${database.name} `)
      .replace(/^begin;$/m, 'savepoint page;')
      .replace(/^rollback;$/m, 'rollback to page;');
    if (by !== 'a superuser') await admin.query(`set local session authorization ${by}`);
    const results = [(await admin.query(sql)) as unknown as pg.QueryResult | pg.QueryResult[]].flat();
    await admin.query('reset session authorization');
    expect(results.filter(({ rowCount }) => rowCount === 0)).toHaveLength(findingNothing);
  },
);
