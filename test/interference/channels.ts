import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Channel } from './channel.ts';
import { objectionTo } from './channel.ts';
import { ofRequests } from './channels-of-requests.ts';
import { ofSql } from './channels-of-sql.ts';
import type { Logins } from './logins.ts';
import type { Opened } from './round.ts';
import { differingInPostgres } from './sweep.ts';

export const allChannels = (logins: Logins): readonly Channel[] => [...ofRequests, ...ofSql(logins)];

const read = (): Promise<string> => readFile(join(import.meta.dirname, '..', '..', 'docs', 'channels.md'), 'utf8');

/** What docs/channels.md says of each: its name and its size. */
export async function statedChannels(): Promise<Pick<Channel, 'name' | 'size'>[]> {
  const rows = (await read()).matchAll(/^\| `([\w-]+)` +\|[^|]*\|[^|]*\| ([^|]*?) +\|/gm);
  return [...rows].map(([, name = '', size = '']) => ({ name, size }));
}

/** What differs in Postgres itself, one in so many of its relations and functions, and is not named there. */
export async function unstatedInPostgres(opened: Opened, oneIn = 1): Promise<string[]> {
  const codes = [...(await read()).matchAll(/`([\w*]+)`/g)].map(([, code = '']) => code);
  const isStated = (name: string): boolean =>
    codes.some((code) => new RegExp(`^${code.replaceAll('*', '\\w+')}$`).test(name));
  const { asked, names } = await differingInPostgres(opened, oneIn);
  if (names.length === 0) throw new Error(`nothing differs in ${asked} of them`);
  return names.filter((name) => !isStated(name)).map((name) => `${name} differs, and docs/channels.md does not say so`);
}

/** What is wrong with the statements of the channels, on the first and the last of the worlds. */
export async function objectionsToChannels(opened: Opened): Promise<string[]> {
  const objections: (string | undefined)[] = [];
  for (const channel of allChannels(opened.logins))
    objections.push(await objectionTo(channel, opened, `channel ${channel.name}`));
  return objections.filter((one) => one !== undefined);
}
