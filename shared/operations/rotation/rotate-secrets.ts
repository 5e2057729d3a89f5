/**
 * Rotates the secrets of a deployment: adds versions, brings stored values to the current versions, and removes versions
 * that nothing needs any more.
 *
 * - Adding a version is safe at any time, because all versions still read old values.
 * - Bringing stored values up to date can be interrupted and repeated. Each value changes on its own, and only if nobody
 *   else has changed it meanwhile.
 * - A version can be removed only if no stored value needs it, and if it has not been current for 25 hours. Stored answers
 *   and visits of payment pages live for 24 hours, and an instance uses a secret for an hour after it read it.
 */

import { env } from '../../base/env.ts';
import { modes, type Owner } from '../../base/ids.ts';
import { type Instant, now, toTimestamp } from '../../base/time.ts';
import { listCheckVersions } from '../../domain/accounts/key-store.ts';
import { auditRetentionMs } from '../../domain/audit/audit-store.ts';
import { listCredentialVersions, reencryptConnections } from '../../domain/payments/connections/reencrypt.ts';
import { readMembersKeyId, resignMembers } from '../../domain/users/member-store.ts';
import { deletePublicKey, listPublicKeyIds } from '../../domain/users/public-key-store.ts';
import { publishKey, signingKeyIdOf } from '../../domain/users/signed-item.ts';
import { listCiphertextVersions, reencryptWebhooks } from '../../domain/webhooks/reencrypt.ts';
import { auditSecret } from '../../platform/secrets/audit-secret.ts';
import { changeSecret, newSecretRoot, type SecretFields } from '../../platform/secrets/change-secret.ts';
import { deploymentSecret } from '../../platform/secrets/deployment-secret.ts';
import { webhookSecret } from '../../platform/secrets/encryption.ts';
import { keySecret } from '../../platform/secrets/key-secret.ts';
import { providerSecret } from '../../platform/secrets/provider-secret.ts';
import {
  currentSigningKey,
  signingKeyOf,
  signingKeyOfRoot,
  signingSecret,
} from '../../platform/secrets/signing-secret.ts';
import {
  deriveKey,
  type SecretLocation,
  type VersionedSecret,
} from '../../platform/secrets/versioned-secret.ts';

export const rotatedSecrets = ['deployment', 'webhooks', 'keys', 'providers', 'audit', 'signing'] as const;
export type RotatedSecret = (typeof rotatedSecrets)[number];

interface Secret {
  readonly secret: VersionedSecret;
  readonly location: () => SecretLocation;
  /** What precedes the number in the name of a version. */
  readonly prefix: string;
}

const secrets: Readonly<Record<RotatedSecret, Secret>> = {
  deployment: {
    secret: deploymentSecret,
    location: () => ({ file: env.deploymentSecretFile(), arn: env.deploymentSecretArn() }),
    prefix: '',
  },
  webhooks: {
    secret: webhookSecret,
    location: () => ({ file: env.webhookSecretFile(), arn: env.webhookSecretArn() }),
    prefix: 'w',
  },
  keys: {
    secret: keySecret,
    location: () => ({ file: env.keySecretFile(), arn: env.keySecretArn() }),
    prefix: 'k',
  },
  providers: {
    secret: providerSecret,
    location: () => ({ file: env.providerSecretFile(), arn: env.providerSecretArn() }),
    prefix: 'p',
  },
  audit: {
    secret: auditSecret,
    location: () => ({ file: env.auditSecretFile(), arn: env.auditSecretArn() }),
    prefix: 'a',
  },
  signing: {
    secret: signingSecret,
    location: () => ({ file: env.signingSecretFile(), arn: env.signingSecretArn() }),
    prefix: 's',
  },
};

/** How long after a rotation values of the version before can still be in use. */
export const retentionMs = 25 * 60 * 60 * 1000;

/** The same for each secret. Entries of the audit log are kept for 400 days, and their seals need the version that made them. */
const retentionOf = (secret: RotatedSecret): number =>
  secret === 'audit' ? auditRetentionMs + retentionMs : retentionMs;

