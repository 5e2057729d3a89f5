/** Runs the tests of the relay of many outbox items in storage format 1. */
process.env.STORAGE_FORMAT = '1';
await import('./relay-groups.test.ts');
