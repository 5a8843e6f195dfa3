import type { UserOfProvider, UsersOfProvider } from '../db/users-of-provider.ts';
import type { ProviderRights, ManagementClient, Rights } from '../identity/management/client.ts';
import { ManagementError } from '../identity/management/errors.ts';
import { SYNC_REQUESTS_AT_ONCE, SYNC_USERS_PAGE, SYNC_MAX_WAITS, DELIVERY_MS } from '../limits.ts';

export interface RightsDifference {
  readonly userId: string;
  readonly email: string;
  readonly words: readonly string[];
  readonly canBeSent: boolean;
}

export async function compareRights(
  stored: Pick<UsersOfProvider, 'users'>,
  management: ManagementClient,
  onProgress: (done: number) => void,
  sleep: (ms: number) => Promise<unknown>,
) {
  const differences: RightsDifference[] = [];
  let users = 0;

  async function readFromProvider(subject: string): Promise<ProviderRights | undefined> {
    for (let waits = 0; ; waits += 1) {
      while (management.remainingPauseMs() > 0) await sleep(management.remainingPauseMs());
      const signal = AbortSignal.timeout(DELIVERY_MS);
      try {
        return await management.read(subject, { deadline: performance.now() + DELIVERY_MS, signal });
      } catch (error) {
        if (!(error instanceof ManagementError)) throw error;
        if (error.kind === 'unknown') return undefined;
        if (error.kind !== 'limited' || waits === SYNC_MAX_WAITS) throw error;
      }
    }
  }

  async function compareUser({
    userId,
    email,
    subject,
    rights,
    isUndelivered,
  }: UserOfProvider): Promise<void> {
    const providerRights = await readFromProvider(subject);
    const words =
      providerRights === undefined
        ? ['the provider does not know this user']
        : differenceTexts(rights, providerRights);
    if (words.length > 0 && providerRights !== undefined && isUndelivered) words.push('on its way');
    if (words.length > 0) differences.push({ userId, email, words, canBeSent: providerRights !== undefined });
    onProgress((users += 1));
  }

  for (let after: string | undefined; ; ) {
    const page = await stored.users(after, SYNC_USERS_PAGE);
    const queue = [...page];
    const compareQueue = async (): Promise<void> => {
      for (let user = queue.shift(); user !== undefined; user = queue.shift()) await compareUser(user);
    };
    await Promise.all(Array.from({ length: SYNC_REQUESTS_AT_ONCE }, compareQueue));
    after = page.at(-1)?.userId;
    if (page.length < SYNC_USERS_PAGE) {
      differences.sort((one, other) => (one.userId < other.userId ? -1 : 1));
      return { users, differences };
    }
  }
}

/** Describes how a user's rights in the database and at the identity provider differ; only counts the clients. */
export function differenceTexts(ours: Rights, theirs: ProviderRights): string[] {
  const differenceWords: string[] = [];
  if (theirs.role !== ours.role)
    differenceWords.push(`role: ${ours.role} here, ${theirs.role ?? 'none'} there`);
  if (theirs.clientAccess === undefined) differenceWords.push('client_access: none there');
  else {
    const missingThere = countMissing(ours.clientAccess, theirs.clientAccess);
    const missingHere = countMissing(theirs.clientAccess, ours.clientAccess);
    if (missingThere + missingHere > 0)
      differenceWords.push(
        `client_access: ${String(missingThere)} only here, ${String(missingHere)} only there`,
      );
  }
  if (theirs.isActive !== ours.isActive)
    differenceWords.push(ours.isActive ? 'active here, blocked there' : 'inactive here, not blocked there');
  return differenceWords;
}

function countMissing(ids: readonly string[], others: readonly string[]): number {
  const knownIds = new Set(others);
  return new Set(ids.filter((id) => !knownIds.has(id))).size;
}
