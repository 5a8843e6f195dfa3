import { endpoint } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import * as column from '../records/column.ts';
import { byAny } from '../records/filters.ts';
import { list } from '../records/list.ts';
import { record } from '../records/record.ts';
import { role, user } from './users.ts';

const state = field.oneOf('IdentityChangeState', ['WAITING', 'FAILING', 'DELIVERED']);

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
    ends_tokens: column.said(
      column.truthValue,
      'Whether tokens that say other rights are refused until the provider knows these.',
    ),
    actor: column.said(
      column.text(),
      "The subject of the token that changed the rights, or the database's login outside a request.",
    ),
    request_id: column.read(column.nullable(column.text())),
    attempts: column.said(column.integer, 'How often the delivery was tried.'),
    last_error: column.said(
      column.nullable(column.text()),
      'Why the last attempt has failed; null where none has, and once it is delivered.',
    ),
    next_attempt_at: column.read(column.time),
    created_at: column.read(column.time),
    delivered_at: column.read(column.nullable(column.time)),
  },
  { version: 'created_at' },
);

const identityChanges = list({
  of: identityChange,
  sorts: ['created_at'],
  filters: {
    state: byAny(state, 'r.state = $'),
    user_id: byAny(field.uuid, 'r.user_id = $'),
  },
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
