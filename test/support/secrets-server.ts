/**
 * Serves the Secrets Manager calls that the service and the commands make, on a free port of this machine:
 * `GetSecretValue`, `PutSecretValue` and `UpdateSecretVersionStage`.
 */
import { randomUUID } from 'node:crypto';
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

/** A secret has at most 20 labels. `AWSCURRENT` and `AWSPREVIOUS` are two of them. */
const maxOtherLabels = 18;

/** Starts the server with these values. */
export async function startSecretsManager(values: Readonly<Record<string, string>>): Promise<SecretsServer> {
  const stored = new Map(Object.entries(values));
  /** The values of versions that were written with labels, by version id, and the current ids by secret. */
  const staged = new Map<string, string>();
  const currentIds = new Map<string, string>();
  /** The labels of each secret other than that of its current version, with the ids of their versions. */
  const labels = new Map<string, Map<string, string>>();
  const currentIdOf = (id: string) => currentIds.get(id) ?? 'first';
  const reads: string[] = [];
  let failures = 0;
  const server = createServer(async (request, response) => {
    const input = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const { SecretId, SecretString } = input;
    const answer = (status: number, body: object) => {
      response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
    };
    const notFound = { __type: 'ResourceNotFoundException', message: 'no' };
    if (!stored.has(SecretId)) return answer(400, notFound);
    if (String(request.headers['x-amz-target']).endsWith('.GetSecretValue')) {
      reads.push(SecretId);
      return answer(200, {
        ARN: SecretId,
        SecretString: stored.get(SecretId),
        VersionId: currentIdOf(SecretId),
      });
    }
    if (failures > 0) {
      failures -= 1;
      return answer(400, { __type: 'AccessDeniedException', message: 'no' });
    }
    if (String(request.headers['x-amz-target']).endsWith('.UpdateSecretVersionStage')) {
      const { RemoveFromVersionId, MoveToVersionId } = input;
      if (RemoveFromVersionId !== currentIdOf(SecretId))
        return answer(400, {
          __type: 'InvalidParameterException',
          message: 'The label is on another version.',
        });
      stored.set(SecretId, staged.get(MoveToVersionId) ?? '');
      currentIds.set(SecretId, MoveToVersionId);
      return answer(200, { ARN: SecretId });
    }
    const VersionId = randomUUID();
    if (input.VersionStages) {
      const ofSecret = new Map(labels.get(SecretId));
      for (const label of input.VersionStages) ofSecret.set(label, VersionId);
      if (ofSecret.size > maxOtherLabels)
        return answer(400, { __type: 'LimitExceededException', message: 'The secret has too many labels.' });
      labels.set(SecretId, ofSecret);
      staged.set(VersionId, SecretString);
    } else {
      stored.set(SecretId, SecretString);
      currentIds.set(SecretId, VersionId);
    }
    return answer(200, { ARN: SecretId, VersionId });
  });
  const failWrites = (count: number) => {
    failures = count;
  };
  return { ...(await listenOnLoopback(server)), values: stored, reads, failWrites };
}
