// Configures `npm run test:versions`: the flows with functions of the last release behind the gateway or in the
// background, and longer rollouts. REMIT_RELEASE_MIX selects one of them.
import everything from '../../jest.config.mjs';

export default {
  ...everything,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/flows/*.test.ts'],
  setupFiles: ['<rootDir>/test/versions/use-mix.ts'],
};
