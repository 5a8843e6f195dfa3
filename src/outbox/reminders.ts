import type { Logger } from 'pino';
import type { ReminderOutcome, Reminder, Reminders } from '../db/reminders.ts';
import * as limit from '../limits.ts';
import { runPeriodically } from '../periodic-task.ts';
import { Backoff, retryWithBackoff } from '../retries.ts';
import { withTimeout } from '../timeout.ts';
import { MailError, type Mailer } from './mailer.ts';
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

export function sendReminders(options: RemindersOptions) {
  const { queue, sendAt, log } = options;
  const { sendMs = limit.REMINDER_SEND_TIMEOUT_MS, leaseMs = limit.REMINDER_LEASE_MS } = options;
  const abort = new AbortController();
  const attempts = createReminderAttempts({ ...options, sendMs, leaseMs }, abort.signal);
  let isDatabaseAway = false;

  async function deliverReminder(reminder: Reminder): Promise<void> {
    const outcome = await attempts.send(reminder).catch((error: unknown): ReminderOutcome => {
      log.error(
        { err: error, userId: reminder.caller.userId },
        'a reminder could not be written; the service retries it',
      );
      const reason = shortenToSingleLine(String(error), limit.MAIL_SERVER_MESSAGE_CHARACTERS);
      return { state: 'WAITING', reason, retryAfterMs: limit.REMINDER_RETRY_MS };
    });
    // Tries repeatedly to record a mail's outcome, because another process would send an unrecorded mail again.
    const isRecorded = await retryWithBackoff(() => queue.recordOutcome(reminder, outcome), {
      pausesMs: limit.REMINDER_RESULT_RETRY_PAUSES_MS,
      shouldRetry: () => !abort.signal.aborted,
      deadline: performance.now() + limit.REMINDER_RESULT_TIMEOUT_MS,
      signal: abort.signal,
    });
    if (!isRecorded && outcome.state === 'SENT')
      log.warn({ userId: reminder.caller.userId }, 'another process has sent the same reminder');
  }

  async function sendDueReminders(ending: AbortSignal): Promise<void> {
    await queue.plan(sendAt.time, sendAt.zone);
    const deliverQueued = async (): Promise<void> => {
      while (!ending.aborted && !attempts.isPaused) {
        const reminder = await queue.claim(leaseMs);
        if (reminder === undefined) return;
        await deliverReminder(reminder);
      }
    };
    const results = await Promise.allSettled(Array.from({ length: limit.CONCURRENT_REMINDER_MAILS }, deliverQueued));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  async function runReminderRound(ending: AbortSignal): Promise<void> {
    try {
      await sendDueReminders(ending);
      if (isDatabaseAway) log.info('reminders are sent again');
      isDatabaseAway = false;
    } catch (error) {
      if (!isDatabaseAway) log.error({ err: error }, 'reminders could not be read, or their results not stored');
      isDatabaseAway = true;
    }
  }

  const task = runPeriodically(
    runReminderRound,
    'reminders could not be sent',
    log,
    options.idleMs ?? limit.REMINDER_POLL_MS,
  );
  return {
    sendNow: task.runNow,
    /** Finishes the current mails, or aborts them after `withinMs`; other processes then send these mails. */
    async close(withinMs = sendMs): Promise<void> {
      const closing = task.close();
      const brokenOffError = (): Error => new Error('reminders were broken off');
      await withTimeout(Math.max(withinMs - limit.RETURNED_DELIVERY_PAUSE_MS, 0), closing, brokenOffError).catch(
        (error: unknown) => {
          log.warn({ err: error }, 'shutdown: other processes send the remaining reminders');
          abort.abort();
        },
      );
      await withTimeout(limit.RETURNED_DELIVERY_PAUSE_MS, closing, brokenOffError).catch(() => undefined);
    },
  };
}

/** Sends single reminders, and pauses all while the mail server is unreachable. `ending` breaks off what is sent. */
function createReminderAttempts(
  { queue, log, sendMs, leaseMs, ...options }: RemindersOptions & { readonly sendMs: number; readonly leaseMs: number },
  ending: AbortSignal,
) {
  const backoff = new Backoff(limit.MAIL_SERVER_RETRY_PAUSES_MS);
  let pausedUntil = -Infinity;
  let isServerAway = false;

  async function attempt(reminder: Reminder): Promise<ReminderOutcome> {
    const items = await options.readDueItems(reminder);
    if (items.due.length === 0) return { state: 'NOTHING_DUE' };
    const { name, language, day } = reminder;
    const mail = createReminderMail(
      { userId: reminder.caller.userId, name, language, day },
      items,
      options.frontendUrl,
    );
    // Sets the deadline before the lease begins, so that a process that was suspended sends no mail after the lease.
    const deadline = performance.now() + sendMs;
    const address = await queue.handOver(reminder, leaseMs);
    if (address === undefined) return { state: 'WAITING', retryAfterMs: limit.REMINDER_RETRY_MS };
    try {
      const timeout = AbortSignal.timeout(Math.max(Math.ceil(deadline - performance.now()), 0));
      await options.send(
        { ...mail, to: { name: convertToSingleLine(name), address } },
        AbortSignal.any([ending, timeout]),
      );
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

  return {
    send: attempt,
    get isPaused(): boolean {
      return performance.now() < pausedUntil;
    },
  };
}
