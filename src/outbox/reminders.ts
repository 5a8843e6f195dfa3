import type { Logger } from 'pino';
import type { ReminderOutcome, Reminder, Reminders } from '../db/reminders.ts';
import * as limit from '../limits.ts';
import { Backoff, retryWithBackoff } from '../retries.ts';
import { MailError, type Mailer } from './mailer.ts';
import { runOutbox } from './outbox.ts';
import { createReminderMail, type DueItem } from './reminder-mail.ts';
import { convertToSingleLine, shortenToSingleLine } from '../single-line.ts';

/* Sends planned reminders from the database to the mail server; see docs/decisions/reminders.md */

export interface RemindersOptions {
  readonly queue: Reminders;
  /** Reads the due items with the rights of the user who gets the reminder. */
  readonly readDueItems: (reminder: Reminder) => Promise<{ readonly due: readonly DueItem[]; readonly count: number }>;
  readonly send: Mailer;
  readonly sendAt: { readonly time: string; readonly zone: string };
  readonly frontendUrl: string | undefined;
  readonly log: Logger;
  readonly sendMs?: number;
  readonly leaseMs?: number;
  readonly idleMs?: number;
}

/** Plans reminders each day, and sends them. The mail server is given a pause while it is unreachable. */
export function sendReminders({
  queue,
  readDueItems,
  send,
  sendAt,
  frontendUrl,
  log,
  sendMs = limit.REMINDER_SEND_TIMEOUT_MS,
  leaseMs = limit.REMINDER_LEASE_MS,
  idleMs = limit.REMINDER_POLL_MS,
}: RemindersOptions) {
  const backoff = new Backoff(limit.MAIL_SERVER_RETRY_PAUSES_MS);
  let pausedUntil = -Infinity;
  let isServerAway = false;

  async function prepare(): Promise<void> {
    await queue.plan(sendAt.time, sendAt.zone);
  }

  async function claim(most: number): Promise<readonly Reminder[]> {
    const claimed: Reminder[] = [];
    while (claimed.length < most) {
      const reminder = await queue.claim(leaseMs);
      if (reminder === undefined) break;
      claimed.push(reminder);
    }
    return claimed;
  }

  async function deliver(reminder: Reminder, signal: AbortSignal): Promise<void> {
    const { userId } = reminder.caller;
    const outcome = await attempt(reminder, signal).catch((error: unknown): ReminderOutcome => {
      log.error({ err: error, userId }, 'a reminder could not be written; the service retries it');
      const reason = shortenToSingleLine(String(error), limit.MAIL_SERVER_MESSAGE_CHARACTERS);
      return { state: 'WAITING', reason, retryAfterMs: limit.REMINDER_RETRY_MS };
    });
    // Tries repeatedly to record a mail's outcome, because another process would send an unrecorded mail again.
    const isRecorded = await retryWithBackoff(() => queue.recordOutcome(reminder, outcome), {
      pausesMs: limit.REMINDER_RESULT_RETRY_PAUSES_MS,
      shouldRetry: () => !signal.aborted,
      deadline: performance.now() + limit.REMINDER_RESULT_TIMEOUT_MS,
      signal,
    });
    if (!isRecorded && outcome.state === 'SENT') log.warn({ userId }, 'another process has sent the same reminder');
  }

  async function attempt(reminder: Reminder, ending: AbortSignal): Promise<ReminderOutcome> {
    const items = await readDueItems(reminder);
    if (items.due.length === 0) return { state: 'NOTHING_DUE' };
    const { name, language, day } = reminder;
    const mail = createReminderMail({ userId: reminder.caller.userId, name, language, day }, items, frontendUrl);
    // Sets the deadline before the lease begins, so that a process that was suspended sends no mail after the lease.
    const deadline = performance.now() + sendMs;
    const address = await queue.handOver(reminder, leaseMs);
    if (address === undefined) return { state: 'WAITING', retryAfterMs: limit.REMINDER_RETRY_MS };
    const timeout = AbortSignal.timeout(Math.max(Math.ceil(deadline - performance.now()), 0));
    try {
      await send({ ...mail, to: { name: convertToSingleLine(name), address } }, AbortSignal.any([ending, timeout]));
    } catch (error) {
      return noteFailure(error, reminder);
    }
    if (isServerAway) log.info('the mail server accepts mails again');
    isServerAway = false;
    backoff.reset();
    return { state: 'SENT' };
  }

  function noteFailure(error: unknown, { caller: { userId } }: Reminder): ReminderOutcome {
    const reason = shortenToSingleLine((error as Error).message, limit.MAIL_SERVER_MESSAGE_CHARACTERS);
    const mailError = error instanceof MailError ? error : undefined;
    const { isCutOff = false, retryAfterMs = 0 } = mailError ?? {};
    if (mailError?.scope === 'recipient')
      // The mail server's answer may contain the mail address, so it is not logged, only stored in the database.
      log.warn({ userId }, 'the mail server refuses a reminder; last_error in app.reminders says why');
    else {
      if (!isServerAway) log.warn({ reason }, 'the mail server is unreachable: reminders wait');
      isServerAway = true;
      pausedUntil = performance.now() + backoff.nextPauseMs();
    }
    return { state: 'WAITING', reason, isCutOff, retryAfterMs };
  }

  const pauseMs = (): number => Math.max(0, pausedUntil - performance.now());
  const slots = limit.CONCURRENT_REMINDER_MAILS;
  return runOutbox({ items: 'reminders', slots, prepare, claim, deliver, pauseMs }, idleMs, sendMs, log);
}
