import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { identityFolder, ignoreMissing, writeOnce } from './keys.ts';

/** What the provider knows and nobody else; made at the first start, and kept beside the keys. */
export interface ProviderSecrets {
  /** Signs the cookies, and makes the digests under which the store keeps: an id is of no use that was not given out. */
  readonly cookies: string;
  /** The bearer credential of the management interface, for whoever administers the provider. */
  readonly management: string;
  /** The API's own: with it, what is so already is confirmed, and nothing changed. */
  readonly api: string;
}

const FORM = /^[\w-]{43}$/;

/** @throws Error in one line where the file holds something else */
export async function openSecrets(dataDir: string): Promise<ProviderSecrets> {
  const file = join(await identityFolder(dataDir), 'secrets.json');
  const text = await readFile(file, 'utf8').catch(ignoreMissing);
  if (text === undefined) {
    const fresh = (): string => randomBytes(32).toString('base64url');
    await writeOnce(file, JSON.stringify({ cookies: fresh(), management: fresh(), api: fresh() }));
    return openSecrets(dataDir);
  }
  const secrets = parse(text);
  const { cookies = '', management = '', api = '' } = secrets ?? {};
  if ([cookies, management, api].every((secret) => FORM.test(secret))) return { cookies, management, api };
  throw new Error(`${file} holds no secrets; delete it to have new ones made, which ends all logins`);
}

function parse(text: string): Partial<ProviderSecrets> | undefined {
  try {
    return JSON.parse(text) as Partial<ProviderSecrets>;
  } catch {
    return undefined;
  }
}
