import { endpoint, findSingleClientId } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import * as column from '../records/column.ts';
import { filterByCondition, filterByAny, filterByBoolean } from '../records/filters.ts';
import { list } from '../records/list.ts';
import { record } from '../records/record.ts';
import { client } from './clients.ts';
import { user } from './users.ts';

const auditRecord = record(
  'AuditRecord',
  'audit_logs',
  {
    id: column.id,
    user_id: column.reference('user', user.label, column.readOnly(column.nullable(column.uuid))),
    actor: column.readOnly(column.text(255)),
    action: column.readOnly(column.text(100), 'app.mask_client_ids(r.action)'),
    resource_type: column.readOnly(column.text(50)),
    resource_id: column.readOnly(column.nullable(column.uuid)),
    client_context: column.reference('client', client.label, column.readOnly(column.nullable(column.uuid))),
    success: column.readOnly(column.boolean),
    error_message: column.readOnly(column.nullable(column.text()), 'app.mask_client_ids(r.error_message)'),
    ip_address: column.readOnly(column.nullable(column.text())),
    user_agent: column.readOnly(column.nullable(column.text())),
    request_id: column.readOnly(column.nullable(column.text())),
    created_at: column.readOnly(column.time),
  },
  { version: 'created_at' },
);

const auditRecords = list({
  of: auditRecord,
  client: 'r.client_context',
  newest: 'created_at',
  partitionedBy: 'created_at',
  filters: {
    actor: filterByCondition(field.exactText(255), 'r.actor = $'),
    user_id: filterByAny(field.uuid, 'r.user_id = $'),
    action: filterByCondition(field.exactText(100), 'r.action = $'),
    resource_type: filterByCondition(field.exactText(50), 'r.resource_type = $'),
    resource_id: filterByAny(field.uuid, 'r.resource_id = $'),
    client_context: filterByAny(field.uuid, 'r.client_context = $'),
    success: filterByBoolean('r.success', 'Return only successful writes (`true`) or only refused requests (`false`).'),
  },
  selective: ['actor', 'user_id', 'action', 'resource_id', 'client_context'],
});

export const auditRecordsEndpoint = endpoint({
  tag: 'Audit',
  resource: 'audit_logs',
  of: auditRecord,
  method: 'get',
  path: '/api/audit-logs',
  summary: 'List writes and refused requests',
  roles: ['ADMIN'],
  query: auditRecords.query,
  client: ({ query }) => findSingleClientId(query.client_context),
  clients: ({ query }) => query.client_context ?? [],
  list: ({ query }, caller) => auditRecords.statement(query, caller),
});
