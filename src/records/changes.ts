import { z } from 'zod';
import { computeSqlLimit, type ListQuery } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import * as column from './column.ts';
import { createCursorFormat } from './cursor.ts';
import { formatTimeSql } from './json.ts';
import { record, type RecordDefinition } from './record.ts';

const changedValue = column.json(z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]).nullable());

const author = z
  .object({
    id: z.guid().describe('Id of the user.'),
    name: z.string().nullable().describe('Name of the user; null if the user shares no client with the caller.'),
  })
  .nullable();

export const recordedChange = record('RecordedChange', 'audit_logs', {
  at: column.readOnlyWithDescription(column.time, 'Time of the change.'),
  user: column.readOnlyWithDescription(
    column.json(author),
    'User who made the change; null if the user is not stored.',
  ),
  field: column.readOnlyWithDescription(column.text(), 'Name of the changed field.'),
  old: column.readOnlyWithDescription(
    changedValue,
    'Value before the change, as in the record; for client_access, the removed clients.',
  ),
  new: column.readOnlyWithDescription(changedValue, 'Value after the change; for client_access, the added clients.'),
});

export const cursorQuery = z.strictObject({ limit: field.pageParameters.limit, after: field.pageParameters.after });

const historyCursor = createCursorFormat(['changes'], [false, false]);

/** Lists the changes of one record; a caller who may not see the record gets none of its changes. */
export function selectRecordChanges(
  { table, columns }: RecordDefinition,
  id: string,
  { limit, after }: z.output<typeof cursorQuery>,
): ListQuery {
  const [before = 'infinity', behind = ''] = after === undefined ? [] : historyCursor.read(after);
  const times = Object.entries(columns).flatMap(([name, { kind }]) =>
    kind.type === 'timestamptz' ? [`'${name}'`] : [],
  );
  const shown = (name: string): string => `case
        when c.field in (${times.join(', ')})
            then to_json(${formatTimeSql(`(c.${name} #>> '{}')::timestamptz`)})::text
        else nullif(c.${name}::text, 'null')
    end`;
  return {
    records: {
      text: `
with c as materialized (
    select c.at, c.user_id, c.field, c.old, c.new
    from public.${table} as r
    cross join lateral app.changes_of('${table}', r.id, $2, $3, $4) as c
    where r.id = $1
),
author as materialized (
    select n.id, n.name
    from app.named_assignees(array(select distinct c.user_id from c)) as n
)
select
    c.at,
    case when c.user_id is not null then jsonb_build_object('id', c.user_id, 'name', author.name) end,
    c.field,
    ${shown('old')},
    ${shown('new')}
from c
left join author on author.id = c.user_id
order by c.at desc, c.field`,
      values: [id, before, behind, computeSqlLimit(limit)],
    },
    limit,
    cursor: ([at, , name]) => historyCursor.of([at, name]),
  };
}
