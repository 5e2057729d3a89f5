/** Reads a secret from Secrets Manager. A separate file, so bundles contain only this part of the client. */
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { StandardRetryStrategy } from '@smithy/core/retry';
import { env } from '../../base/env.ts';
import { DirectClient } from '../aws/direct-client.ts';
import { type DirectService, serviceTimeLimits } from '../aws/direct-service.ts';

const service: DirectService = {
  name: 'secretsmanager',
  target: 'secretsmanager',
  contentType: 'application/x-amz-json-1.1',
  operations: new Map<unknown, string>([[GetSecretValueCommand, 'GetSecretValue']]),
};

/**
 * Reads the text of a secret, through the SDK or on the short path, as `env.awsCalls` decides.
 * @throws the error of Secrets Manager, or Error if the secret is empty
 */
export async function readSecret(arn: string | undefined): Promise<string> {
  const { SecretString } = await createClient().send(new GetSecretValueCommand({ SecretId: arn }));
  if (!SecretString) throw new Error('The secret is empty.');
  return SecretString;
}

/** Has the default retries of the SDK. */
function createClient(): Pick<SecretsManagerClient, 'send'> {
  const maxAttempts = 3;
  const requestHandler = serviceTimeLimits;
  const options = { retryStrategy: new StandardRetryStrategy(maxAttempts), requestHandler };
  // The condition has this form, because esbuild then leaves the SDK's client out of bundles that do not use it.
  return typeof directCallsOnly === 'undefined' && env.awsCalls() === 'sdk'
    ? new SecretsManagerClient({ requestHandler })
    : (new DirectClient(service, options) as Pick<SecretsManagerClient, 'send'>);
}
