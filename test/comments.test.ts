import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import ts from 'typescript';
import { words } from './support/words.ts';

/*
 * These tests check that each name in a comment of src/ exists, and that no file of src/ imports itself through other
 * files.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * Names that comments of src/ mention although nothing in the repository has them: names of SQL, Node, HTTP, the
 * operating system and libraries.
 */
const FOREIGN_NAMES = new Set(words(`$n CAP_DAC_OVERRIDE no-referrer`));

async function readFolder(folder: string, ending: RegExp): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(join(ROOT, folder), { recursive: true });
  const paths = entries.filter((path) => ending.test(path)).map((path) => join(folder, path));
  return new Map(
    await Promise.all(paths.map(async (path) => [path, await readFile(join(ROOT, path), 'utf8')] as const)),
  );
}

function separateComments(text: string): { readonly comments: readonly string[]; readonly code: string } {
  const comments: string[] = [];
  const code: string[] = [];
  const file = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    const children = node.getChildren(file).filter((child) => !ts.isJSDoc(child));
    if (children.length > 0) {
      children.forEach(visit);
      return;
    }
    comments.push(text.slice(node.pos, node.getStart(file)));
    code.push(node.getText(file));
  };
  visit(file);
  return { comments, code: code.join(' ') };
}

const source = await readFolder('src', /\.ts$/);
const separated = [...source].map(([path, text]) => ({ path, ...separateComments(text) }));
const database = await readFolder('db', /\.sql$/);
const description = await readFile(join(ROOT, 'docs/openapi.json'), 'utf8');
const NAME = /[\w$]+(?:-[\w$]+)*/g;
const known = new Set(
  [...separated.map(({ code }) => code), ...database.values(), description].flatMap((text) => text.match(NAME) ?? []),
);

function isKnown(name: string): boolean {
  return known.has(name) || FOREIGN_NAMES.has(name);
}

test('each name and file that a comment of src mentions exists', () => {
  const missing = separated.flatMap(({ path, comments }) => {
    const text = comments.join('\n');
    const quoted = [...text.matchAll(/`([^`\n]+)`/g)].map(([, quotation = '']) => quotation);
    const names = quoted.flatMap((quotation) => (/^[\w$.#()-]+$/.test(quotation) ? (quotation.match(NAME) ?? []) : []));
    const constants = text.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? [];
    const files = text.match(/\b(?:src|db|docs|test|bench|deploy)\/[\w./-]+\.\w+/g) ?? [];
    return [
      ...[...names, ...constants].filter((name) => !isKnown(name)),
      ...files.filter((file) => !existsSync(join(ROOT, file))),
    ].map((name) => `${path}: ${name}`);
  });
  expect([...new Set(missing)].sort()).toEqual([]);
});

test('no file of src imports itself through other files', () => {
  const imports = new Map(
    [...source].map(([path, text]) => [
      path,
      [...text.matchAll(/(?:from|import)\s*\(?'(\.[^']+)'/g)].map(([, name = '']) =>
        relative(ROOT, join(ROOT, dirname(path), name)),
      ),
    ]),
  );
  const reachable = (start: string): ReadonlySet<string> => {
    const reached = new Set<string>();
    const waiting = [...(imports.get(start) ?? [])];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (reached.has(path)) continue;
      reached.add(path);
      waiting.push(...(imports.get(path) ?? []));
    }
    return reached;
  };
  expect([...imports.keys()].filter((path) => reachable(path).has(path))).toEqual([]);
});
