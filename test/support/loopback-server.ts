/** Starts HTTP servers that take the place of an AWS service in tests. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LoopbackServer {
  readonly endpoint: string;
  close(): Promise<void>;
}

/** Listens on a free port of the loopback address. `close()` also ends open connections. */
export async function listenOnLoopback(server: Server): Promise<LoopbackServer> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { endpoint: `http://127.0.0.1:${port}`, close };
}
