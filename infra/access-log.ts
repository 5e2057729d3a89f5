/**
 * What the gateway writes of each request: what was asked and how it ended, also where no function was reached. No
 * header, no query, and no path with ids in it, as the address of a payment page is all that its payer needs.
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
