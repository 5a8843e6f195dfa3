import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openSigningKey, deriveSecret } from '../../src/demo/provider/key.ts';
import type { Role } from '../../src/identity/caller.ts';
import { demonstrationToken, greetingOf, start } from './process.ts';
import { createScratchFolder } from './scratch.ts';

/** A process of `npm start` in an empty folder, which runs the demonstration with the embedded identity provider. */
interface DemonstrationProcess {
  readonly url: string;
  readonly issuer: string;
  /** Returns the password of the demonstration’s user with the given email, which the service prints at its start. */
  passwordOf(email: string): string;
  tokenOf(role: Role): Promise<string>;
  /** Returns the secret with which the service authenticates at the management API of its identity provider. */
  credential(): Promise<string>;
  end(): Promise<number | string>;
}

export async function startDemonstration(
  environment: Readonly<Record<string, string>> = {},
): Promise<DemonstrationProcess> {
  const folder = await createScratchFolder();
  const started = start(folder, { PORT: '0', ...environment });
  const { api: url, issuer = '', logins = [] } = await greetingOf(started);
  const passwords = new Map(logins.map(({ email, password }) => [email, password]));
  return {
    ...{ url, issuer },
    passwordOf: (email) => {
      const password = passwords.get(email);
      if (password === undefined) throw new Error(`the greeting has no password of ${email}`);
      return password;
    },
    tokenOf: (role) => demonstrationToken(url, role),
    credential: async () => deriveSecret('management', await openSigningKey(join(folder, '.data'))),
    end: async () => {
      started.signal('SIGTERM');
      const how = await started.ended;
      await rm(folder, { recursive: true });
      return how;
    },
  };
}
