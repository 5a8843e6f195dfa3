import type { UserOfProvider, UsersOfProvider } from '../db/users-of-provider.ts';
import type { KnownRights, Management, Rights } from '../identity/management/client.ts';
import { ManagementError } from '../identity/management/errors.ts';
import { COMPARED_AT_ONCE, COMPARED_PAGE, COMPARED_WAITS, DELIVERY_MS } from '../limits.ts';

export interface Difference {
  readonly userId: string;
  readonly email: string;
  readonly words: readonly string[];
  readonly canBeSent: boolean;
}

export async function compareAll(
  stored: Pick<UsersOfProvider, 'users'>,
  management: Management,
  onProgress: (done: number) => void,
  sleep: (ms: number) => Promise<unknown>,
) {
  const differences: Difference[] = [];
  let users = 0;

  async function ask(subject: string): Promise<KnownRights | undefined> {
    for (let waits = 0; ; waits += 1) {
      while (management.pausedMs() > 0) await sleep(management.pausedMs());
      const signal = AbortSignal.timeout(DELIVERY_MS);
      try {
        return await management.read(subject, { until: performance.now() + DELIVERY_MS, signal });
      } catch (error) {
        if (!(error instanceof ManagementError)) throw error;
        if (error.trouble === 'unknown') return undefined;
        if (error.trouble !== 'limited' || waits === COMPARED_WAITS) throw error;
      }
    }
  }

  async function compare({ userId, email, subject, rights, isUndelivered }: UserOfProvider): Promise<void> {
    const known = await ask(subject);
    const words =
      known === undefined ? ['the provider does not know this user'] : differencesOf(rights, known);
    if (words.length > 0 && known !== undefined && isUndelivered) words.push('on its way');
    if (words.length > 0) differences.push({ userId, email, words, canBeSent: known !== undefined });
    onProgress((users += 1));
  }

  for (let after: string | undefined; ; ) {
    const page = await stored.users(after, COMPARED_PAGE);
    const left = [...page];
    const lane = async (): Promise<void> => {
      for (let user = left.shift(); user !== undefined; user = left.shift()) await compare(user);
    };
    await Promise.all(Array.from({ length: COMPARED_AT_ONCE }, lane));
    after = page.at(-1)?.userId;
    if (page.length < COMPARED_PAGE) {
      differences.sort((one, other) => (one.userId < other.userId ? -1 : 1));
      return { users, differences };
    }
  }
}

/** Of the lists of clients it gives only the lengths, because a list may have thousands. */
export function differencesOf(ours: Rights, theirs: KnownRights): string[] {
  const words: string[] = [];
  if (theirs.role !== ours.role) words.push(`role: ${ours.role} here, ${theirs.role ?? 'none'} there`);
  if (theirs.clientAccess === undefined) words.push('client_access: none there');
  else {
    const less = countMissing(ours.clientAccess, theirs.clientAccess);
    const more = countMissing(theirs.clientAccess, ours.clientAccess);
    if (less + more > 0) words.push(`client_access: ${String(less)} only here, ${String(more)} only there`);
  }
  if (theirs.isActive !== ours.isActive)
    words.push(ours.isActive ? 'active here, blocked there' : 'inactive here, not blocked there');
  return words;
}

function countMissing(some: readonly string[], others: readonly string[]): number {
  const known = new Set(others);
  return new Set(some.filter((id) => !known.has(id))).size;
}
