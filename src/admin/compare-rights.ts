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

  async function readProviderRights(subject: string): Promise<ProviderRights | undefined> {
    for (let waits = 0; ; waits += 1) {
      while (management.remainingPauseMs() > 0) await sleep(management.remainingPauseMs());
      const signal = AbortSignal.timeout(RIGHTS_DELIVERY_TIMEOUT_MS);
      try {
        return await management.read(subject, {
          deadline: performance.now() + RIGHTS_DELIVERY_TIMEOUT_MS,
          signal,
        });
      } catch (error) {
        if (!(error instanceof ManagementError)) throw error;
        if (error.kind === 'unknown') return undefined;
        if (error.kind !== 'limited' || waits === IDENTITY_SYNC_MAX_WAITS) throw error;
      }
    }
  }

  async function compareUser({ userId, email, subject, rights, isUndelivered }: UserOfProvider): Promise<void> {
    const providerRights = await readProviderRights(subject);
    const words =
      providerRights === undefined
        ? ['the provider does not know this user']
        : describeDifferences(rights, providerRights);
    if (words.length > 0 && providerRights !== undefined && isUndelivered) words.push('on its way');
    if (words.length > 0) differences.push({ userId, email, words, canBeSent: providerRights !== undefined });
    onProgress((users += 1));
  }

  for (let after: string | undefined; ; ) {
    const userPage = await stored.users(after, IDENTITY_SYNC_PAGE_USERS);
    const userQueue = [...userPage];
    const compareQueuedUsers = async (): Promise<void> => {
      for (let user = userQueue.shift(); user !== undefined; user = userQueue.shift()) await compareUser(user);
    };
    await Promise.all(Array.from({ length: IDENTITY_SYNC_CONCURRENT_REQUESTS }, compareQueuedUsers));
    after = userPage.at(-1)?.userId;
    if (userPage.length < IDENTITY_SYNC_PAGE_USERS) {
      differences.sort((one, other) => (one.userId < other.userId ? -1 : 1));
      return { users, differences };
    }
  }
}

/** Describes how a user's rights in the database differ from those at the identity provider, without client ids. */
export function describeDifferences(ours: UserRights, theirs: ProviderRights): string[] {
  const differenceTexts: string[] = [];
  if (theirs.role !== ours.role)
    differenceTexts.push(`role: ${ours.role} here, ${shortenToSingleLine(theirs.role ?? 'none', 50)} there`);
  if (theirs.clientAccess === undefined) differenceTexts.push('client_access: none there');
  else {
    const missingAtProviderCount = countMissingIds(ours.clientAccess, theirs.clientAccess);
    const missingInDatabaseCount = countMissingIds(theirs.clientAccess, ours.clientAccess);
    if (missingAtProviderCount + missingInDatabaseCount > 0)
      differenceTexts.push(
        `client_access: ${String(missingAtProviderCount)} only here, ${String(missingInDatabaseCount)} only there`,
      );
  }
  if (theirs.isActive !== ours.isActive)
    differenceTexts.push(ours.isActive ? 'active here, blocked there' : 'inactive here, not blocked there');
  return differenceTexts;
}

function countMissingIds(ids: readonly string[], others: readonly string[]): number {
  const otherIdSet = new Set(others);
  return new Set(ids.filter((id) => !otherIdSet.has(id))).size;
}
