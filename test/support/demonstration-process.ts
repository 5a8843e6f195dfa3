import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openKey, secretFor } from '../../src/embedded/provider/key.ts';
import { addressOf, start } from './process.ts';
import { createScratchFolder } from './scratch.ts';

/** `npm start` in an empty folder: the demonstration with its own identity provider, as a process. */
interface DemonstrationProcess {
  readonly url: string;
  readonly issuer: string;
  /** The password that the greeting prints for somebody. */
  passwordOf(email: string): string;
  /** The token that the greeting prints for a role. */
  tokenOf(role: string): string;
  /** What the service bears at the provider. */
  credential(): Promise<string>;
  /** Ends it, and gives the code with which it ended. */
  end(): Promise<number | string>;
}

export async function startDemonstration(
  environment: Readonly<Record<string, string>> = {},
): Promise<DemonstrationProcess> {
  const folder = await createScratchFolder();
  const started = start(folder, { PORT: '0', IDENTITY_PORT: '0', ...environment });
  const url = await addressOf(started);
  await started.says(/^curl .*\n/m);
  const [, issuer = ''] = /^Identity +(\S+)$/m.exec(started.out) ?? [];
  const passwords = new Map(
    [...started.out.matchAll(/^(\S+@\S+) {2}(\S+)$/gm)].map(([, email = '', password = '']) => [
      email,
      password,
    ]),
  );
  return {
    ...{ url, issuer },
    passwordOf: (email) => {
      const password = passwords.get(email);
      if (password === undefined) throw new Error(`the greeting has no password of ${email}`);
      return password;
    },
    tokenOf: (role) => new RegExp(`^${role} \\(.*\\)\\n(\\S+)$`, 'm').exec(started.out)?.[1] ?? '',
    credential: async () => secretFor('management', await openKey(join(folder, '.data'))),
    end: async () => {
      started.signal('SIGTERM');
      const how = await started.ended;
      await rm(folder, { recursive: true });
      return how;
    },
  };
}
