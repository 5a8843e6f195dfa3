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

/** A proof in test/README.md: its minutes and state, its question, and on the next line its figure. */
export const ENTRY = /^- `([\w-]+)`, \d+ min, proof \1, state \w+: (.+)\n {2}.+$/gm;

const STATED = /\bproof ([\w-]+), state (\w+)/g;

/** Writes what a proof has just said: its entry in test/README.md, and the lines of its parts in docs/reliability.md. */
export async function writeFigures(name: string, figure: string, seconds: number, partsFile: string): Promise<void> {
  const state = stateOf(name);
  const parts = readParts(partsFile);
  for (const document of DOCUMENTS) {
    const path = join(ROOT, document);
    const text = readFileSync(path, 'utf8')
      .replaceAll(ENTRY, (entry, of, question) =>
        of === name
          ? `- \`${name}\`, ${minutes(seconds)} min, proof ${name}, state ${state}: ${question}\n  ${figure}`
          : entry,
      )
      .replaceAll(STATED, (stated, of) => (of === name ? `proof ${name}, state ${state}` : stated))
      .split('\n')
      .map((line) => withFigure(line, name, parts))
      .join('\n');
    const config = await resolveConfig(path);
    writeFileSync(path, await format(text, { ...config, filepath: path }));
  }
}

/** A line of docs/reliability.md begins with the command that tries something, and ends with its figure. */
function withFigure(line: string, name: string, parts: Readonly<Record<string, string>>): string {
  const tried = new RegExp(`^ +- \`npm run proofs -- ${name}(?: -- ([^\`]+))?\`: `).exec(line);
  const said = tried === null ? undefined : parts[tried[1] ?? name];
  return tried === null || said === undefined ? line : `${tried[0]}${said}`;
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
