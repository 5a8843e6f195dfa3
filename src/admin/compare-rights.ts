import type { UserOfProvider, ProviderUserReader } from './users-of-provider.ts';
import type { ProviderRights, ManagementClient, UserRights } from '../identity/management/client.ts';
import { ManagementError } from '../identity/management/errors.ts';
import { shortenToSingleLine } from '../single-line.ts';
import {
  IDENTITY_SYNC_CONCURRENT_REQUESTS,
  IDENTITY_SYNC_PAGE_USERS,
  IDENTITY_SYNC_MAX_WAITS,
  RIGHTS_DELIVERY_TIMEOUT_MS,
} from '../limits.ts';

export interface RightsDifference {
  readonly userId: string;
  readonly email: string;
  readonly words: readonly string[];
  readonly canBeSent: boolean;
}

export async function compareRights(
  stored: Pick<ProviderUserReader, 'users'>,
  management: ManagementClient,
  onProgress: (done: number) => void,
  sleep: (ms: number) => Promise<unknown>,
) {
  const differences: RightsDifference[] = [];
  let users = 0;

  async function read(subject: string): Promise<ProviderRights | undefined> {
    for (let waits = 0; ; waits += 1) {
      while (management.remainingPauseMs() > 0) await sleep(management.remainingPauseMs());
      const deadline = performance.now() + RIGHTS_DELIVERY_TIMEOUT_MS;
      try {
        return await management.read(subject, { deadline, signal: AbortSignal.timeout(RIGHTS_DELIVERY_TIMEOUT_MS) });
      } catch (error) {
        if (!(error instanceof ManagementError)) throw error;
        if (error.kind === 'unknown') return undefined;
        if (error.kind !== 'limited' || waits === IDENTITY_SYNC_MAX_WAITS) throw error;
      }
    }
  }

  async function compareUser({ userId, email, subject, rights, isUndelivered }: UserOfProvider): Promise<void> {
    const theirs = await read(subject);
    const words = theirs === undefined ? ['the provider does not know this user'] : describeDifferences(rights, theirs);
    if (words.length > 0 && theirs !== undefined && isUndelivered) words.push('on its way');
    if (words.length > 0) differences.push({ userId, email, words, canBeSent: theirs !== undefined });
    onProgress((users += 1));
  }

  for (let after: string | undefined; ; ) {
    const page = await stored.users(after, IDENTITY_SYNC_PAGE_USERS);
    const queue = [...page];
    const compareNext = async (): Promise<void> => {
      for (let user = queue.shift(); user !== undefined; user = queue.shift()) await compareUser(user);
    };
    await Promise.all(Array.from({ length: IDENTITY_SYNC_CONCURRENT_REQUESTS }, compareNext));
    after = page.at(-1)?.userId;
    if (page.length < IDENTITY_SYNC_PAGE_USERS) {
      differences.sort((one, other) => (one.userId < other.userId ? -1 : 1));
      return { users, differences };
    }
  }
}

/** Describes how a user's rights in the database differ from those at the identity provider, without client ids. */
export function describeDifferences(ours: UserRights, theirs: ProviderRights): string[] {
  const words: string[] = [];
  if (theirs.role !== ours.role)
    words.push(`role: ${ours.role} here, ${shortenToSingleLine(theirs.role ?? 'none', 50)} there`);
  if (theirs.clientAccess === undefined) words.push('client_access: none there');
  else {
    const onlyHere = countMissing(ours.clientAccess, theirs.clientAccess);
    const onlyThere = countMissing(theirs.clientAccess, ours.clientAccess);
    if (onlyHere + onlyThere > 0) words.push(`client_access: ${onlyHere} only here, ${onlyThere} only there`);
  }
  if (theirs.isActive !== ours.isActive)
    words.push(ours.isActive ? 'active here, blocked there' : 'inactive here, not blocked there');
  return words;
}

function countMissing(ids: readonly string[], others: readonly string[]): number {
  const known = new Set(others);
  return new Set(ids.filter((id) => !known.has(id))).size;
}
