/** A webhook receiver on this machine that accepts each message. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface BenchReceiver {
  readonly url: string;
  /** From now on, waits for this number of messages. */
  expect(count: number): void;
  isComplete(): boolean;
  close(): void;
}

/** Starts a receiver on a free port. */
export async function startBenchReceiver(): Promise<BenchReceiver> {
  let missing = 0;
  const server = createServer((message, response) => {
    message.resume().on('end', () => {
      missing -= 1;
      response.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    expect: (count) => {
      missing = count;
    },
    isComplete: () => missing <= 0,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
