/** Stops the DynamoDB that `global-setup.ts` started, after all tests. */
import type { GlobalHandle } from './test-dynamodb.ts';

async function tearDown(): Promise<void> {
  await (globalThis as GlobalHandle).testDynamodb?.close();
}

// biome-ignore lint/style/noDefaultExport: jest takes the default export
export default tearDown;
