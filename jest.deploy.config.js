import config from './jest.config.js';

/** What needs Debian's packages: those of `deploy/lab/packages`. */
export default {
  ...config,
  testMatch: ['<rootDir>/test/deploy/**/*.deploy.ts'],
  // Each starts servers of its own, on two cores.
  maxWorkers: 1,
};
