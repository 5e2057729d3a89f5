/**
 * Receives the webhooks of the canary and verifies their signatures, as the documentation tells clients to do.
 *
 * An instance reads the secret once, and again if a signature is not valid, because the secret may be new. Strangers can
 * send requests too, so it reads the secret at most every three seconds. The second attempt of a webhook comes later.
 */

import { verifyWebhook, type WebhookHeaders, WebhookVerificationError } from '../../../client/src/remit.ts';
import { env } from '../../base/env.ts';
import { type Instant, now } from '../../base/time.ts';
import { apiVersions } from '../../domain/versions/versions.ts';
import { readSecret } from '../../platform/secrets/secrets-manager.ts';
import { parseCanaryConfig } from './canary-config.ts';
import { refusedWebhookStatus } from './run-canary.ts';

const reloadAfterMs = 3_000;

let loaded: { readonly secret: string | undefined; readonly at: Instant } | undefined;

/**
 * Verifies a webhook.
 * @param body the raw body
 * @returns the status of the response: 204, or 400 if the signature is not valid
 * @throws the error of Secrets Manager
 */
export async function receiveCanaryWebhook(body: Uint8Array, headers: WebhookHeaders): Promise<number> {
  if (await isValid(body, headers, await currentSecret())) return 204;
  if (loaded && now() - loaded.at < reloadAfterMs) return refusedWebhookStatus;
  loaded = undefined;
  return (await isValid(body, headers, await currentSecret())) ? 204 : refusedWebhookStatus;
}

async function isValid(
  body: Uint8Array,
  headers: WebhookHeaders,
  secret: string | undefined,
): Promise<boolean> {
  if (secret === undefined) return false;
  try {
    await verifyWebhook(body, headers, secret, { receivedAt: new Date(now()), apiVersion: apiVersions });
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  }
}

async function currentSecret(): Promise<string | undefined> {
  loaded ??= {
    secret: parseCanaryConfig(await readSecret(env.canarySecretArn()))?.webhookSecret,
    at: now(),
  };
  return loaded.secret;
}