/** A version of a secret, and what needs it. */
export interface VersionStatus {
  readonly secret: RotatedSecret;
  readonly version: string;
  readonly isCurrent: boolean;
  /** The ids of usable API keys whose check this version made. */
  readonly keys: readonly string[];
  /** The number of webhook secrets that this version encrypts. */
  readonly webhookSecrets: number;
  /** The number of connections to payment providers whose credentials this version encrypts. */
  readonly connections: number;
  /** The number of accounts whose members this version has signed. */
  readonly members: number;
  /** When stored answers and visits no longer need it. Undefined if it is current, or if that is over. */
  readonly neededUntil: Instant | undefined;
}

export interface ApplyProgress {
  readonly accounts: number;
  readonly reencrypted: number;
  readonly connections: number;
  readonly members: number;
}

/** A secret cannot be changed as requested. The message says why, and what to do. */
export class RotationError extends Error {}

/**
 * Adds a version to a secret and makes it the current one.
 * @returns the name of the current version
 */
export async function addVersion(name: RotatedSecret): Promise<string> {
  const { secret, location, prefix } = secrets[name];
  let next = '';
  const root = newSecretRoot();
  // Functions may not store public keys, so the key is there before they sign with it.
  if (name === 'signing') await publishKey(signingKeyOfRoot(root));
  await changeSecret(location(), (fields) => {
    const numbers = versionsOf(fields, prefix).map((version) => Number(version.slice(prefix.length)));
    next = `${prefix}${Math.max(...numbers) + 1}`;
    return {
      ...fields,
      ...(name === 'deployment' && { tableHashKey: fields.tableHashKey ?? tableHashKeyOf(fields) }),
      [next]: root,
      current: next,
      currentSince: toTimestamp(now()),
    };
  });
  secret.forget();
  return next;
}

/**
 * Encrypts webhook secrets and the credentials of connections, and signs members, with the current versions.
 * @param accounts the ids of all accounts
 * @param report gets the counts after each account
 * @throws Error after all accounts, if members have no valid signature. Otherwise the public keys of other secrets are deleted.
 */
export async function applyVersions(
  accounts: AsyncIterable<readonly string[]>,
  report: (progress: ApplyProgress) => void,
): Promise<ApplyProgress> {
  const failures: unknown[] = [];
  await publishKey(await currentSigningKey());
  let progress: ApplyProgress = { accounts: 0, reencrypted: 0, connections: 0, members: 0 };
  for await (const ids of accounts) {
    for (const account of ids) {
      for (const mode of modes) {
        const owner = { account, mode };
        const reencrypted = progress.reencrypted + (await reencryptWebhooks(owner));
        const connections = progress.connections + (await reencryptConnections(owner));
        progress = { ...progress, reencrypted, connections };
      }
      // Members whose signature is not valid do not keep the other accounts from being signed.
      const isSigned = await resignMembers(account).catch((error) => {
        failures.push(error);
        return false;
      });
      const members = progress.members + (isSigned ? 1 : 0);
      progress = { ...progress, members, accounts: progress.accounts + 1 };
      report(progress);
    }
  }
  if (failures.length > 0) throw failures[0];
  await deleteForeignKeys();
  return progress;
}

/** Deletes the public keys of other secrets, such as that of a table's origin. All members are signed with a key of this secret. */
async function deleteForeignKeys(): Promise<void> {
  const { roots } = await signingSecret.content();
  const own = new Set([...roots.values()].map((root) => signingKeyIdOf(signingKeyOfRoot(root))));
  for (const id of await listPublicKeyIds()) if (!own.has(id)) await deletePublicKey(id);
}

