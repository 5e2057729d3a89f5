/** Reads and writes the canary's secret in Secrets Manager. Only these commands and the canary's functions know it. */
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { type CanaryConfig, parseCanaryConfig } from '../shared/operations/canary/canary-config.ts';
import { readSecret } from '../shared/platform/secrets/secrets-manager.ts';

/** Reads the secret. Returns undefined if `npx remit canary enable` has not stored anything yet. */
export async function readCanaryConfig(secretArn: string): Promise<CanaryConfig | undefined> {
  return parseCanaryConfig(await readSecret(secretArn));
}

/** Stores `config` as the new version of the secret. */
export async function writeCanaryConfig(secretArn: string, config: CanaryConfig): Promise<void> {
  const client = new SecretsManagerClient();
  try {
    const SecretString = JSON.stringify(config);
    await client.send(new PutSecretValueCommand({ SecretId: secretArn, SecretString }));
  } finally {
    client.destroy();
  }
}
