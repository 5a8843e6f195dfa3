import { RequestError } from '../errors.ts';
import type { Caller, Role } from '../identity/caller.ts';
import type { RequestState } from './request-state.ts';

/** @throws RequestError ERROR_FORBIDDEN */
export function requireRole({ caller, action }: RequestState, roles: readonly Role[]): Caller {
  if (caller === undefined) throw new RequestError('ERROR_UNAUTHORIZED', 'no caller');
  if (!roles.includes(caller.role))
    throw new RequestError('ERROR_FORBIDDEN', `${caller.role} may not ${action}`);
  return caller;
}

/**
 * Holds the client that a request names against those of the caller; an ADMIN whose token lists none has them all.
 * @throws RequestError ERROR_FORBIDDEN
 */
export function requireClient(caller: Caller, client: string | undefined): void {
  if (client === undefined || caller.clientAccess.includes(client)) return;
  if (caller.role === 'ADMIN' && caller.clientAccess.length === 0) return;
  throw new RequestError('ERROR_FORBIDDEN', `no access to client ${client}`, { clientContext: client });
}