/** Returns all versions of all secrets, and what needs them. @param owners all accounts and modes */
export async function readVersions(owners: AsyncIterable<Owner>, at: Instant): Promise<VersionStatus[]> {
  const keys = new Map<string, string[]>();
  const ciphertexts = new Map<string, number>();
  const signatures = new Map<string, number>();
  for await (const owner of owners) {
    for (const { keyId, version } of await listCheckVersions(owner, at))
      keys.set(version, [...(keys.get(version) ?? []), keyId]);
    const stored = [...(await listCiphertextVersions(owner)), ...(await listCredentialVersions(owner))];
    for (const version of stored) ciphertexts.set(version, (ciphertexts.get(version) ?? 0) + 1);
    const keyId = owner.mode === 'live' ? await readMembersKeyId(owner.account) : undefined;
    if (keyId !== undefined) signatures.set(keyId, (signatures.get(keyId) ?? 0) + 1);
  }
  const statuses = await Promise.all(
    rotatedSecrets.map(async (name) => {
      const { secret } = secrets[name];
      secret.forget();
      const { current, roots, fields } = await secret.content();
      const since = fields.currentSince === undefined ? undefined : Date.parse(fields.currentSince);
      const until = since === undefined ? undefined : since + retentionOf(name);
      return [...roots].map(([version, root]): VersionStatus => {
        const isCurrent = version === current;
        const encrypted = ciphertexts.get(version) ?? 0;
        return {
          secret: name,
          version,
          isCurrent,
          keys: name === 'deployment' ? (keys.get(version) ?? []) : [],
          webhookSecrets: name === 'webhooks' ? encrypted : 0,
          connections: name === 'providers' ? encrypted : 0,
          members: name === 'signing' ? (signatures.get(signingKeyIdOf(signingKeyOfRoot(root))) ?? 0) : 0,
          neededUntil: isCurrent || until === undefined || until <= at ? undefined : until,
        };
      });
    }),
  );
  return statuses.flat();
}

/**
 * Removes a version that nothing needs.
 * @param status what `readVersions` returned for it
 * @throws RotationError if something needs it
 */
export async function removeVersion(status: VersionStatus): Promise<void> {
  const { secret: name, version } = status;
  const reason = reasonToKeep(status);
  if (reason)
    throw new RotationError(`Version ${version} of the secret ${name} cannot be removed: ${reason}`);
  const { secret, location } = secrets[name];
  const key = name === 'signing' ? await signingKeyOf(version) : undefined;
  if (key) await deletePublicKey(signingKeyIdOf(key));
  await changeSecret(location(), (fields) => {
    if (fields.current === version) throw new RotationError('It became the current version.');
    const { [version]: _, ...others } = fields;
    return others;
  });
  secret.forget();
}

/** Returns why a version must stay, as a sentence with its remedy. Undefined if it can be removed. */
export function reasonToKeep({
  isCurrent,
  keys,
  webhookSecrets,
  connections,
  members,
  neededUntil,
}: VersionStatus): string | undefined {
  if (isCurrent) return 'it is the current version. Run npx remit secrets rotate first.';
  if (webhookSecrets > 0)
    return `it encrypts ${webhookSecrets} webhook secrets. Run npx remit secrets apply first.`;
  if (connections > 0)
    return `it encrypts the credentials of ${connections} connections to payment providers. Run npx remit secrets apply first.`;
  if (members > 0)
    return `it has signed the members of ${members} accounts. Run npx remit secrets apply first.`;
  if (keys.length > 0)
    return `API keys contain its check: ${keys.join(', ')}. Create new keys for their clients, and revoke these.`;
  if (neededUntil !== undefined)
    return `running functions, answers, payment pages, sessions and entries of the audit log can still need it until ${toTimestamp(neededUntil)}.`;
  return undefined;
}

const versionsOf = (fields: SecretFields, prefix: string): string[] =>
  Object.keys(fields).filter((name) => new RegExp(`^${prefix}[1-9]\\d*$`).test(name));

/** The key of the hashes in the table's keys, as `deployment-secret.ts` derives it from version 1. */
function tableHashKeyOf(fields: SecretFields): string {
  return deriveKey(fields[1] ?? '', 'table-hash').toString('base64url');
}
