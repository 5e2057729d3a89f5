/** Finds a port for a server that this process starts. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/**
 * Returns a TCP port of the loopback address that is free now. Another process can take it before the caller does.
 * @throws the error of the operating system if no port is free
 */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
