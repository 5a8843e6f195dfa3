import { RequestError } from '../errors.ts';
import type { Caller, Role } from '../identity/caller.ts';
import type { RequestState } from './request-state.ts';

/** @throws RequestError ERROR_FORBIDDEN */
export function requireRole({ caller, action }: RequestState, roles: readonly Role[]): Caller {
  if (caller === undefined) throw new RequestError('ERROR_UNAUTHORIZED', 'no caller', { kind: 'no_token' });
  if (!roles.includes(caller.role))
    throw new RequestError('ERROR_FORBIDDEN', `${caller.role} may not ${action}`, { kind: 'role' });
  return caller;
}

/**
 * Holds the clients that a request names against those of the caller; an ADMIN whose token lists none has them all.
 * @throws RequestError ERROR_FORBIDDEN
 */
export function requireClients(caller: Caller, clients: readonly string[]): void {
  if (clients.length === 0 || (caller.role === 'ADMIN' && caller.clientAccess.length === 0)) return;
  // Both may be thousands.
  const own = new Set(caller.clientAccess);
  const foreign = clients.find((client) => !own.has(client));
  if (foreign === undefined) return;
  throw new RequestError('ERROR_FORBIDDEN', `no access to client ${foreign}`, {
    kind: 'client',
    clientContext: foreign,
  });
}
