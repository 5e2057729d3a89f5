/**
 * Files that repeat a flow with a fault at each of its calls, or under load. They take a third of the time of all tests, so
 * `npm test` leaves them out, and `npm run test:all` runs them too.
 */
const exhaustiveTests = [
  'flows/([a-z]+-)*crash-points',
  'flows/checkout-books(-large)?',
  'flows/history',
  'flows/key-store',
  'flows/overload',
  'flows/provider-books',
  'flows/reconciliation-units',
  'flows/relay-groups',
  'flows/webhook-faults',
];
/** A run with a path or an option runs every file that it names. */
const isDefaultRun = process.argv.length === 2;

// Set before a test imports the service, so that no log is in the output. A test of the log sets the level that it needs.
process.env.POWERTOOLS_LOG_LEVEL ??= 'SILENT';

export default {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: isDefaultRun ? exhaustiveTests.map((name) => `/test/${name}\\.test\\.ts$`) : [],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/support/strip-types.mjs' },
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  maxWorkers: 2,
  // A limit ends a test that hangs, and says nothing about speed. So it also holds on a machine with 20 times the load.
  testTimeout: 900_000,
};
