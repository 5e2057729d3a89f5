/**
 * Shows which requests to IAM the functions of the local stack make: for each call to the table, to the bucket and to a queue, and for
 * each use of a secret. The local stack reads secrets from files, so a use of a secret counts as its read.
 */

import type { AwsTarget } from '../../shared/base/aws-targets.ts';
import { env } from '../../shared/base/env.ts';
import type { QueueName } from '../../shared/base/queues.ts';
import type { BucketInput } from '../../shared/platform/aws/bucket-client.ts';
import type { TargetInput } from '../../shared/platform/aws/target-client.ts';
import type { VersionedSecret } from '../../shared/platform/secrets/versioned-secret.ts';
import { targetActions } from '../function-policies.ts';
import type { SecretName } from '../grants.ts';
import { bucketRequestOf } from '../policies/bucket-requests.ts';
import { type AccessRequest, requestsOf } from '../policies/table-requests.ts';
import { runningFunction } from './handler.ts';
import type { OpenQueue } from './queue-server.ts';

/** Learns of the requests of a call before it is made. The call fails with what the listener throws or rejects with. */
export type CallListener = (file: string, requests: readonly AccessRequest[]) => void | Promise<void>;

/** The resources of the stack. */
export interface StackResources {
  readonly tableName: string;
  readonly bucketName: string;
  readonly queueUrls: Readonly<Record<QueueName, Pick<OpenQueue, 'url'>>>;
}

/** The steps of a call with the SDK's middleware. */
type Next = (args: { readonly input: object }) => Promise<unknown>;
interface Steps {
  readonly middlewareStack: {
    add(step: never, options: { readonly step: 'initialize'; readonly name: string }): void;
    remove(name: string): unknown;
  };
}

let listeners = 0;

/**
 * Calls `listener` for each call that a function makes. Call this after the environment of the functions is set, because it imports
 * the clients of the service.
 * @returns a function that ends this
 */
export async function listenToCalls(
  { tableName, bucketName, queueUrls }: StackResources,
  listener: CallListener,
): Promise<() => void> {
  const { dynamodb } = await import('../../shared/store/client.ts');
  const { bucket } = await import('../../shared/store/bucket.ts');
  const { queueClient } = await import('../../shared/store/queue-client.ts');
  const { targetClient } = await import('../../shared/platform/aws/target-client.ts');
  const queues = new Map(Object.entries(queueUrls).map(([name, { url }]) => [url, name]));
  const toQueueRequest = (QueueUrl: string): AccessRequest => ({
    action: 'sqs:SendMessage',
    resource: `queue ${queues.get(QueueUrl) ?? QueueUrl}`,
  });
  const name = `listenToCalls${listeners++}`;
  const listen = (
    client: Steps,
    toRequests: (command: string, input: object) => readonly AccessRequest[],
  ) => {
    const step =
      (next: Next, { commandName }: { commandName: string }): Next =>
      async (args) => {
        const file = runningFunction();
        if (file !== undefined) await listener(file, toRequests(commandName, args.input));
        return next(args);
      };
    client.middlewareStack.add(step as never, { step: 'initialize', name });
  };
  listen(dynamodb, (command, input) => requestsOf(command, input, tableName));
  listen(bucket, (command, input) => [bucketRequestOf(command, input as BucketInput, bucketName)]);
  // A batch of messages needs the same permission as one message.
  listen(queueClient, (_, input) => [toQueueRequest(String((input as { QueueUrl?: string }).QueueUrl))]);
  listen(targetClient, (_, input) => [toTargetRequest((input as TargetInput).target)]);
  const stopSecrets = await listenToSecrets(listener);
  return () => {
    for (const client of [dynamodb, bucket, queueClient, targetClient]) client.middlewareStack.remove(name);
    stopSecrets();
  };
}

/** A role names the targets of the deployment, and no other. */
function toTargetRequest({ type, arn }: AwsTarget): AccessRequest {
  const isKnown = env.eventTargets().includes(arn);
  return { action: targetActions[type], resource: isKnown ? `target ${type}` : arn };
}

const secretListeners = new Set<CallListener>();
let watching: Promise<void> | undefined;

async function listenToSecrets(listener: CallListener): Promise<() => void> {
  watching ??= watchSecrets();
  await watching;
  secretListeners.add(listener);
  return () => secretListeners.delete(listener);
}

/** Puts a step before each use of each secret. */
async function watchSecrets(): Promise<void> {
  const { VersionedSecret: Secret } = await import('../../shared/platform/secrets/versioned-secret.ts');
  const secrets: Readonly<Record<SecretName, VersionedSecret>> = {
    deployment: (await import('../../shared/platform/secrets/deployment-secret.ts')).deploymentSecret,
    webhooks: (await import('../../shared/platform/secrets/encryption.ts')).webhookSecret,
    keys: (await import('../../shared/platform/secrets/key-secret.ts')).keySecret,
    providers: (await import('../../shared/platform/secrets/provider-secret.ts')).providerSecret,
    audit: (await import('../../shared/platform/secrets/audit-secret.ts')).auditSecret,
    signing: (await import('../../shared/platform/secrets/signing-secret.ts')).signingSecret,
  };
  const names = new Map(Object.entries(secrets).map(([name, secret]) => [secret, name as SecretName]));
  const use = async (secret: VersionedSecret) => {
    const file = runningFunction();
    const request = { action: 'secretsmanager:GetSecretValue', resource: `secret ${names.get(secret)}` };
    if (file !== undefined) for (const listener of secretListeners) await listener(file, [request]);
  };
  const { content, keyOf } = Secret.prototype;
  Secret.prototype.content = async function (this: VersionedSecret) {
    await use(this);
    return content.call(this);
  };
  Secret.prototype.keyOf = async function (this: VersionedSecret, purpose: string, version: string) {
    await use(this);
    return keyOf.call(this, purpose, version);
  };
}
