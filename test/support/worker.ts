import { registerHooks } from 'node:module';
import { addEventHandler } from 'jest-circus';
import { bounded } from './bounded.ts';

/*
 * Prepares each worker process of the test runner. The runner imports test files with Node’s own import, and the test
 * files in one worker share their modules.
 */

/**
 * Replaces the package `@jest/globals` by the test runner’s global functions, because the package cannot be imported
 * outside of Jest.
 */
const names = ['afterAll', 'afterEach', 'beforeAll', 'beforeEach', 'describe', 'expect', 'jest', 'test'];
const source = `export const { ${names.join(', ')} } = globalThis;`;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals'
      ? { url: `data:text/javascript,${encodeURIComponent(source)}`, shortCircuit: true }
      : next(specifier, context),
});

/** Adds time limits, which the test runner lacks: a hanging test or hook fails after its suite’s limit. */
addEventHandler((event, { currentDescribeBlock: block }) => {
  const last = event.name === 'add_hook' ? block.hooks.at(-1) : block.children.at(-1);
  const added = event.name === 'add_hook' || event.name === 'add_test' ? last : undefined;
  if (added === undefined || !('fn' in added)) return;
  const work = added.fn as () => unknown;
  added.fn = () => bounded(Promise.resolve().then(work), added.timeout ?? undefined);
});

/**
 * Ends the worker process together with its test run, even if the run is killed or a suite has forgotten to close
 * something.
 */
process.once('disconnect', () => process.exit());
