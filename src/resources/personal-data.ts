import { z } from 'zod';
import { endpoint, computeSqlLimit } from '../http/endpoint.ts';
import { ROLES } from '../identity/caller.ts';
import * as column from '../records/column.ts';
import { cursorQuery } from '../records/changes.ts';
import { createCursorFormat } from '../records/cursor.ts';
import { record } from '../records/record.ts';
import { LOST_ASSIGNEE_SQL } from './assignees.ts';
import { lockUsers } from './users.ts';

/* Returns all stored data on a person, and erases the data; docs/decisions/personal-data.md */

interface TenantTable {
  /** The column of times by which the rows are sorted. */
  readonly at: string;
  /** The columns that the response shows besides the id; they contain no text that other people wrote. */
  readonly columns: readonly string[];
  readonly unless?: string;
}

/** Maps each column that refers to a user to the columns to return; the caller's row policies decide which rows. */
const TENANT_TABLES: Readonly<Record<string, TenantTable>> = {
  'notes.assignee_id': {
    at: 'created_at',
    columns: ['client_id', 'reclamation_id', 'due_on', 'done_at'],
    unless: `(r.author_id = r.assignee_id or (${LOST_ASSIGNEE_SQL} and r.done_at is null))`,
  },
  'notes.author_id': {
    at: 'created_at',
    columns: ['client_id', 'reclamation_id', 'text', 'internal', 'due_on', 'assignee_id', 'done_at', 'updated_at'],
  },
  'reclamation_history.changed_by': {
    at: 'changed_at',
    columns: ['client_id', 'reclamation_id', 'from_status', 'to_status', 'reason', 'is_correction', 'actor'],
  },
  'reclamations.assignee_id': { at: 'created_at', columns: ['client_id'], unless: LOST_ASSIGNEE_SQL },
};

/** Columns that refer to a user, in tables that no request role may read; only app.kept_on reads them. */
const FUNCTION_READ_SOURCES = [
  'audit_logs.actor',
  'audit_logs.resource_id',
  'audit_logs.user_id',
  'created_clients.subject',
  'document_links.user_id',
  'idempotency_keys.subject',
  'identity_changes.user_id',
  'password_attempts.user_id',
  'reminders.user_id',
  'users.id',
] as const;

export const PERSONAL_DATA_SOURCES: readonly string[] = [
  ...Object.keys(TENANT_TABLES),
  ...FUNCTION_READ_SOURCES,
].toSorted();

const personalDatum = record('PersonalDatum', 'users', {
  source: column.readOnlyWithDescription(column.text(), 'Table, and the column that refers to the person.'),
  id: column.readOnlyWithDescription(column.uuid, 'Id of the record, or of the record that it concerns.'),
  at: column.readOnlyWithDescription(column.time, 'Time of the record.'),
  data: column.readOnlyWithDescription(
    column.json(z.record(z.string(), z.unknown())),
    'Data about the person in the record, by column.',
  ),
});

const personalDataCursor = createCursorFormat(['personal-data'], [false, false, false]);
const LARGEST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** $1 is the person; $2, $3 and $4 are source, time and id of the last row before; $5 is the page size. */
function buildSourceSelect(source: string): string {
  const isCursor = `$2 = '${source}'`;
  const time = `case when ${isCursor} then $3::timestamptz else 'infinity' end`;
  const id = `case when ${isCursor} then $4::uuid else '${LARGEST_UUID}' end`;
  const [table = '', person = ''] = source.split('.');
  const tenant = TENANT_TABLES[source];
  const rows =
    tenant === undefined
      ? `select k.id, k.at, k.data from app.kept_on(p.id, '${source}', ${time}, ${id}, $5) as k`
      : `
        select r.id, r.${tenant.at} as at, jsonb_build_object(${tenant.columns.map((name) => `'${name}', r.${name}`).join(', ')}) as data
        from public.${table} as r
        where r.${person} = p.id
            and (r.${tenant.at}, r.id) < (${time}, ${id})
            and not ${tenant.unless ?? 'false'}
        order by r.${tenant.at} desc, r.id desc
        limit $5`;
  return `
    select '${source}' as source, k.id, k.at, k.data
    from person as p
    cross join lateral (${rows}
    ) as k
    where p.id is not null and $2::text collate "C" <= '${source}'`;
}

/** Rewrites the times in jsonb, such as `2026-12-31T23:59:59.5+00:00`, to three digits of a second and Z. */
const DATA_WITH_UTC_TIMES_SQL = String.raw`
regexp_replace(
    regexp_replace(k.data::text, '"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.?(\d*)\+00:00"', '"\1.\2000Z"', 'g'),
    '"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3})\d*Z"', '"\1Z"', 'g'
)`;

const PERSONAL_DATA_SQL = `
with person as materialized (select app.person($1) as id)
select k.source, k.id, k.at, ${DATA_WITH_UTC_TIMES_SQL}
from (${PERSONAL_DATA_SOURCES.map(buildSourceSelect).join('\n    union all')}
) as k
order by k.source collate "C", k.at desc, k.id desc
limit $5`;

const personalDataOptions = { tag: 'Users', resource: 'users' } as const;

export const personalDataEndpoints = [
  endpoint({
    ...personalDataOptions,
    of: personalDatum,
    method: 'get',
    path: '/api/users/{id}/personal-data',
    operationId: 'listPersonalData',
    summary: 'List all personal data stored about a user; only for that user and for an ADMIN who may change the user',
    roles: ROLES,
    query: cursorQuery,
    rights: ({ params }) => ({ text: 'select app.person($1)', values: [params.id] }),
    list: ({ params, query: { limit, after } }) => {
      const [source = '', at = 'infinity', id = LARGEST_UUID] =
        after === undefined ? [] : personalDataCursor.read(after);
      return {
        records: { text: PERSONAL_DATA_SQL, values: [params.id, source, at, id, computeSqlLimit(limit)] },
        limit,
        cursor: ([source, id, at]) => personalDataCursor.of([source, at, id]),
      };
    },
  }),
  endpoint({
    ...personalDataOptions,
    method: 'post',
    path: '/api/users/{id}/erasure',
    operationId: 'eraseUser',
    summary:
      'Erase the name, email, subject, password and rights of a user permanently; the id and the histories remain',
    roles: ['ADMIN'],
    responses: { 204: null },
    handle: async ({ params }, request) => {
      const erasure = { text: 'select app.erase_user($1)', values: [params.id] };
      await request.run([lockUsers(request.caller, params.id), erasure]);
      return { status: 204 };
    },
  }),
];
