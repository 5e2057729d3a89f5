import { join } from 'node:path';

/**
 * Files that crash a charge, a refund, a commit or the relay at each of its calls or at random, and those of payments whose outcome comes
 * late: `npm run test:money`.
 */
const moneyTests = [
  'flows/crash-points',
  'flows/(background|checkout|claim|credit|document|part-payment|payment|payment-refund|payment-worker|refund-row|schedule)-crash-points',
  'flows/checkout-(compensation|races|table-faults)',
  'flows/(late-money|payment-outages|pending-payments|unanswered-payments)',
  'flows/random-(checkouts|money)',
  'flows/relay-groups',
  'flows/repeated-messages',
  'flows/returned-refunds',
];
/**
 * Files that repeat other flows with a fault at each of their calls, under load, in another process for each command, with more
 * malformed items, in larger tables, or in the browser. Only `npm run test:all` runs them.
 */
const exhaustiveTests = [
  'api/exports/year-of-documents',
  'api/payments/state-table',
  'client/package',
  'contract/every-answer',
  'flows/mails-browser',
  'dashboard/(keys|providers|records|typed-forms)-browser',
  'deployed/every-route',
  'flows/(erase|export|key-requests|mail|reconciliation|webhook)-crash-points',
  'flows/[a-z]+-command',
  'flows/audit-operations',
  'flows/canary',
  'flows/checkout-(redirects-)?browser',
  'flows/copy-buttons-browser',
  'flows/csv-in-spreadsheet',
  'flows/checkout-books',
  'flows/command-line-(api|package|profiles|proxy|stage|terminal)',
  'flows/document-reconciliation',
  'flows/erase-(large|lists)',
  'flows/far-due-dates',
  'flows/folded-lists',
  'flows/history',
  'flows/interrupted-test-run',
  'flows/key-store',
  'flows/listen(-elsewhere)?',
  'flows/maintenance',
  'flows/many-parts',
  'flows/malformed-(endpoints|kinds)',
  'flows/overload',
  'flows/pasted-commands',
  'flows/provider-books',
  'flows/random-checkouts-large',
  'flows/reconciliation-(by-messages|under-load|units)',
  'flows/release(-show)?',
  'flows/reminder-kills',
  'flows/reminder-morning',
  'flows/schedule-mornings',
  'flows/set-aside-work',
  'flows/two-releases',
  'flows/webhook-(duplicates|faults|outages|outbox-watchdog)',
  'infra/(cdk-package|construct)',
  'infra/log-queries',
  'infra/room',
  'integration/store/index/(folding|malformed-fold-requests|many-volumes|record-filters)',
  'integration/store/timers/malformed-marks',
  'unit/card-number-tokens',
];
const filesOf = (names) => names.map((name) => `/test/${name}\\.test\\.ts$`);
/** The files of each run, by the value of `REMIT_TESTS`. */
const runs = {
  /** `npm test`: every endpoint, rule and flow once. */
  once: { testPathIgnorePatterns: filesOf([...moneyTests, ...exhaustiveTests]) },
  money: { testRegex: filesOf(moneyTests) },
  /** `npm run quick`. Unit tests use no table and no queue, so no server is started. */
  unit: {
    testRegex: ['/test/unit/.*\\.test\\.ts$'],
    testPathIgnorePatterns: filesOf(exhaustiveTests),
    globalSetup: undefined,
    globalTeardown: undefined,
  },
  all: {},
};
// A run with a path or an option runs every file that it names. The tests read the variable, see `test/support/run.ts`.
process.env.REMIT_TESTS ??= process.argv.length === 2 ? 'once' : 'all';
const run = runs[process.env.REMIT_TESTS];
if (!run) throw new Error(`REMIT_TESTS must be one of: ${Object.keys(runs).join(', ')}.`);

// Set before a test imports the service, so that no log is in the output. A test of the log sets the level that it needs.
process.env.POWERTOOLS_LOG_LEVEL ??= 'SILENT';

// Tests use the short path to AWS, as deployments do, also in files that load it before they start a stack.
process.env.AWS_CALLS ??= 'direct';

// Nobody's settings file decides what a test deploys. A test that needs one names it.
process.env.REMIT_CONFIG = '';

// Commands that tests run in processes of their own compile only once what they load. Node checks that the code is the same.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '.local', 'compile-cache');

export default {
  testRegex: ['/test/.*\\.test\\.ts$'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/support/strip-types.mjs' },
  testEnvironment: '<rootDir>/test/support/environment.mjs',
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
  testRunner: '<rootDir>/test/support/measured-runner.mjs',
  reporters: ['default', '<rootDir>/test/support/cpu-reporter.mjs'],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // Twice the cores that the times in CONTRIBUTING.md are for: each file waits for a third of its time or more.
  maxWorkers: 4,
  // At its end, a worker frees the memory of a hundred files. On a busy machine, that takes longer than the half second of Jest.
  workerGracefulExitTimeout: 30_000,
  // A limit ends a test that hangs, and says nothing about speed. So it also holds on a machine with 20 times the load.
  testTimeout: 900_000,
  ...run,
};
