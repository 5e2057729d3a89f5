/** Creates the gateways of the API and of the dashboard, without their routes. */
import { Aws, Stack } from 'aws-cdk-lib';
import {
  type CfnRestApi,
  EndpointAccessMode,
  EndpointType,
  LogGroupLogDestination,
  RestApi,
  SecurityPolicy,
  type StageOptions,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { accessLogFormat } from './access-log.ts';
import { acknowledge } from './acknowledge.ts';
import { createLogGroup } from './log-group.ts';
import type { Settings } from './settings.ts';

/** A custom domain of a gateway. */
export interface GatewayDomain {
  readonly domainName: string;
  readonly certificateArn: string;
  /** Keeps the gateway's own address in use beside the domain. */
  readonly defaultEndpoint: boolean;
}

export interface RestApiOptions
  extends Pick<StageOptions, 'throttlingRateLimit' | 'throttlingBurstLimit' | 'methodOptions'>,
    Pick<Settings, 'stage' | 'gatewayLogRole'> {
  readonly customerKey: IKey | undefined;
  readonly domain?: GatewayDomain;
}

/** The name of the stage of each gateway, with which the paths of its own address begin. */
export const stageName = 'prod';

/** TLS 1.2 or later, with forward secrecy. Without a policy, the gateway's own address also accepts TLS 1.0. */
const securityPolicy = SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09;

/** Creates a gateway with an access log. Its name is that of its stack, so a stack can have only one. */
export function createRestApi(
  scope: Construct,
  { stage, customerKey, domain, gatewayLogRole, ...stageOptions }: RestApiOptions,
): RestApi {
  const api = new RestApi(scope, 'Api', {
    restApiName: Aws.STACK_NAME,
    endpointConfiguration: { types: [EndpointType.REGIONAL] },
    disableExecuteApiEndpoint: domain !== undefined && !domain.defaultEndpoint,
    // The gateway passes the exact bytes of a body to the functions, for every content type.
    binaryMediaTypes: ['*/*'],
    deployOptions: {
      stageName,
      ...stageOptions,
      accessLogDestination: new LogGroupLogDestination(
        createLogGroup(scope, 'AccessLog', stage, customerKey),
      ),
      accessLogFormat,
      tracingEnabled: true,
    },
    // The whole AWS account uses this role, so it stays after this API is deleted.
    cloudWatchRole: gatewayLogRole,
    ...(domain && {
      domainName: {
        domainName: domain.domainName,
        certificate: Certificate.fromCertificateArn(scope, 'Certificate', domain.certificateArn),
        endpointType: EndpointType.REGIONAL,
        securityPolicy,
        endpointAccessMode: EndpointAccessMode.BASIC,
      },
    }),
  });
  // The stacks have outputs of their own, which can differ from the gateway's URL.
  api.node.tryRemoveChild('Endpoint');
  requireModernTls(api);
  acknowledgeLogs(api);
  return api;
}

/** Sets the TLS policy of the gateway's own address, which the construct has no property for. */
function requireModernTls(api: RestApi): void {
  const definition = api.node.defaultChild as CfnRestApi;
  definition.securityPolicy = securityPolicy;
  definition.endpointAccessMode = EndpointAccessMode.BASIC;
}

function acknowledgeLogs(api: RestApi): void {
  acknowledge(
    api.deploymentStage,
    'APIG6',
    'Execution logs would contain parts of requests. The access log and the function logs are sufficient.',
  );
  const logRole = api.node.tryFindChild('CloudWatchRole');
  if (!logRole) return;
  acknowledge(
    logRole,
    'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
    'The role belongs to the whole AWS account and writes the logs of all its APIs. AWS provides this policy for it.',
  );
}

/**
 * Returns the URL of a gateway without a trailing slash.
 *
 * The URL uses the API's id and the literal stage name, not `api.url`. `api.url` depends on the methods, the methods
 * depend on the functions, and the functions need this URL: a cycle.
 * @param domainName the gateway's custom domain
 */
export function baseUrlOf(
  api: RestApi,
  domainName: string | undefined,
  emulatorEndpoint: string | undefined,
): string {
  if (domainName !== undefined) return `https://${domainName}`;
  if (emulatorEndpoint !== undefined)
    return `${emulatorEndpoint}/restapis/${api.restApiId}/${stageName}/_user_request_`;
  return `https://${gatewayHostOf(api)}/${stageName}`;
}

/** Returns the host of the gateway's own address, which a gateway with a custom domain has, too. */
export function gatewayHostOf(api: RestApi): string {
  const { region, urlSuffix } = Stack.of(api);
  return `${api.restApiId}.execute-api.${region}.${urlSuffix}`;
}
