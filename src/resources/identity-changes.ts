import { endpoint } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import * as column from '../records/column.ts';
import { list } from '../records/list.ts';
import { record } from '../records/record.ts';
import { role, user } from './users.ts';

const changeState = field.enumOf('IdentityChangeState');

const identityChange = record(
  'IdentityChange',
  'identity_changes',
  {
    id: column.id,
    user_id: column.reference('user', user.label, column.readOnly(column.uuid)),
    state: column.readOnly(column.enumText(changeState)),
    role: column.readOnly(column.enumText(role)),
    client_access: column.readOnly(column.uuids),
    is_active: column.readOnly(column.boolean),
    ends_tokens: column.readOnly(column.boolean),
    actor: column.readOnly(column.text()),
    request_id: column.readOnly(column.nullable(column.text())),
    attempts: column.readOnly(column.integer),
    last_error: column.readOnly(column.nullable(column.text())),
    next_attempt_at: column.readOnly(column.time),
    created_at: column.readOnly(column.time),
    delivered_at: column.readOnly(column.nullable(column.time)),
  },
  { version: 'created_at' },
);

const identityChanges = list({ of: identityChange, newest: 'created_at', filters: {}, selective: ['user_id'] });

export const identityChangesEndpoint = endpoint({
  tag: 'Users',
  resource: 'identity_changes',
  of: identityChange,
  method: 'get',
  path: '/api/identity-changes',
  summary: 'List the changes of rights delivered, or still to be delivered, to the identity provider',
  roles: ['ADMIN'],
  query: identityChanges.query,
  list: ({ query }, caller) => identityChanges.statement(query, caller),
});
