/** Runs the tests of the outbox in storage format 1. */
process.env.STORAGE_FORMAT = '1';
await import('./outbox.test.ts');
