import config from './jest.config.js';

/** What needs a browser: Chromium at `CHROMIUM`, or where Debian installs it. */
export default { ...config, testMatch: ['<rootDir>/test/browser/**/*.browser.ts'] };
