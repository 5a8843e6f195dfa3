import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../support/suites.ts';
import { applyMutant, type Mutant } from './mutate.ts';

const { options, fileNames } = ts.parseJsonConfigFileContent(
  {
    ...(ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => ts.sys.readFile(path)).config as object),
    include: ['src'],
  },
  ts.sys,
  ROOT,
  // If a planted error removes a function call, a name can become unused. This compilation accepts unused names.
  { noEmit: true, noUnusedLocals: false, noUnusedParameters: false },
);
const host = ts.createCompilerHost(options);
const sources = new Map<string, ts.SourceFile | undefined>();
const getSourceFile = host.getSourceFile.bind(host);
let mutated: { path: string; text: string } | undefined;
host.getSourceFile = (path, version) => {
  if (path === mutated?.path) return ts.createSourceFile(path, mutated.text, version, true);
  if (!sources.has(path)) sources.set(path, getSourceFile(path, version));
  return sources.get(path);
};
let program: ts.Program | undefined;

/**
 * True if the source file compiles with the planted error. If not, `npm run types` would find the error without any
 * test.
 */
export function compiles(mutant: Mutant): boolean {
  const path = join(ROOT, mutant.file);
  mutated = { path, text: applyMutant(readFileSync(path, 'utf8'), mutant) };
  program = ts.createProgram(fileNames, options, host, program);
  const source = program.getSourceFile(path);
  return program.getSyntacticDiagnostics(source).length + program.getSemanticDiagnostics(source).length === 0;
}
