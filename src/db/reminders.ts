import { ROLES, type Caller } from '../identity/caller.ts';
import type { Language } from '../problems.ts';
import { readAsLogin, type DatabaseLogin } from './database.ts';
import { formatInterval, parsePostgresArray } from './identity-changes.ts';

/** A user's reminder for one day, reserved for this process: until the lease ends, no other process may send it. */
export interface Reminder {
  /** The user who gets the reminder, with the user's stored rights; the database refuses rights that have changed. */
  readonly caller: Caller;
  readonly name: string;
  readonly language: Language;
  readonly day: string;
  readonly remindedUntil: string;
  readonly claim: string;
  readonly kinds: readonly string[];
  readonly onlyMine: boolean;
}

export type ReminderOutcome =
  | { readonly state: 'SENT' | 'NOTHING_DUE' }
  | {
      readonly state: 'WAITING';
      readonly reason?: string;
      /** True if the mail server stopped answering but may have accepted the mail. */
      readonly isCutOff?: boolean;
      readonly retryAfterMs: number;
    };

export type Reminders = ReturnType<typeof createReminderQueue>;

const CLAIM_QUERY = `
select
    r.user_id, r.day, r.told_until, r.claim, r.subject, r.name, r.role, r.client_access, r.access_digest, r.language,
    r.kinds, r.only_mine, floor(extract(epoch from clock_timestamp()))
from app.claim_reminder($1) as r`;

export function createReminderQueue(database: DatabaseLogin) {
  return {
    async plan(at: string, zone: string): Promise<number> {
      return Number((await readAsLogin(database, 'select app.plan_reminders($1, $2)', at, zone))[0]?.[0]);
    },
    async claim(leaseMs: number): Promise<Reminder | undefined> {
      const [row] = await readAsLogin(database, CLAIM_QUERY, formatInterval(leaseMs));
      return row && parseReminder(row.map(String));
    },
    /** Returns the user's mail address; undefined if the lease has ended or the user's rights have changed. */
    async handOver({ claim, caller }: Reminder, leaseMs: number): Promise<string | undefined> {
      const [row] = await readAsLogin(
        database,
        'select app.hand_over_reminder($1, $2, $3)',
        claim,
        caller.accessDigest,
        formatInterval(leaseMs),
      );
      return row?.[0] ?? undefined;
    },
    async recordOutcome({ caller, day, claim }: Reminder, outcome: ReminderOutcome): Promise<boolean> {
      const { reason = null, isCutOff = false, retryAfterMs = 0 } = outcome.state === 'WAITING' ? outcome : {};
      const [row] = await readAsLogin(
        database,
        'select app.settle_reminder($1, $2, $3, $4, $5, $6, $7)',
        caller.userId,
        day,
        claim,
        outcome.state,
        reason,
        isCutOff,
        formatInterval(retryAfterMs),
      );
      return row?.[0] === 't';
    },
    async countUnsent() {
      const [row = []] = await readAsLogin(
        database,
        'select r.mails, r.oldest_seconds, r.cut_off from app.unsent_reminders() as r',
      );
      const [mails, oldestSeconds, cutOff] = row.map(Number);
      return { mails, oldestSeconds, cutOff };
    },
  };
}

function parseReminder(row: readonly string[]): Reminder {
  const [userId = '', day = '', remindedUntil = '', claim = '', subject = '', name = '', ...rest] = row;
  const [roleName = '', clients = '', accessDigest = '', language = '', kinds = '', onlyMine = '', now = ''] = rest;
  const role = ROLES.find((known) => known === roleName);
  if (role === undefined) throw new Error('a reminder is of a user without a role');
  return {
    caller: {
      subject,
      userId,
      role,
      clientAccess: parsePostgresArray(clients),
      accessDigest,
      issuedAt: Number(now),
      email: undefined,
      name: undefined,
    },
    name,
    day,
    remindedUntil,
    claim,
    kinds: parsePostgresArray(kinds),
    onlyMine: onlyMine === 't',
    language: language === 'en' ? 'en' : 'fr',
  };
}
