import { rightsOf } from './load.ts';
import type { Acknowledged, Used } from './load.ts';
import type { ProviderUpdate } from './provider-updates.ts';
import type { Person } from './world.ts';

/** A change that the database has noted for the provider. */
interface QueuedChange {
  readonly requestId: string;
  readonly createdAt: number;
  readonly rights: string;
  readonly isActive: boolean;
  readonly state: string;
}

/** What is known of one user when all is over. */
export interface Account {
  readonly person: Person;
  /** In the order in which they came true. */
  readonly queuedChanges: readonly QueuedChange[];
  readonly acknowledged: readonly Acknowledged[];
  readonly used: readonly Used[];
  /** As the database has them. */
  readonly stored: { readonly rights: string; readonly isActive: boolean };
  readonly providerUpdates: readonly ProviderUpdate[] | undefined;
}

const whole = (rights: string, isActive: boolean): string => `${rights} ${isActive ? 'active' : 'inactive'}`;
const wholeOf = ({ role, clients, isBlocked }: ProviderUpdate): string => whole(rightsOf(role, clients), !isBlocked);

/** What does not hold of a user, in words; `kills` are the moments at which a process was killed. */
export function violationsOf(account: Account, kills: readonly number[]): string[] {
  const { person, queuedChanges, stored } = account;
  const states = [whole(rightsOf(person.role, person.clients), true)];
  states.push(...queuedChanges.map(({ rights, isActive }) => whole(rights, isActive)));
  const last = whole(stored.rights, stored.isActive);
  return [
    ...(states.at(-1) === last ? [] : ['the database has other rights than those noted last']),
    ...queuedChanges
      .filter(({ state }) => state !== 'DELIVERED')
      .map(({ state }) => `a change is ${state} when all is quiet`),
    ...lost(account),
    ...accepted(account, states),
    ...(account.providerUpdates === undefined ? [] : wrongUpdates(account.providerUpdates, states, last)),
    ...(account.providerUpdates === undefined ? [] : repeatedUpdates(account.providerUpdates, queuedChanges, kills)),
  ].map((what) => `${person.email}: ${what}`);
}

function lost({ acknowledged, queuedChanges }: Account): string[] {
  const known = new Set(queuedChanges.map(({ requestId }) => requestId));
  return acknowledged
    .filter(({ isWhole, requestId }) => isWhole && !known.has(requestId))
    .map(({ requestId }) => `the acknowledged change ${requestId} was noted nowhere`);
}

/** Answered although rights that the token says had been withdrawn before it was sent. */
function accepted({ acknowledged, queuedChanges, used }: Account, states: readonly string[]): string[] {
  const at = new Map(acknowledged.map((one) => [one.requestId, one.at]));
  const since = queuedChanges.map(({ requestId }) => at.get(requestId) ?? Infinity);
  return used
    .filter(({ status }) => status < 400 || status === 403)
    .filter(({ rights, sentAt }) => {
      const least = since.findLastIndex((moment) => moment < sentAt) + 1;
      return !states.slice(least).includes(whole(rights, true));
    })
    .map(({ line, status, sentAt }) => `${line} was answered ${status} to withdrawn rights (${sentAt})`);
}

/** In order, and in the end what is so here. Rights that come back later are the later state as well as the earlier. */
export function wrongUpdates(
  providerUpdates: readonly ProviderUpdate[],
  states: readonly string[],
  last: string,
): string[] {
  const found: string[] = [];
  let newest = 0;
  for (const one of providerUpdates) {
    const index = states.indexOf(wholeOf(one), newest);
    const latest = states.lastIndexOf(wholeOf(one));
    if (latest === -1) found.push('the provider was told rights that never were');
    else if (index === -1) found.push(`the provider was told state ${latest} after state ${newest}`);
    newest = Math.max(newest, index);
  }
  const end = providerUpdates.at(-1);
  if (end === undefined || wholeOf(end) !== last) found.push('the provider has other rights in the end');
  return found;
}

const EARLIER_MS = 1_000;

/** The same twice, with no kill at the first time or since, and no change there and back. */
function repeatedUpdates(
  providerUpdates: readonly ProviderUpdate[],
  queuedChanges: readonly QueuedChange[],
  kills: readonly number[],
): string[] {
  return providerUpdates.flatMap((one, index) => {
    const before = providerUpdates[index - 1];
    if (before === undefined || before.at === 0 || wholeOf(before) !== wholeOf(one)) return [];
    const isSince = (moment: number): boolean => moment >= before.at - EARLIER_MS && moment <= one.at;
    const changes = queuedChanges.filter(({ createdAt }) => isSince(createdAt)).length;
    if (kills.some(isSince) || changes > 1) return [];
    return [`the provider was told the same twice without a crash, at ${before.at} and ${one.at}`];
  });
}
