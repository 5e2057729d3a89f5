/** Receives the webhooks of the canary at a function URL. Responds 204 if the signature is valid, otherwise 400. */
import type { LambdaFunctionURLEvent, LambdaFunctionURLResult } from 'aws-lambda';
import { securityHeaders } from '../../shared/api/http/security-headers.ts';
import { receiveCanaryWebhook } from '../../shared/operations/canary/receive-webhook.ts';

export const handler = async ({
  body = '',
  isBase64Encoded,
  headers,
}: LambdaFunctionURLEvent): Promise<LambdaFunctionURLResult> => {
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  return { statusCode: await receiveCanaryWebhook(bytes, headers), headers: securityHeaders };
};
