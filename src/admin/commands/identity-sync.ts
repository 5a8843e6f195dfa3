import { setTimeout } from 'node:timers/promises';
import { ConfigError, loadAdminConfig, loadConfig, type Config } from '../../config.ts';
import { openDatabase } from '../../db/database.ts';
import { createIdentityChangeQueue, type IdentityChanges } from '../../db/identity-changes.ts';
import { openProviderUserReader } from '../users-of-provider.ts';
import { openManagementClient, type ManagementClient } from '../../identity/management/client.ts';
import { createLog } from '../../log.ts';
import { compareRights, type RightsDifference } from '../compare-rights.ts';
import { deliverIdentityChanges } from '../../outbox/worker.ts';
import { IDENTITY_SYNC_DELIVERY_WAIT_MS, IDENTITY_SYNC_POLL_MS } from '../../limits.ts';
import { replaceControlCharacters } from '../../single-line.ts';
import { createProgressReporter, runCommand } from './run-command.ts';

const USAGE = `usage: npm run identity:sync -- [options]
Compares the role, the clients and the activity of every user with what the identity provider says, and prints what
differs. The users are read at DATABASE_ADMIN_URL, for the API's login may not list them.
  --apply   send the provider what is stored here
  --help, --version
Exit codes: 0 nothing differs, or all was mended; 1 something differs and was not mended; 2 it could not be asked.`;

const identitySyncCommand = {
  usage: USAGE,
  failureExitCode: 2,
  options: { apply: { type: 'boolean' } },
} as const;

await runCommand(identitySyncCommand, async ({ values: { apply } }) => {
  const config = loadConfig(process.env);
  const { management, url } = requireSyncSettings(config);
  const log = createLog('silent');
  const storedUsers = await openProviderUserReader(loadAdminConfig(process.env).databaseAdminUrl);
  const database = openDatabase({ ...config.database, url, log });
  try {
    const identityChangeQueue = createIdentityChangeQueue(database);
    const reportProgress = createProgressReporter((done: number) => `${String(done)} users compared so far`);
    const { users, differences } = await compareRights(storedUsers, management, reportProgress, setTimeout);
    for (const { userId, email, words } of differences) {
      process.stdout.write(`${replaceControlCharacters(`${userId} ${email}: ${words.join('; ')}`)}\n`);
    }
    process.stdout.write(`${String(users)} users compared, ${String(differences.length)} differ\n`);
    if (differences.length === 0) return 0;
    if (apply !== true) return 1;
    return await sendDifferences(identityChangeQueue, management, differences);
  } finally {
    await storedUsers.close();
    await database.close();
  }
});

function requireSyncSettings({ database, identity }: Config): { management: ManagementClient; url: string } {
  if (database.url === undefined) throw new ConfigError('DATABASE_URL must be set: what differs is sent from there');
  if (identity.management === undefined)
    throw new ConfigError('AUTH_MANAGEMENT_URL must be set: the provider is asked there');
  return { management: openManagementClient(identity.management), url: database.url };
}

async function sendDifferences(
  changes: IdentityChanges,
  management: ManagementClient,
  differences: readonly RightsDifference[],
): Promise<number> {
  const sendableDifferences = differences.filter(({ canBeSent }) => canBeSent);
  await changes.begin();
  for (const { userId } of sendableDifferences) await changes.resend(userId);
  const deliveryWorker = deliverIdentityChanges({ changes, management, log: createLog('silent') });
  const deliveryDeadlineMs = performance.now() + IDENTITY_SYNC_DELIVERY_WAIT_MS;
  const hasUndeliveredChanges = async (): Promise<boolean> =>
    (await changes.countUndelivered(sendableDifferences.map(({ userId }) => userId))).changes > 0;
  while ((await hasUndeliveredChanges()) && performance.now() < deliveryDeadlineMs) {
    await deliveryWorker.deliverNow();
    if (await hasUndeliveredChanges()) await setTimeout(IDENTITY_SYNC_POLL_MS);
  }
  await deliveryWorker.close();
  const isDeliveryIncomplete = await hasUndeliveredChanges();
  const unknownUserCount = differences.length - sendableDifferences.length;
  process.stdout.write(
    isDeliveryIncomplete
      ? 'sent, and not all of it has arrived yet\n'
      : `${String(sendableDifferences.length)} mended\n`,
  );
  if (unknownUserCount > 0) process.stdout.write(`${String(unknownUserCount)} cannot be mended from here\n`);
  return isDeliveryIncomplete || unknownUserCount > 0 ? 1 : 0;
}
