import type { RequestContext } from './request-settings.ts';
import type { Statement } from './statement.ts';

/**
 * The only place that writes `app.*` settings and the role. Each transaction writes every one of them, so
 * that none can see what another left behind; local to it, so that the server takes them back at its end.
 *
 * The same timeout holds for a statement of ours and for an explicit transaction that waits for our next.
 * `is not null`: set_config answers with the value, and the list of clients can be long.
 */
const REQUEST_SETTINGS = `
select
    set_config('transaction_read_only', $1, true),
    set_config('timezone', 'UTC', true),
    set_config('statement_timeout', $2, true),
    set_config('idle_in_transaction_session_timeout', $2, true),
    set_config('app.client_access', $3, true) is not null,
    set_config('app.request_id', $4, true),
    set_config('app.actor', $5, true),
    set_config('app.user_id', coalesce(app.authenticate($5, to_timestamp($6), $7)::text, $8), true),
    set_config('app.action', $9, true),
    set_config('app.ip_address', $10, true),
    set_config('app.user_agent', $11, true),
    set_config('role', $12, true)`;

const NO_SETTINGS = `
select
    set_config('timezone', 'UTC', true),
    set_config('statement_timeout', $1, true),
    set_config('app.client_access', '', true),
    set_config('app.request_id', '', true),
    set_config('app.actor', '', true),
    set_config('app.user_id', '', true),
    set_config('app.action', '', true),
    set_config('app.ip_address', '', true),
    set_config('app.user_agent', '', true),
    set_config('role', 'none', true)`;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The database role that a request becomes for the length of its transaction. */
export function requestRole({ caller, client }: RequestContext): string {
  switch (caller.role) {
    case 'ADMIN':
      return caller.clientAccess.length === 0 && client === undefined
        ? 'taxclaims_admin'
        : 'taxclaims_scoped_admin';
    case 'ACCOUNT_MANAGER':
      return 'taxclaims_account_manager';
    case 'TAX_SPECIALIST':
      return 'taxclaims_tax_specialist';
    case 'CLIENT':
      return 'taxclaims_client';
  }
}

/**
 * The statement that goes before those of a request: who asks, what they may see, and as which role.
 * It fails with SQLSTATE TX401 where the database knows that the token's rights no longer hold.
 * @throws TypeError when the client that the request names is no UUID.
 */
export function requestSettings(context: RequestContext, statementTimeoutMs: number): Statement {
  const { caller } = context;
  return {
    text: REQUEST_SETTINGS,
    values: [
      context.readOnly ? 'on' : 'off',
      statementTimeoutMs,
      clientAccess(context),
      context.requestId,
      caller.subject,
      caller.issuedAt,
      caller.accessDigest,
      caller.userId,
      context.action,
      context.ipAddress,
      context.userAgent,
      requestRole(context),
    ],
  };
}

/** The statement that goes before one of the API's own: no role, no setting of any request. */
export function ownSettings(statementTimeoutMs: number): Statement {
  return { text: NO_SETTINGS, values: [statementTimeoutMs] };
}

/** The list comes from a verified token; the client comes from the request, and `a,b` would be two of them. */
function clientAccess({ caller, client }: RequestContext): string {
  if (client === undefined) return `{${caller.clientAccess.join(',')}}`;
  if (!UUID.test(client)) throw new TypeError('The client that a request names must be a UUID.');
  return `{${client}}`;
}
