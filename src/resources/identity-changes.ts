import { endpoint } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import * as column from '../records/column.ts';
import { list } from '../records/list.ts';
import { record } from '../records/record.ts';
import { role, user } from './users.ts';

const state = field.enumOf('IdentityChangeState');

const identityChange = record(
  'IdentityChange',
  'identity_changes',
  {
    id: column.id,
    user_id: column.naming('user', user.label, column.read(column.uuid)),
    state: column.read(column.words(state)),
    role: column.read(column.words(role)),
    client_access: column.read(column.uuids),
    is_active: column.read(column.truthValue),
    ends_tokens: column.read(column.truthValue),
    actor: column.read(column.text()),
    request_id: column.read(column.nullable(column.text())),
    attempts: column.read(column.integer),
    last_error: column.read(column.nullable(column.text())),
    next_attempt_at: column.read(column.time),
    created_at: column.read(column.time),
    delivered_at: column.read(column.nullable(column.time)),
  },
  { version: 'created_at' },
);

const identityChanges = list({
  of: identityChange,
  newest: 'created_at',
  filters: {},
  selective: ['user_id'],
});

export const listIdentityChanges = endpoint({
  tag: 'Users',
  resource: 'identity_changes',
  of: identityChange,
  method: 'get',
  path: '/api/identity-changes',
  summary: 'List the changes of rights that the identity provider was told, or is yet to be told',
  roles: ['ADMIN'],
  query: identityChanges.query,
  list: ({ query }, caller) => identityChanges.statement(query, caller),
});
