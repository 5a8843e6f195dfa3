import { hash } from 'bcryptjs';

const COST = 12;

/** What stands for the password of a user who has none here: no password has this hash. */
export const NO_PASSWORD = '!';

/** Bytes of a password that bcrypt looks at; whatever comes behind them would not count. */
export const LONGEST_PASSWORD = 72;

/** The salted bcrypt hash of a password of at most `LONGEST_PASSWORD` bytes. */
export async function hashPassword(password: string): Promise<string> {
  return hash(password, COST);
}
