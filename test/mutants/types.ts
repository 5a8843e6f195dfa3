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
  // A fault that removes a call may leave a name unused, which this compilation accepts.
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

/** Whether the source file with the fault compiles; `npm run types` finds faults that do not compile. */
export function compiles(mutant: Mutant): boolean {
  const path = join(ROOT, mutant.file);
  mutated = { path, text: applyMutant(readFileSync(path, 'utf8'), mutant) };
  program = ts.createProgram(fileNames, options, host, program);
  const source = program.getSourceFile(path);
  return program.getSyntacticDiagnostics(source).length + program.getSemanticDiagnostics(source).length === 0;
}
