/** Reads a secret from Secrets Manager. A separate file, so bundles contain only this part of the client. */
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';

/**
 * Reads the text of a secret.
 * @throws the error of Secrets Manager, or Error if the secret is empty
 */
export async function readSecret(arn: string | undefined): Promise<string> {
  const { SecretString } = await new SecretsManagerClient().send(
    new GetSecretValueCommand({ SecretId: arn }),
  );
  if (!SecretString) throw new Error('The secret is empty.');
  return SecretString;
}
