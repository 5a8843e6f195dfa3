import { rm, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { portOf, start } from '../support/process.ts';
import type { Started } from '../support/process.ts';
import { createScratchFolder } from '../support/scratch.ts';
import { foreignRowsSql, newTenant } from '../support/tenant.ts';
import type { Tenant } from '../support/tenant.ts';
import { openForge } from './forge.ts';
import type { Forge } from './forge.ts';
import { makeLogins } from './logins.ts';
import type { Logins } from './logins.ts';
import { contentOf, markedSql } from './marked-tenant.ts';
import { adminOf, embeddedAdminUrl, UNLIMITED } from '../support/world.ts';
import type { Admin } from '../support/world.ts';

/** The real service with two tenants. All texts of each tenant have a random mark, by which a leak is recognised. */
export interface World {
  readonly started: Started;
  readonly port: number;
  readonly adminUrl: string;
  readonly logins: Logins;
  readonly forge: Forge;
  /** The ids of two tenants: those of `mine` belong to the attacker, and the attacker wants the data of `foreign`. */
  readonly mine: Tenant;
  readonly foreign: Tenant;
  /** The random mark in each text of the attacker’s own tenant. */
  readonly ownMark: string;
  /** The marks, ids and names of the other tenants. An answer that contains one of them is a leak. */
  readonly foreignMarks: readonly string[];
  readonly tokens: Tokens;
  /** Returns all rows of the attacked tenant as JSON. No attack must change them. */
  foreignRows(): Promise<string>;
  readonly admin: Admin;
  close(): Promise<number | string>;
}

/**
 * The attacker’s tokens for one client, one token in each role. The token of the account manager `nobody` names no
 * client.
 */
export interface Tokens {
  readonly admin: string;
  readonly manager: string;
  readonly specialist: string;
  readonly client: string;
  readonly nobody: string;
}

const mark = (): string => `mark${randomBytes(6).toString('hex')}`;

/**
 * The largest document that the attacked service accepts, in bytes. It is small, so that an attack can quickly exceed
 * it.
 */
export const MAX_DOCUMENT = 1024 * 1024;

export async function openWorld(): Promise<World> {
  const folder = await createScratchFolder();
  const dataDir = join(folder, '.data');
  const started = start(folder, {
    ...{ PORT: '0', LOG_LEVEL: 'warn', DOCUMENT_MAX_BYTES: String(MAX_DOCUMENT) },
    ...UNLIMITED,
  });
  const port = await portOf(started);
  const adminUrl = await embeddedAdminUrl(dataDir);
  const admin = adminOf(adminUrl);
  const [mine, foreign] = [newTenant(), newTenant()];
  const [ownMark, foreignMark] = [mark(), mark()];
  await admin(markedSql(mine, ownMark) + markedSql(foreign, foreignMark));
  await writeFile(join(dataDir, 'documents', mine.documents), contentOf(ownMark));
  await writeFile(join(dataDir, 'documents', foreign.documents), contentOf(foreignMark));
  const others = await admin('select id::text, company_name from public.clients where id <> $1', [mine.clients]);
  const forge = await openForge(dataDir);
  return {
    ...{ started, port, adminUrl, admin, forge, mine, foreign, ownMark },
    logins: await makeLogins(adminUrl, mine.clients),
    foreignMarks: [foreignMark, ...Object.values(foreign), ...others.flatMap((row) => Object.values(row).map(String))],
    tokens: tokensFor(forge, mine.clients),
    foreignRows: async () => JSON.stringify(await admin(`${foreignRowsSql(foreign)} order by 1, 2`)),
    close: async () => {
      started.signal('SIGTERM');
      const how = await started.ended;
      await rm(folder, { recursive: true });
      return how;
    },
  };
}

function tokensFor(forge: Forge, client: string): Tokens {
  const of = (role: string, clients: readonly string[]): string =>
    forge.sign({ sub: `abuse|${role}|${clients.length}`, role, client_access: clients });
  return {
    admin: of('ADMIN', [client]),
    manager: of('ACCOUNT_MANAGER', [client]),
    specialist: of('TAX_SPECIALIST', [client]),
    client: of('CLIENT', [client]),
    nobody: of('ACCOUNT_MANAGER', []),
  };
}
