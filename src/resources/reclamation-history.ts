import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import { ROLES } from '../identity/caller.ts';
import { listOf } from './list.ts';
import { common, STATUSES } from './reclamation-record.ts';

const move = z
  .strictObject({
    id: z.guid(),
    reclamation_id: z.guid(),
    from_status: z.enum(STATUSES),
    to_status: z.enum(STATUSES),
    changed_by: z.guid().nullable(),
    actor: z.string(),
    changed_at: field.timestamp,
  })
  .meta({ id: 'ReclamationMove' });

export const listMoves = endpoint({
  ...common,
  method: 'get',
  path: '/api/reclamations/{id}/history',
  summary: 'List the moves of a claim: who, when, from where to where',
  roles: ROLES,
  params: z.strictObject({ id: field.uuid }),
  query: z.strictObject({ ...field.page, sort: field.sortBy('changed_at') }),
  responses: { 200: z.array(move) },
  id: ({ params }) => params.id,
  list: ({ params, query }, caller) =>
    listOf(
      {
        columns: `
    r.id,
    r.reclamation_id,
    r.from_status,
    r.to_status,
    r.changed_by,
    r.actor,
    r.changed_at`,
        from: 'public.reclamation_history as r',
        sorts: { changed_at: 'timestamptz' },
        filters: { reclamation_id: 'r.reclamation_id = $' },
      },
      { ...query, reclamation_id: params.id },
      caller,
    ),
});
