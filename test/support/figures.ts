import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { isIn, PROOFS } from '../proofs.ts';
import { ROOT } from './suites.ts';

/** The documents with figures of proofs; in each, `proof faults, state 1a2b3c4d` says of which state of the proof they are. */
export const DOCUMENTS = ['test/README.md', 'docs/reliability.md'];

/** The digest of a proof's own files: where it is another one, a figure is that of another proof. */
export function stateOf(name: string): string {
  const { suites = [], script: [script] = [], again = [] } = PROOFS[name] ?? {};
  const own = [...suites, ...again, ...(script === undefined ? [] : [`${dirname(script)}/`])];
  const files = globSync('{test,deploy}/**/*.*', { cwd: ROOT }).filter((file) => isIn(own, file));
  const hash = createHash('sha256').update(JSON.stringify(PROOFS[name]));
  for (const file of files.sort()) hash.update(file).update(readFileSync(join(ROOT, file)));
  return hash.digest('hex').slice(0, 8);
}

/** The states that the documents name, by proof. */
export function statedIn(text: string): { readonly name: string; readonly state: string }[] {
  return [...text.matchAll(STATED)].map(([, name = '', state = '']) => ({ name, state }));
}

const STATED = /\bproof ([\w-]+), state (\w+)/g;

/** Writes what a proof has just said: its line in test/README.md, and the lines of its parts in docs/reliability.md. */
export async function writeFigures(
  name: string,
  figure: string,
  seconds: number,
  partsFile: string,
): Promise<void> {
  const state = stateOf(name);
  const parts = readParts(partsFile);
  for (const document of DOCUMENTS) {
    const path = join(ROOT, document);
    const text = readFileSync(path, 'utf8')
      .replaceAll(STATED, (stated, of) => (of === name ? `proof ${name}, state ${state}` : stated))
      .split('\n')
      .map((line) => withFigure(line, name, parts))
      .map((line) =>
        line.startsWith(`| \`${name}\``) && line.includes(`proof ${name}, state`)
          ? rowOf(line, [minutes(seconds), figure, `proof ${name}, state ${state}`])
          : line,
      )
      .join('\n');
    const config = await resolveConfig(path);
    writeFileSync(path, await format(text, { ...config, filepath: path }));
  }
}

/** A row of docs/reliability.md ends with the command that tries it, after its figure. */
function withFigure(line: string, name: string, parts: Readonly<Record<string, string>>): string {
  const tried = new RegExp(`\\| \`npm run proofs -- ${name}(?: -- ([^\`]+))?\` +\\|$`).exec(line);
  const said = tried === null ? undefined : parts[tried[1] ?? name];
  if (said === undefined) return line;
  const cells = line.split('|');
  return cells.with(-3, ` ${said} `).join('|');
}

/** The last cells of a row anew. */
function rowOf(line: string, last: readonly string[]): string {
  const cells = line.split('|').slice(1, -1);
  return `|${[...cells.slice(0, -last.length), ...last.map((cell) => ` ${cell} `)].join('|')}|`;
}

function minutes(seconds: number): string {
  return String(Math.max(1, Math.round(seconds / 60)));
}

function readParts(file: string): Readonly<Record<string, string>> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  } catch {
    return {};
  }
}
