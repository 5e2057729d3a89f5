/**
 * Serves the two Secrets Manager calls that the service and the commands make, `GetSecretValue` and `PutSecretValue`, on
 * a free port of this machine.
 */
import { createServer } from 'node:http';
import { type LoopbackServer, listenOnLoopback } from './loopback-server.ts';

export interface SecretsServer extends LoopbackServer {
  /** The values by the ids of the secrets. Tests may change them. */
  readonly values: Map<string, string>;
  /** The ids of the secrets that were read, in order. */
  readonly reads: string[];
  /** The number of next writes that fail. */
  failWrites(count: number): void;
}

/** Starts the server with these values. */
export async function startSecretsManager(values: Readonly<Record<string, string>>): Promise<SecretsServer> {
  const stored = new Map(Object.entries(values));
  const reads: string[] = [];
  let failures = 0;
  const server = createServer(async (request, response) => {
    const { SecretId, SecretString } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const answer = (status: number, body: object) => {
      response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
    };
    const notFound = { __type: 'ResourceNotFoundException', message: 'no' };
    if (!stored.has(SecretId)) return answer(400, notFound);
    if (String(request.headers['x-amz-target']).endsWith('.GetSecretValue')) {
      reads.push(SecretId);
      return answer(200, { ARN: SecretId, SecretString: stored.get(SecretId) });
    }
    if (failures > 0) {
      failures -= 1;
      return answer(400, { __type: 'AccessDeniedException', message: 'no' });
    }
    stored.set(SecretId, SecretString);
    return answer(200, { ARN: SecretId });
  });
  const failWrites = (count: number) => {
    failures = count;
  };
  return { ...(await listenOnLoopback(server)), values: stored, reads, failWrites };
}
