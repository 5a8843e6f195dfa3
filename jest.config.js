export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': './test/support/strip-types.js' },
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  globalSetup: './test/support/global-setup.ts',
  globalTeardown: './test/support/global-teardown.ts',
  // Another release that bench/ has checked out there is a package of the same name.
  modulePathIgnorePatterns: ['<rootDir>/.data/'],
  watchPathIgnorePatterns: ['<rootDir>/.data/'],
  // Postgres works beside the tests: more of them at once would wait for it.
  maxWorkers: 2,
  testTimeout: 60_000,
};
