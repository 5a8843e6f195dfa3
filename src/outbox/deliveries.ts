import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import { createIdentityChangeQueue } from '../db/identity-changes.ts';
import { createReminderQueue } from '../db/reminders.ts';
import { RIGHTS_DELIVERY_POLL_MS } from '../limits.ts';
import type { RemindersOptions } from './reminders.ts';

/**
 * Starts to send changed rights to the identity provider. An instance without access to the provider's management
 * interface leaves them to other instances.
 */
export async function deliverRights(
  { management }: Pick<Config['identity'], 'management'>,
  database: Database,
  log: Logger,
) {
  if (management === undefined) return undefined;
  const { openManagementClient } = await import('../identity/management/client.ts');
  const { deliverIdentityChanges } = await import('./worker.ts');
  return deliverIdentityChanges({
    changes: createIdentityChangeQueue(database),
    management: openManagementClient(management),
    log,
    idleMs: RIGHTS_DELIVERY_POLL_MS,
  });
}

/** Starts to send reminders. An instance with neither a mail server nor a folder leaves them to other instances. */
export async function deliverReminders(
  { smtpUrl, folder, from, sendAt, frontendUrl }: Config['mails'],
  database: Database,
  readDueItems: RemindersOptions['readDueItems'],
  log: Logger,
) {
  if (smtpUrl === undefined && folder === undefined) return undefined;
  const { createFileMailer, createSmtpMailer } = await import('./mailer.ts');
  const { sendReminders } = await import('./reminders.ts');
  const send = smtpUrl === undefined ? await createFileMailer(folder ?? '', from) : createSmtpMailer(smtpUrl, from);
  return sendReminders({ queue: createReminderQueue(database), readDueItems, send, sendAt, frontendUrl, log });
}
