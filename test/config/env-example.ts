import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { variablesSchema } from '../../src/config.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const COLUMNS = 100;
const HEAD = `# Every variable with its default; docs/configuration.md says more. Copy this file to .env and take the # away where
# another value is to hold. npm start and the commands read .env, and a variable that is set already stays as it is.
# Made by npm run env:example.
`;

export const EXAMPLE = join(ROOT, '.env.example');

/** The text of .env.example: variables and descriptions of docs/configuration.md, with the defaults of src/config. */
export async function envExample(): Promise<string> {
  const page = await readFile(join(ROOT, 'docs', 'configuration.md'), 'utf8');
  const parts = [...page.matchAll(/^## (.*)$|^- ((?:`\w+`,? ?)+)(?:\(default .*?\))?: ((?:.*\n(?! *\n|-))*.*)$/gm)];
  const lines = parts.map(([, heading, names = '', words = '']) =>
    heading === undefined
      ? [...wrapped(words), ...[...names.matchAll(/\w+/g)].map(([name]) => `#${name}=${defaultOf(name)}\n`), '\n'].join(
          '',
        )
      : `## ${heading}\n\n`,
  );
  return [HEAD, '\n', ...lines].join('').trimEnd() + '\n';
}

function defaultOf(name: string): string {
  const field = (variablesSchema.shape as Readonly<Record<string, { safeParse(value: unknown): { data?: unknown } }>>)[
    name
  ];
  const standard = field?.safeParse(undefined).data;
  if (standard === undefined) return '';
  if (typeof standard === 'object' && standard !== null && !Array.isArray(standard))
    return Object.values(standard).join(' ');
  return typeof standard === 'string' ? standard : JSON.stringify(standard).replace(/^\[(.*)\]$/, '$1');
}

/** Turns Markdown into the lines of a comment of .env.example, without links and code marks. */
function wrapped(markdown: string): string[] {
  const text = markdown.replaceAll(/\s*\(\[[^\]]*\]\([^)]*\)\)/g, '').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  const lines = [''];
  const sentence = text.replace(/^[a-z]/, (first) => first.toUpperCase());
  for (const word of sentence.replaceAll('`', '').split(/\s+/)) {
    const line = `${lines.at(-1)} ${word}`;
    if (line.length < COLUMNS) lines.splice(-1, 1, line);
    else lines.push(` ${word}`);
  }
  return lines.map((line) => `#${line}\n`);
}
