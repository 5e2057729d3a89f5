// Configures `npm run test:mix`: the flows on a mix of the last release and this version, which REMIT_RELEASE_MIX names.
import everything from '../../jest.config.mjs';

/** These flows test what the last release does not have, or count the calls of this version. */
const ownFlows = [
  'burst',
  'checkout',
  'compressed-texts',
  'erase.test',
  'key-addresses',
  'key-roll-over',
  'key-signature',
  'maintenance',
  'newer-version',
  'outbox',
  'overload',
  'provider-',
  'providers-',
  'razorpay-',
  'relay-groups',
  'secrets-command',
  'stripe-',
  'test-faults',
  'webhook-crash-points',
  'webhook-outages',
  'webhook-sends',
];
/** These flows start functions in other processes, without the mix. */
const otherProcesses = ['account-settings', 'command-line', 'deploy-', 'restore'];

export default {
  ...everything,
  rootDir: '../..',
  setupFiles: ['<rootDir>/test/versions/mix-all-stacks.ts'],
  testMatch: ['<rootDir>/test/{flows,versions}/*.test.ts'],
  testPathIgnorePatterns: [...ownFlows, ...otherProcesses].map((name) => `/test/flows/${name}`),
};
