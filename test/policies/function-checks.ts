import { randomUUID } from 'node:crypto';
import { deepEqual, equal } from 'node:assert/strict';
import type { Check } from './checks.ts';
import { idOf, SELF } from './fixture.ts';
import { REQUEST_ROLES, TABLES } from './rights.ts';
import { OWN } from './row-checks.ts';
import { assigneeChecks } from './assignee-checks.ts';
import { assignmentChecks } from './assignment-checks.ts';
import { calendarChecks } from './calendar-checks.ts';
import { changeChecks } from './change-checks.ts';
import { erasureChecks } from './erasure-checks.ts';
import { identityChangeChecks } from './identity-change-checks.ts';
import { documentLinkChecks } from './document-link-checks.ts';
import { keptAnswerChecks } from './kept-answer-checks.ts';
import { noteChecks } from './note-checks.ts';
import { attempt, refusedWith } from './session.ts';
import { words } from '../support/words.ts';
import type { World } from './world.ts';

const REQUESTS = REQUEST_ROLES.join(' ');

/**
 * For each database function, the roles that must be able to run it. Only the owner must be able to run a function that
 * is missing here.
 */
const EXECUTE: Readonly<Record<string, readonly string[]>> = {
  [`definer ${REQUESTS}`]: words(`
    app.setting app.parse_client_list app.client_access app.user_id app.role app.etag app.age_of
    app.access_digest app.is_siren app.is_siret app.searchable app.words app.moves app.missing app.describe_next_statuses app.check_move
    app.notice_key app.explain_condition app.refuse_claim_day
  `),
  [`auditor definer reporting ${REQUESTS}`]: words(`
    app.paris_day app.paris_today app.claim_deadline app.response_due_day app.response_due_at app.regularisation_due_day
    app.next_working_day app.court_day app.appeal_day app.relief_day
  `),
  definer: words(`
    app.reminder_day app.parse_ip_address app.read_request_settings app.require_present_rights app.lock_or_create_user_of_login app.note_identity_change
    app.explain_granted_amount
    app.provider_time app.was_issued_after app.changed_columns app.find_audit_log_start
    app.server_start app.build_seen_snapshot app.next_changes app.erased_subject app.refuse_erased app.hold_caller app.redact_user
    app.keep_own_clients app.shared_since app.vat_rates
  `),
  [REQUESTS]: words(`
    app.choose_reminders app.oldest_writer_at app.begin_password_change app.change_password app.keep_calendar app.claim_key
    app.keep_answer app.related_communes app.refuse_repeated_claim
    app.record_login app.named_assignees app.assignee app.found_claims app.link_document app.changes_after
    app.person app.kept_on audit.attempt_command
  `),
  owner: words(`
    app.date_rights_change_at_commit app.forget_created_clients app.end_sessions_at_commit app.forget_person
    app.keep_last_administrator app.refuse_tokens_until_delivery app.date_rights_change_at_delivery app.end_identity_management
    app.users_of_provider app.place_audit_records app.check_assignee app.note_lost_clients app.unassign_lost_client app.record_change
    app.apply_reclamation_move app.record_reporting_grant app.add_login_to_reporting_all app.remove_login_from_reporting_all
    app.set_login_role app.store_claim_words app.copy_document app.refuse_direct_copy_write app.check_invoice_move app.update_content_removals
    app.cancel_credited_invoice app.check_credit_note app.check_drafted_credit_note app.credited app.refuse_sent_delete
  `),
  [`auditor definer ${REQUESTS}`]: words('app.house_roles'),
  api: words(`
    app.begin_identity_management app.claim_identity_changes app.settle_identity_change
    app.release_identity_changes app.undelivered_identity_changes app.forget_identity_changes
    app.unassign_lost_clients app.plan_reminders app.claim_reminder app.hand_over_reminder app.settle_reminder app.unsent_reminders
    app.send_identity app.note_provider_clock app.disprove_provider_clock app.locate app.narrowed
    app.caller_id app.authenticate app.unclaimed_id app.record_refusals app.forget_answers
    app.tend_audit_log app.count_audit_days app.objections app.applied_migrations app.normalize_stored_expression app.digest_functions_and_triggers
    app.read_deployed_digests app.plan_removal app.due_removals app.overdue_removals app.complete_removals
    app.contents_of_documents app.standing_of_contents app.digests_of_documents app.keep_digest
    app.document_link app.calendar_user app.changed_clients app.audit_log_over app.claim_erasures
  `),
  'auditor owner': words('app.audit_months app.is_grant_recorded app.impossible_rows'),
  housekeeper: words('app.refuse_change'),
  'admin scoped_admin account_manager': words('app.gain_client app.assign_client app.hold_author'),
  'admin scoped_admin': words('app.erase_user'),
  'admin definer scoped_admin': words('app.mask_client_ids'),
  'scoped_admin account_manager': words('app.may_link_partner'),
  'admin scoped_admin account_manager tax_specialist': words('app.assignees app.changes_of'),
  'api auditor': words('app.list_login_refusal_reasons'),
  reporting: words('app.list_user_client_access'),
  auditor: words(`
    app.users_who_see app.email_of audit.expression_text audit.list_all_findings audit.list_acceptances audit.list_accepted audit.list_drift audit.lock_holders audit.refuse_locked audit.is_harmless audit.state audit.catalogs
    audit.catalog_columns audit.describe_built_in_objects audit.catalog_rows audit.described_catalog_rows audit.kinds_of_state
    audit.known_extensions audit.who_can_see audit.explain_access audit.request_role audit.deciding_policies
    audit.table_of_id audit.require_fitting_id
    audit.extension_members audit.members_of_owner audit.names_to_close audit.administrators audit.menders audit.may_act_as audit.may_take_attribute audit.rights_left_open
    audit.sparing_remedy audit.is_surrounding audit.is_surrounding_role
  `),
  'auditor definer': words('app.is_mark reporting.find_login_refusal_reason reporting.find_forbidden_roles'),
};

