import { ask } from '../support/http.ts';
import type { Violation } from './invariants.ts';
import type { Lane } from './lane.ts';
import { claimsOf } from './people.ts';
import type { Person } from './people.ts';
import type { Outcome } from './race.ts';

export const OLDER_TOKEN =
  'a token from before a change of rights by another user is refused, unless it names the stored rights';

const PEOPLE: readonly Person[] = ['chief', 'deputy', 'north', 'south', 'manager', 'users'];

/**
 * SQL for the users whose row was last written by another user. For each of these users, the SQL tells whether the
 * user’s token has the rights that are in the database.
 */
const CHANGED = `
select
    u.id,
    u.is_active
        and u.sessions_ended_at is null
        and u.access_digest = app.access_digest(p.role, p.client_access) as holds
from jsonb_to_recordset($2) as p (id uuid, role text, client_access uuid[])
join public.users as u on u.id = p.id
cross join lateral (
    select w.request_id
    from races.writes as w
    where w.request_id = any ($1) and w.table_name = 'users' and w.row_id = u.id::text
    order by w.id desc
    limit 1
) as l
where l.request_id = any ($3)`;

/**
 * Sends a request with the token of each user whom another user changed, and checks that the service accepts the token
 * only if it still has the user’s rights.
 */
export async function tokensAfter({ service, watcher }: Lane, { exchanges, tenant }: Outcome): Promise<Violation[]> {
  const ids = exchanges.map(({ answer }) => answer.headers['x-request-id']);
  const ofOthers = ids.filter((_id, index) => exchanges[index]?.operation.endpoint.includes('/users/{id}'));
  if (ofOthers.length === 0) return [];
  const people = PEOPLE.map((person) => ({ id: tenant[person], ...claimsOf(person, tenant) }));
  const { rows } = await watcher.query<{ id: string; holds: boolean }>({
    name: 'changed people',
    text: CHANGED,
    values: [ids, JSON.stringify(people), ofOthers],
  });
  const found: Violation[] = [];
  for (const { id: changed, holds } of rows) {
    const { id, ...claims } = people.find((person) => person.id === changed) ?? {};
    const token = await service.identity.token(claims);
    const { status } = await ask(service.port, 'GET /api/auth/profile', { token });
    const detail = `the token of user ${String(id)} was answered ${status}`;
    if (status !== (holds ? 200 : 401)) found.push({ invariant: OLDER_TOKEN, detail });
  }
  return found;
}
