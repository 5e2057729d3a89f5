import { join } from 'node:path';

/**
 * Files that repeat a flow with a fault at each of its calls, under load, for each route, or in another process for each
 * command. They take almost half of the time of all tests, so `npm test` leaves them out, and `npm run test:all` runs them too.
 */
const exhaustiveTests = [
  'api/payments/state-table',
  'contract/every-answer',
  'flows/([a-z]+-)*crash-points',
  'flows/[a-z]+-command',
  'flows/audit-operations',
  'flows/checkout-books(-large)?',
  'flows/command-line-(package|profiles|stage|terminal)',
  'flows/erase-large',
  'flows/history',
  'flows/interrupted-test-run',
  'flows/key-store',
  'flows/listen-elsewhere',
  'flows/maintenance',
  'flows/overload',
  'flows/pasted-commands',
  'flows/provider-books',
  'flows/reconciliation-units',
  'flows/relay-groups',
  'flows/webhook-faults',
  'integration/store/index/folding',
  'unit/card-number-tokens',
];
/** A run with a path or an option runs every file that it names. */
const isDefaultRun = process.argv.length === 2;

// Set before a test imports the service, so that no log is in the output. A test of the log sets the level that it needs.
process.env.POWERTOOLS_LOG_LEVEL ??= 'SILENT';

// Tests use the short path to AWS, as deployments do, also in files that load it before they start a stack.
process.env.AWS_CALLS ??= 'direct';

// Commands that tests run in processes of their own compile only once what they load. Node checks that the code is the same.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '.local', 'compile-cache');

export default {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: isDefaultRun ? exhaustiveTests.map((name) => `/test/${name}\\.test\\.ts$`) : [],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/support/strip-types.mjs' },
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
  testRunner: '<rootDir>/test/support/measured-runner.mjs',
  reporters: ['default', '<rootDir>/test/support/cpu-reporter.mjs'],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  maxWorkers: 2,
  // A limit ends a test that hangs, and says nothing about speed. So it also holds on a machine with 20 times the load.
  testTimeout: 900_000,
};
