/** Names who sends a request and from where, for the audit log. */
import type { AuditAction, AuditOrigin } from '../../base/audit-origin.ts';
import { keyIdOf } from '../../base/ids.ts';
import { tableHash } from '../../platform/secrets/deployment-secret.ts';
import type { ApiRequest } from './request-state.ts';

/** 66 bits: enough to compare addresses. Outbox items have little room. */
const addressHashLength = 11;

/** Returns the hash under which the audit log shows an address. Only the deployment secret leads from an address to it. */
export async function hashAddress(address: string): Promise<string> {
  return (await tableHash('audit', address)).slice(0, addressHashLength);
}

/** Returns the origin of an authenticated request. */
export async function requestOrigin(
  action: AuditAction,
  { event, internal: { apiKey } }: Pick<ApiRequest, 'event' | 'internal'>,
): Promise<AuditOrigin> {
  const { requestId, identity } = event.requestContext;
  return {
    actor: { type: 'key', id: apiKey ? keyIdOf(apiKey.keyHash) : null },
    action,
    requestId,
    source: await hashAddress(identity.sourceIp),
  };
}
