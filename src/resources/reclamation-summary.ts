import { z } from 'zod';
import type { Parameter } from '../db/statement.ts';
import { endpoint, rowsFor, type ListQuery } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import { ROLES } from '../identity/caller.ts';
import * as column from '../records/column.ts';
import { cursorBehind } from '../records/cursor.ts';
import { whereAll } from '../records/list-forms.ts';
import { placed } from '../records/order.ts';
import { record, type Columns, type Rec } from '../records/record.ts';
import { client } from './clients.ts';
import { claimType, reclamationStatus, reclamations } from './reclamation-record.ts';

const sums = {
  count: column.said(column.integer, 'How many claims.'),
  amount: column.said(column.decimal, 'What they ask for.'),
  granted_amount: column.said(column.decimal, 'What was granted of it, where there is a decision.'),
  refund_amount: column.said(column.decimal, 'What was paid back.'),
};

const keys = {
  status: { status: column.read(column.words(reclamationStatus)) },
  type: { claim_type: column.read(column.words(claimType)) },
  year: { tax_year: column.read(column.nullable(column.integer)) },
  client: { client_id: column.naming('client', client.label, column.read(column.uuid)) },
};

const isSum = { count: true, amount: true, granted_amount: true, refund_amount: true } as const;

type By = keyof typeof keys;

const by = field.oneOf('ReclamationSummaryKey', ['status', 'type', 'year', 'client']);

const rows: Readonly<Record<By, Rec>> = {
  status: rowBy('Status', keys.status),
  type: rowBy('Type', keys.type),
  year: rowBy('Year', keys.year),
  client: rowBy('Client', keys.client),
};

function rowBy(name: string, key: Columns): Rec {
  return record(`ReclamationsBy${name}`, 'reclamations', { ...key, ...sums });
}

const described = {
  ...rows.status,
  name: 'ReclamationSummary',
  schema: z
    .strictObject({
      ...Object.assign(
        {},
        ...Object.values(rows).map((row) => (row.schema as z.ZodObject).omit(isSum).partial().shape),
      ),
      ...z.strictObject((rows.status.schema as z.ZodObject).shape).pick(isSum).shape,
    })
    .meta({ id: 'ReclamationSummary' }),
};

const query = z.strictObject({
  by: field
    .parameter(
      by,
      'What the claims are counted by: a row for each, in its order, which is that of a claim’s life for status; status when absent.',
    )
    .default('status'),
  ...reclamations.filters.rules,
  limit: field.page.limit,
  after: field.page.after,
});

/** A cursor skips the claims of earlier keys, which are then not read. */
function summaryBy(asked: z.output<typeof query>): ListQuery {
  const values: Parameter[] = [];
  const add = (value: Parameter): string => `$${String(values.push(value))}`;
  const row = rows[asked.by];
  const [key = ''] = Object.keys(keys[asked.by]);
  const states = asked.by === 'status' ? reclamationStatus.options : undefined;
  const placing = { type: row.columns[key]?.kind.type ?? 'text', states };
  const order = `order by ${placed(`r.${key}`, placing)}`;
  const cursor = cursorBehind(['reclamations', 'by', asked.by], [false]);
  const conditions = reclamations.filters.conditions(asked, add);
  if (asked.after !== undefined) {
    const [last = ''] = cursor.read(asked.after);
    const behind = `${placed(`r.${key}`, placing)} > ${placed(add(last), placing)}`;
    conditions.push(asked.by === 'year' ? `(${behind} or r.${key} is null)` : behind);
  }
  // `offset 0` hides the order from the planner, which would otherwise read the rows of each client in it, one by one.
  const text = `
select r.*
from (
    select
        r.${key},
        count(*) as count,
        coalesce(sum(r.amount), 0.00) as amount,
        coalesce(sum(r.granted_amount), 0.00) as granted_amount,
        coalesce(sum(r.refund_amount), 0.00) as refund_amount
    from public.reclamations as r
    ${whereAll(conditions)}
    group by r.${key}
    offset 0
) as r
${order}
limit ${add(rowsFor(asked.limit))}`;
  const expand = Object.keys(row.expansion.schemas);
  return {
    records: { text: row.expansion.around(text, expand, order), values },
    limit: asked.limit,
    cursor: (last) => cursor.of(last.slice(0, 1)),
    of: row.expansion.shape(row, expand),
  };
}

export const summarizeReclamations = endpoint({
  tag: 'Reclamations',
  resource: 'reclamations',
  of: described,
  references: { site_id: 'sites' },
  method: 'get',
  path: '/api/reclamations/summary',
  operationId: 'summarizeReclamations',
  summary: 'Count the claims of the caller’s clients, with their amounts, by status, type, year or client',
  roles: ROLES,
  query,
  list: ({ query }) => summaryBy(query),
});
