/**
 * The REST API: every route of the route table with its function, and the catch-all for everything else. What the
 * gateway answers by itself is in `gateway-responses.ts`.
 */
import { Aws, Stack } from 'aws-cdk-lib';
import {
  EndpointType,
  type IResource,
  LambdaIntegration,
  LogGroupLogDestination,
  RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { plans } from '../shared/accounts/account.ts';
import type { Route } from '../shared/routes.ts';
import { accessLogFormat } from './access-log.ts';
import { acknowledge } from './acknowledge.ts';
import { addGatewayResponses } from './gateway-responses.ts';
import { createLogGroup } from './log-group.ts';
import type { Settings } from './settings.ts';

/** A route and the function that serves it. */
export interface ServedRoute {
  readonly route: Route;
  readonly fn: IFunction;
}

const stageName = 'prod';
/** Above what any client of ours should send for long; it bounds what a flood can cost. */
const requestsPerSecond = 1000;
/** A whole hour's requests of the largest plan may come at once. */
const burstRequests = Math.max(...Object.values(plans));

/** The API without its routes: functions need to know its address. */
export function createApi(scope: Construct, settings: Settings, key: IKey | undefined): RestApi {
  const { domainName, certificateArn = '' } = settings;
  const api = new RestApi(scope, 'Api', {
    restApiName: Aws.STACK_NAME,
    endpointConfiguration: { types: [EndpointType.REGIONAL] },
    // Bodies reach the functions byte by byte, whatever they claim to be.
    binaryMediaTypes: ['*/*'],
    deployOptions: {
      stageName,
      throttlingRateLimit: requestsPerSecond,
      throttlingBurstLimit: burstRequests,
      accessLogDestination: new LogGroupLogDestination(createLogGroup(scope, 'AccessLog', key)),
      accessLogFormat,
      tracingEnabled: true,
    },
    // Without it the gateway may not write logs. It is the account's, so it stays when this API goes.
    cloudWatchRole: true,
    ...(domainName !== undefined && {
      domainName: {
        domainName,
        certificate: Certificate.fromCertificateArn(scope, 'Certificate', certificateArn),
        endpointType: EndpointType.REGIONAL,
        securityPolicy: SecurityPolicy.TLS_1_2,
      },
    }),
  });
  // One output tells the address, which may be another than that of the gateway.
  api.node.tryRemoveChild('Endpoint');
  addGatewayResponses(api);
  acknowledgeRules(api);
  return api;
}

function acknowledgeRules(api: RestApi): void {
  acknowledge(
    api,
    'APIG2',
    "The functions validate requests, and answer in the service's own words and order.",
  );
  acknowledge(
    api.deploymentStage,
    'APIG6',
    'Execution logs would repeat parts of requests; the access log and those of the functions tell what is needed.',
  );
  acknowledge(
    api.node.findChild('CloudWatchRole'),
    'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
    "The role is the account's own, for the logs of all of its APIs, and this is the policy that AWS made for it.",
  );
}

/**
 * The address of the API, without a slash at its end. Made of the API's id and the stage's literal name, because
 * `api.url` waits for the methods, which wait for the functions that are to be told.
 */
export function baseUrlOf(api: RestApi, { domainName, emulatorEndpoint }: Settings): string {
  const { region, urlSuffix } = Stack.of(api);
  if (domainName !== undefined) return `https://${domainName}`;
  if (emulatorEndpoint !== undefined)
    return `${emulatorEndpoint}/restapis/${api.restApiId}/${stageName}/_user_request_`;
  return `https://${api.restApiId}.execute-api.${region}.${urlSuffix}/${stageName}`;
}

/**
 * Adds all routes. The catch-all `ANY /{proxy+}` also answers the root, and on every path the methods that no
 * route has. GET answers HEAD, whose body the gateway leaves out.
 */
export function addRoutes(api: RestApi, served: readonly ServedRoute[]): void {
  const catchAll = served.find(({ route }) => route.method === 'ANY');
  if (!catchAll) throw new Error('The routes have no catch-all.');
  const resources = new Set<IResource>([api.root, api.root.resourceForPath(catchAll.route.path)]);
  for (const { route, fn } of served) {
    if (route.method === 'ANY') continue;
    const resource = api.root.resourceForPath(route.path);
    const integration = new LambdaIntegration(fn, { allowTestInvoke: false });
    for (const method of route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]) {
      addMethod(resource, method, integration, route);
    }
    for (const each of withParents(resource)) resources.add(each);
  }
  // One permission for all of its methods, of which there are many.
  const elsewhere = new LambdaIntegration(catchAll.fn, { scopePermissionToMethod: false });
  for (const resource of resources) addMethod(resource, 'ANY', elsewhere, catchAll.route);
}

function addMethod(
  resource: IResource,
  httpMethod: string,
  integration: LambdaIntegration,
  { permission }: Route,
): void {
  const method = resource.addMethod(httpMethod, integration);
  const reason = permission
    ? 'The function asks for an API key, and counts the request in the same step.'
    : 'It is for everybody: a payment page, the document, or the answer to what there is not.';
  for (const rule of ['APIG4', 'COG4']) acknowledge(method, rule, reason);
}

function withParents(resource: IResource): IResource[] {
  return [resource, ...(resource.parentResource ? withParents(resource.parentResource) : [])];
}
