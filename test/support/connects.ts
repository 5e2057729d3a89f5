/** Counts the connections that this process begins, as the operating system is asked for them. */
import { createHook } from 'node:async_hooks';

/** Runs `act` and tells how many TCP connections were begun meanwhile, whoever began them and whatever became of them. */
export async function countConnects(act: () => Promise<unknown>): Promise<number> {
  let connects = 0;
  // Node makes one such object for each connect(2), and none where a connection is refused before.
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
