/** Reading a secret from Secrets Manager: a file of its own, so that a bundle takes no more of the client than this. */
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';

/** The secret's text. Throws what Secrets Manager answers, or if the secret is empty. */
export async function readSecret(arn: string | undefined): Promise<string> {
  const { SecretString } = await new SecretsManagerClient().send(
    new GetSecretValueCommand({ SecretId: arn }),
  );
  if (!SecretString) throw new Error('The deployment secret is empty.');
  return SecretString;
}
