import { globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { proofOf } from '../proofs.ts';
import { allSuites, ROOT } from '../support/suites.ts';

/** What a suite starts as a process, and the file that starts it. */
const STARTED = /^src\/(?:main|greeting|service)\.ts$|^src\/commands\//;

/** So many are the nearest, whether a proof names them or not. */
const NEAREST = 4;

/** Importers by imported file. */
const importers = new Map<string, string[]>();
for (const file of globSync('{src,test,deploy}/**/*.ts', { cwd: ROOT })) {
  for (const { fileName } of ts.preProcessFile(readFileSync(join(ROOT, file), 'utf8')).importedFiles) {
    if (!fileName.startsWith('.')) continue;
    const imported = join(dirname(file), fileName);
    importers.set(imported, [...(importers.get(imported) ?? []), file]);
  }
}

/** The suites that reach a source file, nearest first: short import paths and similar names before others. */
export function suitesNear(source: string): { nearest: string[]; fast: string[]; proven: string[] } {
  const distances = new Map([[source, 0]]);
  for (const [file, distance] of distances) {
    const next = [...(importers.get(file) ?? []), ...(STARTED.test(file) ? ['test/support/process.ts'] : [])];
    for (const importer of next) if (!distances.has(importer)) distances.set(importer, distance + 1);
  }
  const words = wordsOf(source);
  const rank = (suite: string): number =>
    (distances.get(suite) ?? 0) -
    4 * wordsOf(suite).filter((word) => words.includes(word)).length +
    statSync(join(ROOT, suite)).size / 20_000;
  const near = allSuites()
    .filter((suite) => distances.has(suite))
    .sort((a, b) => rank(a) - rank(b));
  const [fast, proven] = [true, false].map((isFast) =>
    near.slice(NEAREST).filter((suite) => (proofOf(suite) === undefined) === isFast),
  ) as [string[], string[]];
  return { nearest: near.slice(0, NEAREST), fast, proven };
}

/** The words of a path in the singular. */
function wordsOf(path: string): string[] {
  return path
    .replace(/^(?:src|test)\//, '')
    .split(/[^a-z0-9]+/)
    .map((word) => word.replace(/s$/, ''))
    .filter((word) => !['t', 'test'].includes(word));
}
