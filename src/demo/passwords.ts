import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashPassword } from '../identity/password.ts';
import { DEMONSTRATION_PASSWORDS_TIMEOUT_MS } from '../limits.ts';
import { withClient } from './postgres/connect.ts';
import { DEMONSTRATION_USERS } from './people.ts';
import { openIdentityFolder, ignoreMissingFile, writeFileIfAbsent } from './provider/key.ts';

interface DemonstrationLogin {
  readonly email: string;
  readonly password: string;
}

type StoredLogins = readonly (DemonstrationLogin & { readonly hash: string })[];

export async function setDemonstrationPasswords(
  adminUrl: string,
  dataDir: string,
): Promise<readonly DemonstrationLogin[]> {
  const logins = await readOrMakePasswords(dataDir);
  return withClient(adminUrl, async (client) => {
    const values = [logins.map(({ email }) => email), logins.map(({ hash }) => hash)];
    await client.query(
      `update public.users as u
       set password_hash = given.hash
       from unnest($1::text[], $2::text[]) as given (email, hash)
       where u.email = given.email and u.password_hash = '!' and starts_with(u.subject, 'demonstration|')`,
      values,
    );
    const { rows } = await client.query<{ email: string }>(
      `select u.email
       from public.users as u
       join unnest($1::text[], $2::text[]) as given (email, hash)
           on u.email = given.email and u.password_hash = given.hash and u.is_active`,
      values,
    );
    const valid = new Set(rows.map(({ email }) => email));
    return logins.filter(({ email }) => valid.has(email)).map(({ email, password }) => ({ email, password }));
  });
}

/** Writes new passwords to a file before their first use, so that a start after a crash uses the same passwords. */
async function readOrMakePasswords(dataDir: string): Promise<StoredLogins> {
  const file = join(await openIdentityFolder(dataDir), 'demonstration.json');
  const text = await readFile(file, 'utf8').catch(ignoreMissingFile);
  if (text !== undefined) return JSON.parse(text) as StoredLogins;
  const logins = [];
  for (const { email } of DEMONSTRATION_USERS) {
    const password = randomBytes(8)
      .toString('hex')
      .replace(/(.{4})(?=.)/g, '$1-');
    const hash = await hashPassword(password, { limitMs: DEMONSTRATION_PASSWORDS_TIMEOUT_MS });
    logins.push({ email, password, hash });
  }
  await writeFileIfAbsent(file, JSON.stringify(logins));
  return readOrMakePasswords(dataDir);
}
