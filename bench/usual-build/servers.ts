/** Starts the measured servers, each in a process of its own, and reads the processor time that they use. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TemporaryPostgres } from './postgres.ts';

export interface UsualServer {
  readonly kind: 'usual';
  readonly connection: TemporaryPostgres['connection'];
}

export interface RemitServer {
  readonly kind: 'remit';
  /** The directory of each bundle, by the file of its handler. */
  readonly bundles: Readonly<Record<string, string>>;
  /** The endpoint of DynamoDB, if it is not that of the stack. */
  readonly dynamodb?: string;
}

/** Makes recorded calls of DynamoDB, and nothing else. */
export interface BareServer {
  readonly kind: 'bare';
  readonly dynamodb: string;
  readonly region: string;
}

export type ServerSettings = UsualServer | RemitServer | BareServer;
export type ServerReply = { readonly url: string } | { readonly cpuMs: number };

export interface MeasuredServer {
  readonly url: string;
  /** Returns the processor time that the server's process has used so far, in milliseconds. */
  cpuMs(): Promise<number>;
  close(): Promise<void>;
}

/** Starts a server and waits until it listens. @throws Error if its process ends before that */
export async function startServer(settings: ServerSettings): Promise<MeasuredServer> {
  const child = fork(join(import.meta.dirname, 'server-process.ts'), [JSON.stringify(settings)]);
  const ended = once(child, 'exit');
  const nextReply = async (): Promise<ServerReply> => {
    const reply = once(child, 'message');
    const failure = ended.then(([code]) => {
      throw new Error(`The server ended with code ${code}.`);
    });
    const [message] = await Promise.race([reply, failure]);
    return message as ServerReply;
  };
  const first = await nextReply();
  if (!('url' in first)) throw new Error('The server did not send its URL.');
  return {
    url: first.url,
    cpuMs: async () => {
      child.send('cpu');
      const reply = await nextReply();
      return 'cpuMs' in reply ? reply.cpuMs : Number.NaN;
    },
    close: async () => {
      child.disconnect();
      await ended;
    },
  };
}
