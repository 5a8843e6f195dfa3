import type { z } from 'zod';
import { endpoint, computeSqlLimit, type ListQuery } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import { SPECIALIST_ROLES } from '../identity/caller.ts';
import { cursorQuery } from '../records/changes.ts';
import * as column from '../records/column.ts';
import { createCursorFormat } from '../records/cursor.ts';
import { filterByAnyOrNone } from '../records/filters.ts';
import { NAME_COLLATION, addCollation } from '../records/order.ts';
import { collectParameters } from '../records/parameters.ts';
import { record } from '../records/record.ts';

/* Users who may work on a claim; row policies hide some, so a function reads them; docs/decisions/assignees.md */

export const assignee = record(
  'Assignee',
  'users',
  { id: column.readOnly(column.uuid), name: column.readOnly(column.text(255)) },
  { label: ['name'], lookUp: (ids) => `app.named_assignees(${ids})` },
);

/** True if the service has yet to remove the assignee of the claim or task `r`, who lost the client. */
export const LOST_ASSIGNEE_SQL =
  '(r.assignee_id, r.client_id) in (select l.user_id, l.client_id from app.lost_clients as l)';

/**
 * The column `assignee_id` of a claim or task, and its filter. Until the service has unassigned a user from the claims
 * of a lost client, such a claim reads as unassigned. `keepsWhen` is SQL for rows that keep such an assignee.
 */
export function defineAssignee(sentence: string, keepsWhen?: string) {
  const isLost = keepsWhen === undefined ? LOST_ASSIGNEE_SQL : `(${LOST_ASSIGNEE_SQL} and not ${keepsWhen})`;
  return {
    column: {
      ...column.reference('assignee', assignee.label, column.optional(column.uuid, field.uuid)),
      shown: `case when not ${isLost} then r.assignee_id end`,
    },
    filter: {
      ...filterByAnyOrNone('r.assignee_id', sentence),
      where: `(r.assignee_id = $ and not ${isLost})`,
      whereAny: `(r.assignee_id = any ($) and not ${isLost})`,
      whereNone: `(r.assignee_id is null or ${isLost})`,
    },
  };
}

const assigneesCursor = createCursorFormat(['assignees', NAME_COLLATION], [false, false]);

function selectAssignees(client: string, { limit, after }: z.output<typeof cursorQuery>): ListQuery {
  const { values, add } = collectParameters();
  const source = `app.assignees(${add(client)})`;
  const [name = '', id = ''] = after === undefined ? [] : assigneesCursor.read(after);
  const where =
    after === undefined
      ? ''
      : `\nwhere (${addCollation('r.name')}, r.id) > (${addCollation(`${add(name)}::text`)}, ${add(id)}::uuid)`;
  return {
    records: {
      text: `
select ${assignee.selectList}
from ${source} as r${where}
order by ${addCollation('r.name')}, r.id
limit ${add(computeSqlLimit(limit))}`,
      values,
    },
    limit,
    cursor: ([last, called]) => assigneesCursor.of([called, last]),
  };
}

export const assigneesEndpoint = endpoint({
  tag: 'Clients',
  resource: 'clients',
  of: assignee,
  method: 'get',
  path: '/api/clients/{clientId}/assignees',
  operationId: 'listAssignees',
  summary:
    'List the users to whom a claim of the client can be assigned: active users with access to the client, by name',
  roles: SPECIALIST_ROLES,
  query: cursorQuery,
  list: ({ params, query }) => selectAssignees(params.clientId, query),
});
