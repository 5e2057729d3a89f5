/** Counts the TCP connections that this process requests from the operating system. */
import { createHook } from 'node:async_hooks';

/** Runs `act` and returns how many TCP connections the process tried to open meanwhile, also by failed attempts. */
export async function countConnects(act: () => Promise<unknown>): Promise<number> {
  let connects = 0;
  // Node creates one such object for each connect(2), and none for a connection that the service rejects earlier.
  const hook = createHook({
    init: (_, type) => {
      if (type === 'TCPCONNECTWRAP') connects++;
    },
  });
  hook.enable();
  try {
    await act();
  } finally {
    hook.disable();
  }
  return connects;
}
