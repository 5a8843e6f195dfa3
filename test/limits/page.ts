import { readFile } from 'node:fs/promises';
import * as values from '../../src/limits.ts';

/** A line of src/limits.ts: its name, unit and reason. */
export interface Limit {
  readonly group: string;
  readonly name: string;
  readonly unit: string;
  readonly reason: string;
}

export const PAGE = new URL('../../docs/limits.md', import.meta.url);
const SOURCE = new URL('../../src/limits.ts', import.meta.url);
const LIMIT = /^export const (?<name>[A-Z0-9_]+) = [^;]+; \/\/ (?<unit>[^:]+): (?<reason>.+)$/;

/** @throws Error with the line that has no unit or no reason */
export async function readLimits(): Promise<readonly Limit[]> {
  let group = '';
  const limits: Limit[] = [];
  for (const line of (await readFile(SOURCE, 'utf8')).split('\n')) {
    group = /^\/\* (.+) \*\/$/.exec(line)?.[1] ?? group;
    if (!line.startsWith('export')) continue;
    const { name, unit, reason } = LIMIT.exec(line)?.groups ?? {};
    if (name === undefined || unit === undefined || reason === undefined)
      throw new Error(`${line}: a limit needs a unit and a reason`);
    limits.push({ group, name, unit, reason });
  }
  return limits;
}

/** The text of docs/limits.md. */
export async function pageOfLimits(): Promise<string> {
  const limits = await readLimits();
  const groups = [...new Set(limits.map(({ group }) => group))];
  const sections = groups.map((group) => {
    const lines = limits.filter((limit) => limit.group === group).map(lineOf);
    return `## ${group}\n\n${lines.join('\n')}\n`;
  });
  return `# Limits

This page lists the limits that no environment variable sets. \`npm run limits:page\` generates it from
[src/limits.ts](../src/limits.ts). [Variables](configuration.md) set the rate limits, the statement timeout, the number of
connections to Postgres and the size of a document.

${sections.join('\n')}`;
}

function lineOf({ name, unit, reason }: Limit): string {
  const value: unknown = values[name as keyof typeof values];
  const texts = (Array.isArray(value) ? value : [value]).map((one) => Number(one).toLocaleString('en-US'));
  return `- \`${name}\` ${texts.join(' to ')} ${unit}: ${reason}`;
}
