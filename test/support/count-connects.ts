/** Counts the TCP connections that a function requests from the operating system. */
import { AsyncLocalStorage, createHook } from 'node:async_hooks';

/**
 * Runs `act` and returns how many TCP connections it tried to open, also by failed attempts. Connections of other code
 * in the process do not count, such as those that an earlier test file left behind in this worker.
 */
export async function countConnects(act: () => Promise<unknown>): Promise<number> {
  const isCounted = new AsyncLocalStorage<true>();
  let connects = 0;
  // Node creates one such object for each connect(2), and none for a connection that the service rejects earlier.
  const hook = createHook({
    init: (_, type) => {
      if (type === 'TCPCONNECTWRAP' && isCounted.getStore() === true) connects++;
    },
  });
  hook.enable();
  try {
    await isCounted.run(true, act);
  } finally {
    hook.disable();
  }
  return connects;
}
