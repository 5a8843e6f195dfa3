import { registerHooks } from 'node:module';
import { addEventHandler } from 'jest-circus';
import { bounded } from './bounded.ts';

/* What each worker of the runner begins with: it imports the suites as Node does, and shares the modules between them. */

/** `@jest/globals` is what the runner has made global: the package itself refuses to be imported outside of Jest's own. */
const names = ['afterAll', 'afterEach', 'beforeAll', 'beforeEach', 'describe', 'expect', 'jest', 'test'];
const source = `export const { ${names.join(', ')} } = globalThis;`;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals'
      ? { url: `data:text/javascript,${encodeURIComponent(source)}`, shortCircuit: true }
      : next(specifier, context),
});

/** The runner knows no time-outs: a test or a hook that hangs fails after the time of its suite, or its own time. */
addEventHandler((event, { currentDescribeBlock: block }) => {
  const last = event.name === 'add_hook' ? block.hooks.at(-1) : block.children.at(-1);
  const added = event.name === 'add_hook' || event.name === 'add_test' ? last : undefined;
  if (added === undefined || !('fn' in added)) return;
  const work = added.fn as () => unknown;
  added.fn = () => bounded(Promise.resolve().then(work), added.timeout ?? undefined);
});

/** Neither a run that was killed nor a handle that a suite left open keeps a worker. */
process.once('disconnect', () => process.exit());
