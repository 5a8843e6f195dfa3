import { z } from 'zod';
import type { Parameter } from '../db/statement.ts';
import { endpoint, sqlLimitOf, type ListQuery } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import { SPECIALIST_ROLES } from '../identity/caller.ts';
import * as column from '../records/column.ts';
import { cursorFormat } from '../records/cursor.ts';
import { COLLATION, collate } from '../records/order.ts';
import { record } from '../records/record.ts';

/*
 * Users who may work on a claim; functions read them, because row policies hide colleagues; docs/decisions/assignees.md
 */

export const assignee = record(
  'Assignee',
  'users',
  {
    id: column.readOnly(column.uuid),
    name: column.readOnly(column.text(255)),
  },
  { label: ['name'], lookUp: (ids) => `app.named_assignees(${ids})` },
);

const query = z.strictObject({ limit: field.pageParameters.limit, after: field.pageParameters.after });

const cursor = cursorFormat(['assignees', COLLATION], [false, false]);

function assignees(client: string, { limit, after }: z.output<typeof query>): ListQuery {
  const values: Parameter[] = [];
  const add = (value: Parameter): string => `$${String(values.push(value))}`;
  const rows = `app.assignees(${add(client)})`;
  const [name = '', id = ''] = after === undefined ? [] : cursor.read(after);
  const cursorCondition =
    after === undefined
      ? ''
      : `\nwhere (${collate('r.name')}, r.id) > (${collate(`${add(name)}::text`)}, ${add(id)}::uuid)`;
  return {
    records: {
      text: `
select ${assignee.selectList}
from ${rows} as r${cursorCondition}
order by ${collate('r.name')}, r.id
limit ${add(sqlLimitOf(limit))}`,
      values,
    },
    limit,
    cursor: ([last, called]) => cursor.of([called, last]),
  };
}

export const listAssignees = endpoint({
  tag: 'Clients',
  resource: 'clients',
  of: assignee,
  method: 'get',
  path: '/api/clients/{clientId}/assignees',
  operationId: 'listAssignees',
  summary: 'List whom a claim of a client may be assigned to: active users who have it, by name',
  roles: SPECIALIST_ROLES,
  query,
  list: ({ params, query }) => assignees(params.clientId, query),
});
