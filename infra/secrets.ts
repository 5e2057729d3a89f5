/**
 * Creates the secrets of a deployment, with version 1 in the format that `shared/platform/secrets` reads. CloudFormation generates
 * their values. Each has its own purpose, so a function reads only what it needs.
 */
import type { RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { type CfnSecret, type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import { backupKeyAlias } from './backup.ts';
import type { Settings } from './settings.ts';

export const secretNames = ['deployment', 'webhooks', 'keys', 'providers', 'audit', 'signing'] as const;

export type Secrets = Readonly<Record<(typeof secretNames)[number], Pick<ISecret, 'secretArn'>>>;

interface SecretDefinition {
  readonly description: string;
  /** The name of the first version. */
  readonly first: string;
  /** Whether a deployment in the backup region needs it. */
  readonly isReplicated: boolean;
}

/** Creates the secrets. Uses those of the settings for an existing table. */
export function createSecrets(
  scope: Construct,
  settings: Settings,
  removalPolicy: RemovalPolicy,
  encryptionKey: IKey | undefined,
): Secrets {
  const { existingSecret, existingWebhookSecret, existingProviderSecret, existingAuditSecret } = settings;
  const create = (id: string, definition: SecretDefinition) =>
    createSecret(scope, id, definition, settings, removalPolicy, encryptionKey);
  return {
    deployment:
      existingSecret === undefined
        ? create('DeploymentSecret', {
            description: 'Remit: source of the keys for API keys, fingerprints and hashes.',
            first: '1',
            isReplicated: true,
          })
        : Secret.fromSecretCompleteArn(scope, 'ExistingSecret', existingSecret),
    webhooks:
      existingWebhookSecret === undefined
        ? create('WebhookSecret', {
            description: 'Remit: source of the keys that encrypt the secrets of webhook endpoints.',
            first: 'w1',
            isReplicated: true,
          })
        : Secret.fromSecretCompleteArn(scope, 'ExistingWebhookSecret', existingWebhookSecret),
    // What it encrypts lives for 24 hours.
    keys: create('KeySecret', {
      description: 'Remit: source of the keys that encrypt stored answers with the value of an API key.',
      first: 'k1',
      isReplicated: false,
    }),
    providers:
      existingProviderSecret === undefined
        ? create('ProviderSecret', {
            description: 'Remit: source of the keys that encrypt the credentials of payment providers.',
            first: 'p1',
            isReplicated: true,
          })
        : Secret.fromSecretCompleteArn(scope, 'ExistingProviderSecret', existingProviderSecret),
    audit:
      existingAuditSecret === undefined
        ? create('AuditSecret', {
            description: 'Remit: source of the keys that seal the entries of the audit log.',
            first: 'a1',
            isReplicated: true,
          })
        : Secret.fromSecretCompleteArn(scope, 'ExistingAuditSecret', existingAuditSecret),
    // The table has the public keys, so another secret can sign what this one has signed.
    signing: create('SigningSecret', {
      description: 'Remit: source of the keys that sign sessions and members of accounts.',
      first: 's1',
      isReplicated: false,
    }),
  };
}

function createSecret(
  scope: Construct,
  id: string,
  { description, first, isReplicated }: SecretDefinition,
  settings: Settings,
  removalPolicy: RemovalPolicy,
  encryptionKey: IKey | undefined,
): Secret {
  const secret = new Secret(scope, id, {
    description,
    // Never change this. CloudFormation would replace the secret, and stored hashes and ciphertexts would be useless.
    generateSecretString: {
      secretStringTemplate: JSON.stringify({ current: first }),
      generateStringKey: first,
      passwordLength: 64,
      excludePunctuation: true,
      includeSpace: false,
    },
    removalPolicy,
    ...(encryptionKey && { encryptionKey }),
  });
  const { backupRegion, customerKey } = settings;
  if (backupRegion !== undefined && isReplicated) {
    const replica = { region: backupRegion, ...(customerKey && { kmsKeyId: backupKeyAlias(settings) }) };
    (secret.node.defaultChild as CfnSecret).replicaRegions = [replica];
  }
  acknowledge(
    secret,
    'SMG4',
    'An operator rotates it with npx remit secrets rotate. docs/operate/accounts.md has the steps.',
  );
  return secret;
}
