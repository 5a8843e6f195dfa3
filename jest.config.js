export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': './test/support/strip-types.js' },
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  watchPathIgnorePatterns: ['<rootDir>/.data/'],
  testTimeout: 60_000,
};
