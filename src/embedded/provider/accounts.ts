import type { Database } from '../../db/database.ts';
import type { Role } from '../../identity/caller.ts';

/** What the provider knows of a user: whatever the database says at this moment. */
export interface ProviderAccount {
  /** The subject of the user's tokens. */
  readonly account: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly clientAccess: readonly string[];
  readonly isActive: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** From where somebody tries to log in; for the limits and the audit record. */
export interface Attempt {
  readonly email: string;
  readonly ipAddress: string;
  readonly userAgent: string;
  readonly requestId: string;
}

/** What of a user is to be changed; what is left out stays. */
export interface AccountChange {
  readonly role?: Role | undefined;
  readonly clientAccess?: readonly string[] | undefined;
  readonly isActive?: boolean | undefined;
}

export interface Accounts {
  /** Undefined where the subject is nobody's. */
  find(account: string): Promise<ProviderAccount | undefined>;
  /** The same for a token of a login of that second; fails with TX401 where the login has ended since. */
  claimsOf(account: string, loggedInAt: number): Promise<ProviderAccount | undefined>;
  /** Counts an attempt; gives the salt for its password, or how many seconds to wait for the next. */
  begin(attempt: Attempt): Promise<{ readonly salt: string } | { readonly waitSeconds: number }>;
  /** Undefined where no active user has this email and password; else the second from which on the login counts. */
  finish(
    attempt: Attempt,
    hash: string,
  ): Promise<{ readonly account: string; readonly loggedInAt: number; readonly nowAt: number } | undefined>;
  /** False where the subject is nobody's. */
  change(
    account: string,
    change: AccountChange,
    origin: Pick<Attempt, 'ipAddress' | 'requestId'>,
  ): Promise<boolean>;
}

const COLUMNS = 'account, email, name, role, client_access, is_active, created_at, updated_at';

export function accountsOn(database: Pick<Database, 'callAsLogin'>): Accounts {
  async function read(from: string, ...values: (string | number)[]): Promise<ProviderAccount | undefined> {
    const { rows } = await database.callAsLogin({ text: `select ${COLUMNS} from ${from}`, values });
    const row = rows[0];
    if (row === undefined) return undefined;
    const [account, email, name, role, clients, isActive, createdAt, updatedAt] = row.map(String);
    return {
      account: account ?? '',
      email: email ?? '',
      name: name ?? '',
      role: role as Role,
      clientAccess: clients === undefined || clients === '' ? [] : clients.split(','),
      isActive: isActive === 't',
      createdAt: instant(createdAt),
      updatedAt: instant(updatedAt),
    };
  }

  return {
    find: (account) => read('app.identity_account($1)', account),
    claimsOf: (account, loggedInAt) => read('app.identity_claims($1, $2)', account, loggedInAt),
    async begin({ email, ipAddress, userAgent, requestId }) {
      const { rows } = await database.callAsLogin({
        text: 'select salt, wait_seconds from app.begin_login($1, $2, $3, $4)',
        values: [email, ipAddress, userAgent, requestId],
      });
      const [salt, waitSeconds] = rows[0] ?? [];
      return typeof salt === 'string' ? { salt } : { waitSeconds: Number(waitSeconds) };
    },
    async finish({ email, ipAddress, userAgent, requestId }, hash) {
      const { rows } = await database.callAsLogin({
        text: 'select account, logged_in_at, now_at from app.finish_login($1, $2, $3, $4, $5)',
        values: [email, hash, ipAddress, userAgent, requestId],
      });
      const [account, loggedInAt, nowAt] = rows[0] ?? [];
      if (typeof account !== 'string') return undefined;
      return { account, loggedInAt: Number(loggedInAt), nowAt: Number(nowAt) };
    },
    async change(account, { role, clientAccess, isActive }, { ipAddress, requestId }) {
      const { rows } = await database.callAsLogin({
        text: 'select app.change_identity_account($1, $2, $3::uuid[], $4, $5, $6)',
        values: [account, role ?? null, clientAccess ?? null, isActive ?? null, ipAddress, requestId],
      });
      return rows[0]?.[0] === 't';
    },
  };
}

/** As Postgres writes it in UTC, for machines. */
function instant(text = ''): string {
  return new Date(text).toISOString();
}
