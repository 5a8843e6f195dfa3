import { rm } from 'node:fs/promises';
import { afterAll } from '@jest/globals';
import { bounded } from './bounded.ts';
import { createScratchFolder } from './scratch.ts';

/*
 * This module opens resources, such as databases and services, at the head of a test file. The resources are closed
 * after the last test, or when another resource cannot be opened. The resource that was opened last is closed first.
 */

type Ending = 'close' | 'end' | 'stop' | 'drop' | 'remove';
type Closable = { readonly [Way in Ending]: Readonly<Record<Way, () => unknown>> }[Ending];

const endings: (() => unknown)[] = [];

export async function forSuite<T extends Closable>(opening: T | Promise<T>): Promise<T> {
  const one = await bounded(opening).catch(async (error: unknown) => {
    await bounded(closeAll()).catch(() => undefined);
    throw error;
  });
  afterSuite(() => {
    const ways = one as Partial<Record<Ending, () => unknown>>;
    return ways.close?.() ?? ways.end?.() ?? ways.stop?.() ?? ways.drop?.() ?? ways.remove?.();
  });
  return one;
}

/** Creates a temporary folder for a suite and removes it after the last test. */
export async function folderForSuite(): Promise<string> {
  const folder = await createScratchFolder();
  afterSuite(() => rm(folder, { recursive: true, maxRetries: 10 }));
  return folder;
}

function afterSuite(end: () => unknown): void {
  endings.push(end);
  afterAll(closeAll);
}

async function closeAll(): Promise<void> {
  for (const next of endings.splice(0).reverse()) await next();
}
