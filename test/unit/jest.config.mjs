import config from '../../jest.config.mjs';

/** Unit tests use no table and no queue, so this run starts no server. */
export default {
  ...config,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/unit/**/*.test.ts'],
  globalSetup: undefined,
  globalTeardown: undefined,
};
