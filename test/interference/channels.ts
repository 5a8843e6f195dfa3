import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Channel } from './channel.ts';
import { objectionTo } from './channel.ts';
import { ofRequests } from './channels-of-requests.ts';
import { ofSql } from './channels-of-sql.ts';
import { draw } from './draw.ts';
import type { Logins } from './logins.ts';
import type { Opened } from './round.ts';
import { differingInPostgres } from './sweep.ts';

export const allChannels = (logins: Logins): readonly Channel[] => [...ofRequests, ...ofSql(logins)];

const read = (): Promise<string> => readFile(join(import.meta.dirname, '..', '..', 'docs', 'channels.md'), 'utf8');

/**
 * Reads docs/channels.md, which lists the ways by which a caller learns about other tenants. Returns each name with the
 * amount of information.
 */
export async function statedChannels(): Promise<Pick<Channel, 'name' | 'size'>[]> {
  const rows = (await read()).matchAll(/^\| `([\w-]+)` +\|[^|]*\|[^|]*\| ([^|]*?) +\|/gm);
  return [...rows].map(([, name = '', size = '']) => ({ name, size }));
}

/**
 * Returns the relations and functions of Postgres that tell a caller about other tenants although docs/channels.md does
 * not name them.
 */
export async function unstatedInPostgres(opened: Opened, oneIn = 1): Promise<string[]> {
  const codes = [...(await read()).matchAll(/`([\w*]+)`/g)].map(([, code = '']) => code);
  const isStated = (name: string): boolean =>
    codes.some((code) => new RegExp(`^${code.replaceAll('*', '\\w+')}$`).test(name));
  const { asked, names } = await differingInPostgres(opened, oneIn);
  if (names.length === 0) throw new Error(`nothing differs in ${asked} of them`);
  return names.filter((name) => !isStated(name)).map((name) => `${name} differs, and docs/channels.md does not say so`);
}

/**
 * Compares two databases, and returns the ways of learning about other tenants that docs/channels.md describes wrongly.
 */
export async function objectionsToChannels(opened: Opened): Promise<string[]> {
  const objections: (string | undefined)[] = [];
  for (const channel of draw('channels', allChannels(opened.logins)))
    objections.push(await objectionTo(channel, opened, `channel ${channel.name}`));
  return objections.filter((one) => one !== undefined);
}
