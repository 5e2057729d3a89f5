// Configures `npm run test:mix`: the flows on a mix of the last release and this version, which REMIT_RELEASE_MIX names.
import everything from '../../jest.config.mjs';

/** These flows test what the last release does not have, or count the calls of this version. */
const ownFlows = [
  'audit-log',
  'burst',
  'checkout',
  'compressed-texts',
  'daily-provider-books',
  'erase.test',
  'export',
  'far-due-dates',
  'folded-lists',
  'key-addresses',
  'key-roll-over',
  'key-signature',
  'maintenance',
  'mcp',
  'newer-version',
  'outbox',
  'overload',
  'provider-',
  'providers-',
  'razorpay-',
  'relay-groups',
  'returned-refunds',
  'sandboxes',
  'secrets-command',
  'stripe-',
  'test-clock',
  'test-faults',
  'webhook-calls',
  'webhook-crash-points',
  'webhook-first-messages',
  'webhook-known-endpoints',
  'webhook-outbox',
  'webhook-outages',
  'webhook-sends',
];
/** These flows test texts and fields that the requests, or the background functions, of the last release do not have. */
const ownPart = { api: ['close-account', 'listen.test'], background: ['payment-repetition'] };
/** These flows start functions in other processes, without the mix. */
const otherProcesses = ['account-settings', 'command-line', 'deploy-', 'restore'];

const leftOut = [...ownFlows, ...otherProcesses, ...(ownPart[process.env.REMIT_RELEASE_MIX] ?? [])];

export default {
  ...everything,
  rootDir: '../..',
  setupFiles: ['<rootDir>/test/versions/mix-all-stacks.ts'],
  testMatch: ['<rootDir>/test/{flows,versions}/*.test.ts'],
  testPathIgnorePatterns: leftOut.map((name) => `/test/flows/${name}`),
};
