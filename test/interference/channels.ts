import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Channel } from './channel.ts';
import { objectionTo } from './channel.ts';
import { ofRequests } from './channels-of-requests.ts';
import { ofSql } from './channels-of-sql.ts';
import type { Logins } from './logins.ts';
import type { Opened } from './round.ts';

export const allChannels = (logins: Logins): readonly Channel[] => [...ofRequests, ...ofSql(logins)];

/** What docs/channels.md says of each: its name and its size. */
export async function statedChannels(): Promise<Pick<Channel, 'name' | 'size'>[]> {
  const text = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'channels.md'), 'utf8');
  return [...text.matchAll(/^\| `([\w-]+)` +\|[^|]*\|[^|]*\| ([^|]*?) +\|/gm)].map(
    ([, name = '', size = '']) => ({ name, size }),
  );
}

/** What is wrong with the statements of the channels, on the first and the last of the worlds. */
export async function objectionsToChannels(opened: Opened): Promise<string[]> {
  const objections: (string | undefined)[] = [];
  for (const channel of allChannels(opened.logins))
    objections.push(await objectionTo(channel, opened, `channel ${channel.name}`));
  return objections.filter((one) => one !== undefined);
}
