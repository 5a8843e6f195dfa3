import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import { CREATED, listOf } from './list.ts';

const auditRecord = z
  .strictObject({
    id: z.guid(),
    user_id: z.guid().nullable(),
    actor: z.string().max(255).meta({ description: "The token's subject, or anonymous." }),
    action: z.string().max(100),
    resource_type: z.string().max(50),
    resource_id: z.guid().nullable(),
    client_context: z.guid().nullable(),
    success: z.boolean(),
    error_message: z.string().nullable(),
    ip_address: z.string().nullable(),
    user_agent: z.string().nullable(),
    request_id: z.string().nullable(),
    created_at: field.timestamp,
  })
  .meta({ id: 'AuditRecord' });

const columns = `
    r.id,
    r.user_id,
    r.actor,
    r.action,
    r.resource_type,
    r.resource_id,
    r.client_context,
    r.success,
    r.error_message,
    r.ip_address,
    r.user_agent,
    r.request_id,
    r.created_at`;

export const listAuditRecords = endpoint({
  tag: 'Audit',
  resource: 'audit_logs',
  method: 'get',
  path: '/api/audit-logs',
  summary: 'List what was written and what was refused',
  roles: ['ADMIN'],
  query: z.strictObject({
    ...field.page,
    ...field.created,
    sort: field.sortBy('created_at'),
    actor: field.text(255).optional(),
    user_id: field.uuid.optional(),
    action: field.text(100).optional(),
    resource_type: field.text(50).optional(),
    resource_id: field.uuid.optional(),
    client_context: field.uuid.optional(),
    success: field.flag.optional(),
  }),
  responses: { 200: z.array(auditRecord) },
  client: ({ query }) => query.client_context,
  list: ({ query }, caller) =>
    listOf(
      {
        columns,
        from: 'public.audit_logs as r',
        client: 'r.client_context',
        sorts: { created_at: 'timestamptz' },
        filters: {
          ...CREATED,
          actor: 'r.actor = $',
          user_id: 'r.user_id = $',
          action: 'r.action = $',
          resource_type: 'r.resource_type = $',
          resource_id: 'r.resource_id = $',
          client_context: 'r.client_context = $',
          success: 'r.success = $',
        },
        selective: ['actor', 'user_id', 'action', 'resource_id', 'client_context'],
      },
      query,
      caller,
    ),
});
