import { endpoint } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import { ROLES } from '../identity/caller.ts';
import * as column from '../records/column.ts';
import { filterByCondition } from '../records/filters.ts';
import { list } from '../records/list.ts';
import { record } from '../records/record.ts';
import { reclamationStatus } from './reclamation-record.ts';
import { user } from './users.ts';

const statusMove = record('ReclamationMove', 'reclamation_history', {
  id: column.id,
  reclamation_id: column.readOnly(column.uuid),
  from_status: column.readOnly(column.enumText(reclamationStatus)),
  to_status: column.readOnly(column.enumText(reclamationStatus)),
  reason: column.readOnly(column.nullable(column.text())),
  is_correction: column.readOnly(column.boolean),
  changed_by: column.reference('user', user.label, column.readOnly(column.nullable(column.uuid))),
  actor: column.readOnly(column.text()),
  changed_at: column.readOnly(column.time),
});

const statusMoves = list({
  of: statusMove,
  newest: 'changed_at',
  filters: { reclamation_id: filterByCondition(field.uuid, 'r.reclamation_id = $') },
});

export const statusMovesEndpoint = endpoint({
  tag: 'Reclamations',
  resource: 'reclamations',
  of: statusMove,
  method: 'get',
  path: '/api/reclamations/{id}/history',
  summary: 'List the status changes of a claim',
  roles: ROLES,
  query: statusMoves.query.omit({ reclamation_id: true }),
  list: ({ params, query }, caller) => statusMoves.statement({ ...query, reclamation_id: params.id }, caller),
});
