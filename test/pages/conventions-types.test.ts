import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import ts from 'typescript';
import { copyConventions, DENIAL, RESOURCE } from './conventions.ts';

const folder = await copyConventions();

test('the example resource and test of CONVENTIONS.md compile with the strict settings', () => {
  const { config } = ts.readConfigFile(join(folder, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    config: object;
  };
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, folder);
  const files = [RESOURCE, DENIAL].map((file) => join(folder, file));
  const program = ts.createProgram(files, { ...options, noEmit: true });
  const complaints = files
    .map((file) => program.getSourceFile(file))
    .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]);
  expect(complaints.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
});
