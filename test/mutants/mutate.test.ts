import { expect, test } from '@jest/globals';
import { applyMutant, mutantsOf } from './mutate.ts';

/*
 * The slow test `mutants` plants errors in the source code, to see whether the other tests notice them. These tests
 * check which errors it plants.
 */

const changes = (text: string): string[] => mutantsOf('src/x.ts', text).map((mutant) => applyMutant(text, mutant));

test.each([
  ['if (a) b;', ['if (true) b;', 'if (false) b;']],
  ['x = a ? b : c;', ['x = true ? b : c;', 'x = false ? b : c;']],
  ['x = a < b;', ['x = a <= b;']],
  ['x = a >= b;', ['x = a > b;']],
  ['x = a && b;', ['x = a || b;']],
  ["x = a === 'b';", ["x = a !== 'b';", "x = a === '';"]],
  ['x = a ?? b;', ['x = a;']],
  ['x = 1_000;', ['x = 1001;']],
  ['x = true;', ['x = false;']],
  ['run(a);', [';']],
  ['await run(a);', [';', 'void run(a);']],
  ['x = list.filter(a);', ['x = list;']],
  ['x = list.toSorted();', ['x = list;']],
  ['function f() { return a; }', ['function f() { return undefined; }', 'function f() { return []; }']],
])('the slow test mutants plants each possible single error in the code `%s`', (text, expected) => {
  expect(changes(text)).toEqual(expected);
});

test.each([
  "import { a } from './a.ts';",
  'type A = 1 | true;',
  'interface A { a: 1 }',
  '// if (a < 1) run();',
  'log.warn({ a: 1 });',
  'this.#log.info({ a: true });',
  'x = { description: `at most ${1}`, examples: [1] };',
])('the slow test mutants plants no error in the code `%s`', (text) => {
  expect(changes(text)).toEqual([]);
});

test('each error that the slow test mutants plants names its line, and the code before and after the change', () => {
  expect(mutantsOf('src/x.ts', '\n\n  /* no */ x = a < b;')).toEqual([
    { file: 'src/x.ts', line: 3, kind: 'operator', start: 19, before: '<', after: '<=' },
  ]);
});
