/** Reads a secret with the SDK. A separate file, so that a bundle loads this client only when it is needed. */
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';

export const readSecretWithSdk = (SecretId: string) =>
  new SecretsManagerClient().send(new GetSecretValueCommand({ SecretId }));
