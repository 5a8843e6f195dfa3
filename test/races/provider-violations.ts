import type { Violation } from './invariants.ts';
import type { Lane } from './lane.ts';
import { claimsOf, PEOPLE_OF_RACES } from './people.ts';
import type { Claims } from './people.ts';
import type { Outcome } from './race.ts';

export const QUEUE_STATES =
  'the service refuses tokens with other rights while a change of rights is undelivered, and not longer';
export const PROVIDER_RIGHTS = 'after all deliveries the identity provider has the stored rights';

const WRONG_STATES_SQL = `
select format('user %s dates from %s with %s undelivered changes', u.id, u.access_changed_at, c.number) as detail
from public.users as u
cross join lateral (
    select count(*) as number
    from public.identity_changes as c
    where c.user_id = u.id and c.delivered_at is null and c.ends_tokens
) as c
where u.subject = any ($1) and (u.access_changed_at = 'infinity') <> (c.number > 0)`;

const STORED = `
select u.subject, u.role, u.client_access, u.is_active
from public.users as u
where u.subject = any ($1)`;

interface Stored {
  readonly subject: string;
  readonly role: string;
  readonly client_access: readonly string[];
  readonly is_active: boolean;
}

const textOf = (role: string, clients: readonly string[], isActive: boolean): string =>
  `${role} of ${clients.toSorted().join()}${isActive ? '' : ', inactive'}`;

const textOfClaims = ({ role, client_access: clients }: Claims): string => textOf(role, clients, true);

/**
 * Sends all changes of rights to the identity provider, and then compares each user’s rights there with the rights in
 * the database.
 */
export async function providerViolations(
  { watcher, provider }: Lane,
  { exchanges, tenant, isManaged }: Outcome,
): Promise<Violation[]> {
  if (!isManaged) return [];
  const before = PEOPLE_OF_RACES.map((person) => claimsOf(person, tenant));
  const loggedIn = exchanges
    .filter(({ operation, answer }) => operation.isLogin === true && answer.status === 200)
    .map(({ claims }) => claims);
  // If the service sent the identity provider nothing, the provider has rights from before the simultaneous requests or
  // from the token of a login.
  const said = Map.groupBy([...before, ...loggedIn], ({ sub }) => sub);
  const subjects = [[...said.keys()]];
  const held = await watcher.query<{ detail: string }>({
    name: 'held',
    text: WRONG_STATES_SQL,
    values: subjects,
  });
  await provider.drain();
  const after = await watcher.query<{ detail: string }>({
    name: 'held',
    text: WRONG_STATES_SQL,
    values: subjects,
  });
  const { rows } = await watcher.query<Stored>({ name: 'stored', text: STORED, values: subjects });
  const differing = rows.flatMap(({ subject, role, client_access: clients, is_active: isActive }) => {
    const stored = textOf(role, clients, isActive);
    const told = provider.lastRights.get(subject);
    const known =
      told === undefined
        ? (said.get(subject) ?? []).map(textOfClaims)
        : [textOf(told.role, told.clientAccess, told.isActive)];
    return known.includes(stored) ? [] : [`${subject} is ${stored}, and the provider has ${known.join(' or ')}`];
  });
  return [
    ...[...held.rows, ...after.rows].map(({ detail }) => ({ invariant: QUEUE_STATES, detail })),
    ...differing.map((detail) => ({ invariant: PROVIDER_RIGHTS, detail })),
  ];
}
