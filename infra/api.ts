/**
 * The REST API: every route of the route table with its function, and the catch-all for everything else. What the
 * gateway answers by itself is in `gateway-responses.ts`.
 */
import { Aws, Stack } from 'aws-cdk-lib';
import { EndpointType, type IResource, LambdaIntegration, RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Route } from '../shared/routes.ts';
import { addGatewayResponses } from './gateway-responses.ts';

/** A route and the function that serves it. */
export interface ServedRoute {
  readonly route: Route;
  readonly fn: IFunction;
}

const stageName = 'prod';

/** The API without its routes: functions need to know its address. */
export function createApi(scope: Construct): RestApi {
  const api = new RestApi(scope, 'Api', {
    restApiName: Aws.STACK_NAME,
    endpointConfiguration: { types: [EndpointType.REGIONAL] },
    // Bodies reach the functions byte by byte, whatever they claim to be.
    binaryMediaTypes: ['*/*'],
    deployOptions: { stageName },
    cloudWatchRole: false,
  });
  addGatewayResponses(api);
  return api;
}

/**
 * The address of the API, without a slash at its end. Made of the API's id and the stage's literal name, because
 * `api.url` waits for the methods, which wait for the functions that are to be told.
 */
export function baseUrlOf(api: RestApi): string {
  const { region, urlSuffix } = Stack.of(api);
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
      resource.addMethod(method, integration);
    }
    for (const each of withParents(resource)) resources.add(each);
  }
  // One permission for all of its methods, of which there are many.
  const elsewhere = new LambdaIntegration(catchAll.fn, { scopePermissionToMethod: false });
  for (const resource of resources) resource.addMethod('ANY', elsewhere);
}

function withParents(resource: IResource): IResource[] {
  return [resource, ...(resource.parentResource ? withParents(resource.parentResource) : [])];
}
