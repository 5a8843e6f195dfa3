export default {
  // Suites are modules of one process, as Node imports them: each graph of its own would take longer than its tests.
  runner: './test/support/runner.js',
  setupFiles: ['./test/support/worker.ts'],
  transform: {},
  extensionsToTreatAsEsm: ['.ts'],
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  globalSetup: './test/support/global-setup.ts',
  globalTeardown: './test/support/global-teardown.ts',
  // Another release that bench/ has checked out there is a package of the same name.
  modulePathIgnorePatterns: ['<rootDir>/.data/'],
  watchPathIgnorePatterns: ['<rootDir>/.data/'],
  // Postgres works beside the tests: more of them at once would wait for it.
  maxWorkers: 2,
};
