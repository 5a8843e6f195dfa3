import { globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { proofOf } from '../proofs.ts';
import { allSuites, ROOT } from '../support/suites.ts';

/** The source files that test/support/process.ts starts as processes of their own, without importing them. */
const STARTED = /^src\/(?:main|greeting|service)\.ts$|^src\/commands\//;

/**
 * After planting an error in a source file, the slow test `mutants` first runs this many test suites: those nearest to
 * the file.
 */
const NEAREST = 4;

/** For each imported source file, the files that import it. */
const importers = new Map<string, string[]>();
for (const file of globSync('{src,test,deploy}/**/*.ts', { cwd: ROOT })) {
  for (const { fileName } of ts.preProcessFile(readFileSync(join(ROOT, file), 'utf8')).importedFiles) {
    if (!fileName.startsWith('.')) continue;
    const imported = join(dirname(file), fileName);
    importers.set(imported, [...(importers.get(imported) ?? []), file]);
  }
}

/** The test suites that import a source file, nearest first: short import paths and similar file names come first. */
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

function wordsOf(path: string): string[] {
  return path
    .replace(/^(?:src|test)\//, '')
    .split(/[^a-z0-9]+/)
    .map((word) => word.replace(/s$/, ''))
    .filter((word) => !['t', 'test'].includes(word));
}
