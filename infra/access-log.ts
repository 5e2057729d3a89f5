/**
 * Defines the gateway's access log entry of one request. The gateway also logs requests that reach no function.
 *
 * - An entry contains no header and no query string, because they can contain secrets.
 * - It contains the route pattern, never the path: the URL of a payment page is enough to open that page.
 */
import { AccessLogField, AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';

export const accessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    requestId: AccessLogField.contextRequestId(),
    time: AccessLogField.contextRequestTimeEpoch(),
    source: AccessLogField.contextIdentitySourceIp(),
    method: AccessLogField.contextHttpMethod(),
    route: AccessLogField.contextResourcePath(),
    status: AccessLogField.contextStatus(),
    bytes: AccessLogField.contextResponseLength(),
    durationMs: AccessLogField.contextResponseLatency(),
    functionMs: AccessLogField.contextIntegrationLatency(),
    functionStatus: AccessLogField.contextIntegrationStatus(),
    gatewayError: AccessLogField.contextErrorResponseType(),
    firewall: AccessLogField.contextWafResponseCode(),
  }),
);