const sorted = (text: string): string => text.split(' ').sort().join(' ');

/**
 * Runs SQL as one request of the API would, and rolls it back. Returns the first value that the last statement selects.
 */
async function request(world: World, role: string, settings: Record<string, string>, ...statements: string[]) {
  const login = world.api;
  try {
    await login.query('begin');
    const all = { 'app.client_access': OWN, 'app.user_id': SELF, ...settings, role: `taxclaims_${role}` };
    for (const [name, value] of Object.entries(all))
      await login.query('select set_config($1, $2, true)', [name, value]);
    let value: unknown;
    for (const text of statements) {
      const { rows } = await login.query<unknown[]>({ text, rowMode: 'array' });
      value = rows[0]?.[0];
    }
    return value;
  } finally {
    await login.query('rollback');
  }
}

export const functionChecks: readonly Check[] = [
  {
    title: 'each database function may be run only by the roles that the test lists for it, and none by PUBLIC',
    run: async ({ admin }) => {
      const { rows } = await admin.query<{ name: string; roles: string }>(
        `select f.pronamespace::regnamespace || '.' || f.proname as name,
             string_agg(coalesce(replace(r.rolname, 'taxclaims_', ''), 'PUBLIC'), ' ') as roles
         from pg_proc as f
         cross join lateral (
             select r.rolname from audit.house_roles as h join pg_roles as r on r.oid = h.oid
             where r.oid <> f.proowner and has_function_privilege(r.oid, f.oid, 'EXECUTE')
             union all
             select r.rolname
             from aclexplode(coalesce(f.proacl, acldefault('f', f.proowner))) as x
             left join pg_roles as r on r.oid = x.grantee
             where not exists (select from audit.house_roles as h where h.oid = x.grantee)
         ) as r
         where f.pronamespace::regnamespace::text in ('public', 'app', 'reporting', 'audit')
         group by 1`,
      );
      const asRoles = REQUEST_ROLES.map((role) => [`audit.as_${role}`, 'auditor']);
      const listed = Object.entries(EXECUTE).flatMap(([roles, names]) => names.map((name) => [name, sorted(roles)]));
      deepEqual(
        Object.fromEntries(rows.map(({ name, roles }) => [name, sorted(roles)])),
        Object.fromEntries([...listed, ...asRoles]) as object,
      );
    },
  },
  {
    title:
      'every function has a fixed search_path or was parsed at its creation, and the functions that read settings are stable',
    run: async ({ admin }) => {
      const { rows } = await admin.query<{ name: string }>(
        `select f.oid::regprocedure::text as name from pg_proc as f
         where f.pronamespace::regnamespace::text in ('app', 'reporting', 'audit')
             and (coalesce('search_path=""' <> all (f.proconfig), f.prosqlbody is null or f.prosecdef)
                 or (f.proname in ('client_access', 'user_id', 'role', 'setting') and f.provolatile <> 's'))`,
      );
      deepEqual(rows, []);
    },
  },
  ...TABLES.filter(
    (table) => !['client_partners', 'audit_logs', 'reclamation_history', 'identity_changes'].includes(table),
  ).map(
    (table): Check => ({
      title: `the API login learns the client of any record of ${table}, and that an unknown id does not exist (function app.locate)`,
      run: async ({ api }) => {
        const locate = async (id: string) =>
          (
            await api.query<{ found: boolean; client_id: string | null }>('select * from app.locate($1, $2)', [
              table,
              id,
            ])
          ).rows[0];
        const owner = ['partners', 'users'].includes(table) ? null : idOf('b', 'clients');
        deepEqual({ ...(await locate(idOf('b', table))) }, { found: true, client_id: owner });
        deepEqual({ ...(await locate('00000000-0000-4000-8000-000000000000')) }, { found: false, client_id: null });
      },
    }),
  ),
  {
    title:
      'app.narrowed reduces a caller’s list of clients to the client of a record only if the list contains that client',
    run: async ({ api }) => {
      const ofClients = [
        'reclamations',
        'documents',
        'notes',
        'sites',
        'cadastres',
        'factures',
        'partner_invoices',
      ] as const;
      const [a, b] = [idOf('a', 'clients'), idOf('b', 'clients')];
      const narrowed = async (list: string, table: string, id: string) =>
        (await api.query<{ narrowed: string }>('select app.narrowed($1, $2, $3)', [list, table, id])).rows[0]?.narrowed;
      for (const table of ofClients) {
        equal(await narrowed(`{${a},${b}}`, table, idOf('b', table)), `{${b}}`, table);
        equal(await narrowed(`{${a}}`, table, idOf('b', table)), `{${a}}`, table);
        equal(await narrowed(`{${a},${b}}`, table, randomUUID()), `{${a},${b}}`, table);
      }
      equal(await narrowed(`{${a},${b}}`, 'partners', idOf('b', 'partners')), `{${a},${b}}`);
    },
  },
  {
    title:
      'app.record_refusals stores each refused request once in the audit log, even with malformed values, and with a known user’s id',
    run: async ({ api, admin }) => {
      // Each run of this test has a new request_id, because audit records can never be deleted, and `npm run proofs --
      // mutation` runs the test repeatedly.
      const [id, batch] = [randomUUID(), randomUUID()];
      const whole = {
        ...{ id, request_id: batch, actor: 'subject-a', action: `GET /${'x'.repeat(300)}` },
        ...{ resource_type: 'clients', resource_id: 'no uuid', client_context: 'no uuid' },
        ...{ error_message: 'reason', ip_address: '10.0.0.1:443', user_agent: null },
      };
      const hostile = [
        {},
        { id: 'no uuid' },
        { age_ms: 1e308 },
        { age_ms: -1e308 },
        { refused_at_ms: 1e308 },
        { refused_at_ms: -1e308 },
        { resource_type: 'x'.repeat(300), actor: 'x'.repeat(3_000), user_agent: 'x'.repeat(30_000) },
      ].map((refusal) => ({ request_id: batch, ...refusal }));
      const record = 'select app.record_refusals($1)';
      await api.query(record, [JSON.stringify([whole, whole, ...hostile])]);
      await api.query(record, [JSON.stringify([whole])]);
      await api.query(record, ['[]']);
      const { rows } = await admin.query(
        'select user_id, length(action) as length, success, ip_address from audit_logs where id = $1',
        [id],
      );
      deepEqual(rows, [{ user_id: idOf('a', 'users'), length: 100, success: false, ip_address: null }]);
      const counted = await admin.query(
        `select count(*) filter (where created_at <= clock_timestamp()) as count from audit_logs where request_id = $1`,
        [batch],
      );
      deepEqual(counted.rows, [{ count: String(1 + hostile.length) }]);
    },
  },
  {
    title: 'app.record_refusals dates an audit record at the time of the refusal, and never in the future',
    run: async ({ api, admin }) => {
      const dated = async (time: object): Promise<unknown> => {
        const { rows: made } = await admin.query<{ id: string }>('select gen_random_uuid() as id');
        const [id] = made.map((row) => row.id);
        await api.query('select app.record_refusals($1)', [JSON.stringify([{ id, ...time }])]);
        const { rows } = await admin.query<{ age: number }>(
          `select round(extract(epoch from clock_timestamp() - created_at) / 3600)::integer as age
           from audit_logs where id = $1`,
          [id],
        );
        return rows[0]?.age;
      };
      const { rows } = await admin.query<{ ms: number }>(
        `select extract(epoch from now() - interval '5 hours')::float8 * 1000 as ms`,
      );
      const ms = Number(rows[0]?.ms);
      deepEqual(
        [
          await dated({}),
          await dated({ age_ms: 7_200_000 }),
          await dated({ refused_at_ms: ms }),
          await dated({ age_ms: -7_200_000 }),
          await dated({ refused_at_ms: ms + 36_000_000 }),
          await dated({ age_ms: 0, refused_at_ms: ms }),
          await dated({ age_ms: 7_200_000, refused_at_ms: ms + 36_000_000 }),
          await dated({ age_ms: 7_200_000, refused_at_ms: null }),
        ],
        [0, 2, 5, 0, 0, 5, 2, 2],
      );
    },
  },
  {
    title: 'the API login cannot create an audit record of a success',
    run: async ({ api }) => {
      equal(
        await attempt(api, {
          sql: `insert into public.audit_logs (action, resource_type, success, actor) values ('x', 'x', true, 'x')`,
        }),
        'denied',
      );
    },
  },
  ...REQUEST_ROLES.filter((role) => role !== 'client' && role !== 'tax_specialist').map(
    (role): Check => ({
      title: `an update by ${role} writes one audit record with the client, the actor and the action`,
      run: async (world) => {
        // The tested role cannot read the audit log. After the update, the transaction therefore switches to the role
        // of an administrator.
        await world.api.query('begin');
        try {
          await world.api.query(
            `select set_config('app.client_access', $1, true), set_config('app.actor', 'somebody', true),
               set_config('app.action', 'PUT /x', true), set_config('role', $2, true)`,
            [OWN, `taxclaims_${role}`],
          );
          await world.api.query(`update public.sites set address = 'Lille' where id = $1`, [idOf('a', 'sites')]);
          await world.api.query(`select set_config('role', 'taxclaims_admin', true)`);
          const { rows } = await world.api.query(
            `select action, resource_type, resource_id, client_context, success from public.audit_logs where actor = 'somebody'`,
          );
          deepEqual(rows, [
            {
              action: 'PUT /x',
              resource_type: 'sites',
              resource_id: idOf('a', 'sites'),
              client_context: idOf('a', 'clients'),
              success: true,
            },
          ]);
        } finally {
          await world.api.query('rollback');
        }
      },
    }),
  ),
  {
    title:
      'a token is refused if its user is inactive, or if its rights differ from the user’s rights, which changed after its issue',
    run: async ({ api, admin }) => {
      const nobody = '00000000-0000-4000-8000-000000000000';
      const sql = (digest: string, at: string) => `select app.caller_id('subject-a', ${at}, ${digest}, '${nobody}')`;
      const same = `app.access_digest('TAX_SPECIALIST', array['${idOf('a', 'clients')}']::uuid[])`;
      const digest = (await admin.query<{ digest: string }>(`select ${same} as digest`)).rows[0]?.digest ?? '';
      const tried = async (text: string) => attempt(api, { sql: text });
      equal(await tried(sql(`'${digest}'`, `'-infinity'`)), 'done');
      equal(await tried(sql(`'other'`, `'-infinity'`)), 'TX401');
      equal(await tried(sql(`'other'`, `'infinity'`)), 'done');
      const { rows } = await api.query(
        `select app.caller_id('subject-a', 'infinity', 'x', $1) as known, app.caller_id('nobody', 'infinity', 'x', $1) as unknown`,
        [nobody],
      );
      deepEqual(rows, [{ known: idOf('a', 'users'), unknown: nobody }]);
      // During an upgrade, instances of the previous release check a token by two other functions. These functions must
      // still work.
      const before = `select app.authenticate('subject-a', 'infinity', 'x') as known,
        app.authenticate('nobody', 'infinity', 'x') as unknown, app.unclaimed_id($1)`;
      deepEqual((await api.query(before, [nobody])).rows, [
        { known: idOf('a', 'users'), unknown: null, unclaimed_id: nobody },
      ]);
      const claimed = idOf('a', 'users');
      equal(await tried(`select app.caller_id('nobody', 'infinity', 'x', '${claimed}')`), 'TX401');
      equal(await tried(`select app.unclaimed_id('${claimed}')`), 'TX401');
      await admin.query(`update public.users set is_active = false where subject = 'subject-b'`);
      equal(await tried(`select app.caller_id('subject-b', 'infinity', 'x', '${nobody}')`), 'TX401');
      await admin.query(`update public.users set is_active = true where subject = 'subject-b'`);
    },
  },
  {
    title:
      'app.record_login creates the caller’s user once with the rights of the request, and refuses an email of another user',
    run: async (world) => {
      const login = `select app.record_login('new@users.example.org', 'New', now())`;
      const stored = `select to_jsonb(u) from (
        select id, email, name, role, client_access from public.users where id = app.user_id()) as u`;
      const settings = { 'app.actor': 'new-subject', 'app.client_access': `{${idOf('a', 'clients')}}` };
      const expected = {
        id: SELF.replace(/1$/, '9'),
        email: 'new@users.example.org',
        name: 'New',
        role: 'ACCOUNT_MANAGER',
        client_access: [idOf('a', 'clients')],
      };
      deepEqual(
        await request(world, 'account_manager', { ...settings, 'app.user_id': expected.id }, login, login, stored),
        expected,
      );
      const taken = `select app.record_login('a@users.example.org', 'A', now())`;
      await refusedWith('TX409', request(world, 'client', settings, taken));
    },
  },
  {
    title: 'app.record_login changes the stored rights of a known user to the rights of a newer token',
    run: async (world) => {
      const role = await request(
        world,
        'client',
        { 'app.actor': 'subject-a', 'app.user_id': idOf('a', 'users') },
        `select app.record_login('a@users.example.org', 'A', now() + interval '1 hour')`,
        `select role from public.users where id = '${idOf('a', 'users')}'`,
      );
      equal(role, 'CLIENT');
    },
  },
  ...assignmentChecks,
  ...assigneeChecks,
  ...calendarChecks,
  ...changeChecks,
  ...documentLinkChecks,
  ...keptAnswerChecks,
  ...noteChecks,
  ...identityChangeChecks,
  ...erasureChecks,
  {
    title:
      'if a claim gets a new status, reclamation_history stores the actor and both statuses; a change of status that is not listed is a conflict',
    run: async (world) => {
      const move = (to: string) =>
        `update public.reclamations set status = '${to}' where id = '${idOf('a', 'reclamations')}'`;
      equal(
        await request(
          world,
          'tax_specialist',
          { 'app.actor': 'somebody' },
          move('READY_FOR_REVIEW'),
          `select changed_by || ' ' || actor || ' ' || from_status || ' ' || to_status
           from public.reclamation_history where changed_by = '${SELF}'`,
        ),
        `${SELF} ${SELF} DRAFT READY_FOR_REVIEW`,
      );
      equal(await attempt(world.api, { role: 'tax_specialist', clientAccess: OWN, sql: move('APPROVED') }), 'TX409');
      equal(await attempt(world.api, { role: 'tax_specialist', clientAccess: OWN, sql: move('WITHDRAWN') }), 'TX409');
      equal(await attempt(world.api, { role: 'account_manager', clientAccess: OWN, sql: move('WITHDRAWN') }), 'done');
    },
  },
  {
    title:
      'invoices (factures) get numbers without gaps when they are issued, and an issued invoice cannot be deleted, not even with its client',
    run: async (world) => {
      const issue = `update public.factures set status = 'ISSUED', issue_date = '2021-05-01' where client_id = '${idOf('a', 'clients')}'`;
      const another = `insert into public.factures (client_id, amount_excl_tax) values ('${idOf('a', 'clients')}', 33.33)`;
      equal(
        await request(
          world,
          'account_manager',
          {},
          issue,
          another,
          `update public.factures set status = 'ISSUED', issue_date = '2021-06-01' where number is null`,
          `select string_agg(number || ' ' || amount_incl_tax, ', ' order by number) from public.factures`,
        ),
        '2021-000001 12.00, 2021-000002 40.00',
      );
      for (const table of ['factures', 'clients']) {
        await refusedWith('TX409', request(world, 'scoped_admin', {}, issue, `delete from public.${table}`));
      }
    },
  },
];
