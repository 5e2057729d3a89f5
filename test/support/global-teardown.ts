/** Stops the servers that `global-setup.ts` started, after all tests. */
import type { GlobalHandle } from './shared-servers.ts';

async function tearDown(): Promise<void> {
  await (globalThis as GlobalHandle).closeSharedServers?.();
}

// biome-ignore lint/style/noDefaultExport: jest takes the default export
export default tearDown;
