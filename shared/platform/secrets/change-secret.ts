/** Changes secrets. Only commands do this. A change that another process made meanwhile is never lost. */
import { randomBytes, randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';
import type { SecretLocation } from './versioned-secret.ts';

/** The fields of a secret, as it is stored. */
export type SecretFields = Readonly<Record<string, string>>;

/**
 * The label of a version that is written, but not current yet. It is always the same, so that Secrets Manager takes it from the
 * version before. A secret has at most 20 labels, and a version that has one is never deleted.
 */
const nextLabel = 'remit-next';

/** Returns a new random text for a version of a secret. */
export const newSecretRoot = (): string => randomBytes(48).toString('base64url');

/**
 * Changes the fields of a secret.
 * @param change returns the new fields. Undefined leaves the secret as it is.
 * @throws Error if another process changes the secret at the same time, or if it cannot be written
 */
export async function changeSecret(
  { file, arn }: SecretLocation,
  change: (fields: SecretFields) => SecretFields | undefined,
): Promise<void> {
  if (file) return changeFile(file, change);
  const client = new SecretsManagerClient();
  try {
    const { SecretString = '{}', VersionId: before } = await client.send(
      new GetSecretValueCommand({ SecretId: arn }),
    );
    const fields = change(JSON.parse(SecretString));
    if (!fields) return;
    // Secrets Manager moves the label only if the version that was read still has it.
    const { VersionId: after } = await client.send(
      new PutSecretValueCommand({
        SecretId: arn,
        SecretString: JSON.stringify(fields),
        VersionStages: [nextLabel],
      }),
    );
    await client.send(
      new UpdateSecretVersionStageCommand({
        SecretId: arn,
        VersionStage: 'AWSCURRENT',
        RemoveFromVersionId: before,
        MoveToVersionId: after,
      }),
    );
  } finally {
    client.destroy();
  }
}

/** Replaces the file at once. A second file with a fixed name keeps other processes out meanwhile. */
async function changeFile(
  file: string,
  change: (fields: SecretFields) => SecretFields | undefined,
): Promise<void> {
  const [lock, next] = [`${file}.lock`, `${file}.${randomUUID()}`];
  await writeFile(next, '', { mode: 0o600 });
  try {
    await link(next, lock).catch(() => {
      throw new Error(`Another process changes ${file}. If none does, delete ${lock}.`);
    });
    try {
      const fields = change(JSON.parse(await readFile(file, 'utf8')));
      if (!fields) return;
      await writeFile(next, `${JSON.stringify(fields)}\n`);
      await rename(next, file);
    } finally {
      await rm(lock, { force: true });
    }
  } finally {
    await rm(next, { force: true });
  }
}
