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

const command = {
  usage: `usage: npm run identity:sync -- [options]
Compares the role, the clients and the active state of every user with the identity provider, and prints the
differences. The users are read from DATABASE_ADMIN_URL, because the API's login may not list them.
  --apply   send the stored rights to the identity provider
  --help, --version
Exit codes: 0 no differences, or all were corrected; 1 differences remain; 2 the comparison failed.`,
  failureExitCode: 2,
  options: { apply: { type: 'boolean' } },
} as const;

await runCommand(command, async ({ values: { apply } }) => {
  const config = loadConfig(process.env);
  const { management, url } = requireSyncSettings(config);
  const log = createLog('silent');
  const stored = await openProviderUserReader(loadAdminConfig(process.env).databaseAdminUrl);
  const database = openDatabase({ ...config.database, url, log });
  try {
    const report = createProgressReporter((done: number) => `${done} users compared so far`);
    const { users, differences } = await compareRights(stored, management, report, setTimeout);
    for (const { userId, email, words } of differences) {
      process.stdout.write(`${replaceControlCharacters(`${userId} ${email}: ${words.join('; ')}`)}\n`);
    }
    process.stdout.write(`${users} users compared, ${differences.length} differ\n`);
    if (differences.length === 0) return 0;
    if (apply !== true) return 1;
    return await sendDifferences(createIdentityChangeQueue(database), management, differences);
  } finally {
    await stored.close();
    await database.close();
  }
});

function requireSyncSettings({ database, identity }: Config): { management: ManagementClient; url: string } {
  if (database.url === undefined)
    throw new ConfigError('DATABASE_URL must be set: the command sends the rights that this database has');
  if (identity.management === undefined)
    throw new ConfigError('AUTH_MANAGEMENT_URL must be set: the command reads the provider’s users there');
  return { management: openManagementClient(identity.management), url: database.url };
}

async function sendDifferences(
  changes: IdentityChanges,
  management: ManagementClient,
  differences: readonly RightsDifference[],
): Promise<number> {
  const ids = differences.filter(({ canBeSent }) => canBeSent).map(({ userId }) => userId);
  await changes.begin();
  for (const id of ids) await changes.resend(id);
  const worker = deliverIdentityChanges({ changes, management, log: createLog('silent') });
  const deadlineMs = performance.now() + IDENTITY_SYNC_DELIVERY_WAIT_MS;
  const isUndelivered = async (): Promise<boolean> => (await changes.countUndelivered(ids)).changes > 0;
  while ((await isUndelivered()) && performance.now() < deadlineMs) {
    await worker.deliverNow();
    if (await isUndelivered()) await setTimeout(IDENTITY_SYNC_POLL_MS);
  }
  await worker.close();
  const isIncomplete = await isUndelivered();
  const unknown = differences.length - ids.length;
  process.stdout.write(isIncomplete ? 'sent, but not all changes are delivered yet\n' : `${ids.length} corrected\n`);
  if (unknown > 0)
    process.stdout.write(`${unknown} cannot be corrected, because the provider does not know the user\n`);
  return isIncomplete || unknown > 0 ? 1 : 0;
}
