import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './suites.ts';

/* This module reads the Markdown pages of the project and their blocks of code. */

interface Block {
  readonly page: string;
  /** The line number of a code block’s first line in its Markdown page. */
  readonly line: number;
  readonly language: string;
  readonly code: string;
}

/** Lists the paths of all Markdown pages in Git. */
export function allPages(): string[] {
  return execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
}

export const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

export function blocksOf(page: string): Block[] {
  const text = textOf(page);
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(({ index, 1: language = '', 2: code = '' }) => ({
    ...{ page, language, code, line: text.slice(0, index).split('\n').length + 1 },
  }));
}

/**
 * Returns the code block of a Markdown page that begins with this text, after replacing the given words in the block.
 * @throws Error if not exactly one block begins with the text, or if the block lacks one of the words
 */
export function blockOf(page: string, beginning: string, replaced: Readonly<Record<string, string>> = {}): string {
  const [found, another] = blocksOf(page).filter(({ code }) => code.startsWith(beginning));
  if (found === undefined) throw new Error(`${page} has no block that begins with ${beginning}`);
  if (another !== undefined) throw new Error(`${page} has two blocks that begin with ${beginning}`);
  return Object.entries(replaced).reduce((code, [printed, other]) => {
    if (!code.includes(printed)) throw new Error(`the block that begins with ${beginning} lacks ${printed}`);
    return code.replaceAll(printed, other);
  }, found.code);
}
