import { endpoint, onlyOne } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import * as column from '../records/column.ts';
import { by, byAny, byTruth } from '../records/filters.ts';
import { list } from '../records/list.ts';
import { record } from '../records/record.ts';
import { client } from './clients.ts';
import { user } from './users.ts';

const auditRecord = record(
  'AuditRecord',
  'audit_logs',
  {
    id: column.id,
    user_id: column.naming('user', user.label, column.read(column.nullable(column.uuid))),
    actor: column.read(column.text(255)),
    action: column.read(column.text(100)),
    resource_type: column.read(column.text(50)),
    resource_id: column.read(column.nullable(column.uuid)),
    client_context: column.naming('client', client.label, column.read(column.nullable(column.uuid))),
    success: column.read(column.truthValue),
    error_message: column.read(column.nullable(column.text())),
    ip_address: column.read(column.nullable(column.text())),
    user_agent: column.read(column.nullable(column.text())),
    request_id: column.read(column.nullable(column.text())),
    created_at: column.read(column.time),
  },
  { version: 'created_at' },
);

const auditRecords = list({
  of: auditRecord,
  client: 'r.client_context',
  newest: 'created_at',
  partitionedBy: 'created_at',
  filters: {
    actor: by(field.text(255), 'r.actor = $'),
    user_id: byAny(field.uuid, 'r.user_id = $'),
    action: by(field.text(100), 'r.action = $'),
    resource_type: by(field.text(50), 'r.resource_type = $'),
    resource_id: byAny(field.uuid, 'r.resource_id = $'),
    client_context: byAny(field.uuid, 'r.client_context = $'),
    success: byTruth('r.success', 'Only what was done, or only what was refused.'),
  },
  selective: ['actor', 'user_id', 'action', 'resource_id', 'client_context'],
});

export const listAuditRecords = endpoint({
  tag: 'Audit',
  resource: 'audit_logs',
  of: auditRecord,
  method: 'get',
  path: '/api/audit-logs',
  summary: 'List what was written and what was refused',
  roles: ['ADMIN'],
  query: auditRecords.query,
  client: ({ query }) => onlyOne(query.client_context),
  clients: ({ query }) => query.client_context ?? [],
  list: ({ query }, caller) => auditRecords.statement(query, caller),
});
