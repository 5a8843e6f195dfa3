import { operation } from './operation.ts';
import type { Operation, Variation } from './operation.ts';
import { claimsOf, PASSWORD } from './people.ts';
import type { Claims, Person, RaceTenant } from './people.ts';

/*
 * Requests by which ADMINs and account managers change users’ rights, and by which users use these rights. A test sends
 * them at the same time as other requests.
 */

const LOGIN = 'POST /api/auth/login';
const USER = 'PUT /api/users/{id}';
const ASSIGN = 'PUT /api/users/{id}/client-access/{clientId}';
const WITHDRAW = 'DELETE /api/users/{id}/client-access/{clientId}';

/**
 * A login with other rights has a token that is newer than the user’s other tokens by this number of seconds. The token
 * is still older than the simultaneous requests.
 */
const LATER_S = 300;

function login(by: Person, what: string, other?: (tenant: RaceTenant) => Partial<Claims>): Operation {
  const later = (tenant: RaceTenant): Claims => {
    const claims = claimsOf(by, tenant);
    return { ...claims, iat: claims.iat + LATER_S, ...other?.(tenant) };
  };
  return operation(LOGIN, by, what, {
    isLogin: true,
    mayWriteNothing: true,
    also: by === 'stranger' ? [] : [`users:${by}`],
    ...(other !== undefined && { claims: later }),
  });
}

function change(
  id: Person,
  by: Person,
  what: string,
  body: (tenant: RaceTenant) => Readonly<Record<string, unknown>>,
): Operation {
  return operation(USER, by, `${id} ${what}`, { ids: { id }, body });
}

function access(
  endpoint: string,
  { by, id, clientId }: { by: Person; id: Person; clientId: 'clients' | 'second' | 'third' },
): Operation {
  const variation: Variation = {
    ids: { id, clientId },
    client: (tenant) => tenant[clientId],
    mayWriteNothing: true,
  };
  return operation(endpoint, by, `the ${clientId} of ${id}`, variation);
}

function newPassword(by: Person): Operation {
  const body = { current_password: PASSWORD, password: `a new password of ${by}` };
  return operation('PUT /api/users/me/password', by, 'to another password', { body: () => body });
}

function newReminders(by: Person): Operation {
  const body = { language: 'en', kinds: ['task', 'claim'], only_mine: true };
  return operation('PUT /api/users/me/reminders', by, 'in English', { body: () => body });
}

function calendar(method: 'POST' | 'DELETE', by: Person): Operation {
  const variation: Variation = method === 'DELETE' ? { mayWriteNothing: true } : {};
  return operation(`${method} /api/users/me/calendar`, by, 'their own', variation);
}

/**
 * Sends the rights of two users, called `users` and `manager`, to the identity provider while other requests run.
 * Afterwards it locks both users’ rows to record the outcome.
 */
function delivery(kind: 'due' | 'claimed', what: string): Operation {
  return {
    ...operation('DELIVERY', 'deputy', what, {
      mayWriteNothing: true,
      also: ['users:users', 'users:manager'],
    }),
    delivery: kind,
  };
}

const renewal = (by: Person): Operation => ({ ...login(by, 'renewed'), isRenewed: true });

export const IDENTITY: readonly Operation[] = [
  delivery('due', 'of the due changes of rights'),
  delivery('claimed', 'of changes of rights that an instance has claimed'),
  renewal('users'),
  renewal('manager'),
  calendar('POST', 'users'),
  calendar('DELETE', 'users'),
  newPassword('users'),
  newPassword('manager'),
  newPassword('chief'),
  newReminders('users'),
  login('users', 'as stored'),
  login('users', 'with a client more', ({ clients, second, third }) => ({
    client_access: [clients, second, third],
  })),
  login('manager', 'as stored'),
  login('manager', 'with a client more', ({ clients, second }) => ({ client_access: [clients, second] })),
  login('chief', 'as stored'),
  login('newcomer', 'for the first time'),
  login('stranger', 'of a user who is not stored'),
  login('stranger', 'with an id as subject', ({ stranger }) => ({ sub: stranger })),
  login('stranger', 'with another name and another email', ({ stranger }) => ({
    sub: `idp|ANOTHER|${stranger}`,
    email: `other-${stranger}@b.example`,
  })),
  login('stranger', 'under another subject', ({ stranger }) => ({ sub: `idp|other|${stranger}` })),

  change('users', 'chief', 'has one client', ({ clients }) => ({ client_access: [clients] })),
  change('users', 'chief', 'is a client', () => ({ role: 'CLIENT' })),
  change('users', 'chief', 'is inactive', () => ({ is_active: false })),
  change('manager', 'chief', 'has another client', ({ second }) => ({ client_access: [second] })),
  change('manager', 'chief', 'is a specialist of one client', ({ clients }) => ({
    role: 'TAX_SPECIALIST',
    client_access: [clients],
  })),
  change('newcomer', 'chief', 'has another email', ({ newcomer }) => ({
    email: `moved-${newcomer}@b.example`,
  })),

  access(ASSIGN, { by: 'chief', id: 'users', clientId: 'third' }),
  access(ASSIGN, { by: 'chief', id: 'manager', clientId: 'second' }),
  access(WITHDRAW, { by: 'chief', id: 'users', clientId: 'second' }),
  access(ASSIGN, { by: 'north', id: 'south', clientId: 'second' }),
  access(ASSIGN, { by: 'south', id: 'north', clientId: 'third' }),

  change('deputy', 'chief', 'is inactive', () => ({ is_active: false })),
  change('chief', 'deputy', 'is inactive', () => ({ is_active: false })),
  change('deputy', 'chief', 'is a client', () => ({ role: 'CLIENT' })),
  change('chief', 'chief', 'has one client', ({ clients }) => ({ client_access: [clients] })),
  change('deputy', 'deputy', 'has one client', ({ clients }) => ({ client_access: [clients] })),
];
