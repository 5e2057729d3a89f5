/** Creates the gateway of the dashboard, and its routes. `shared/web/dashboard/gateway-routes.ts` lists the routes. */
import { type IResource, LambdaIntegration, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { type DashboardRoute, dashboardRoutes } from '../shared/web/dashboard/gateway-routes.ts';
import { acknowledge } from './acknowledge.ts';
import { addDashboardResponses } from './dashboard-responses.ts';
import { type SourceLimits, shareOfThrottle } from './firewall.ts';
import { createRestApi } from './rest-api.ts';
import type { Settings } from './settings.ts';

/** Limits the cost of a flood of requests. People who use pages need much less. */
const requestsPerSecond = 100;
const burstRequests = 500;

/** What one address may send to the dashboard: pages, forms and sign-ins. An office with 50 people needs less. */
export const dashboardSourceLimits: SourceLimits = {
  requestsPerSource: shareOfThrottle(requestsPerSecond, 20),
};

/** The rest of a path. It also matches slashes. */
const rest = '{proxy+}';

/**
 * A path below which one function has the API keys. Its parts exist also without that function: the gateway allows only one
 * variable part at each place, so `/{account}` and `/{proxy+}` cannot replace each other in a deployment.
 */
const keysPath = '/{account}/{mode}/settings/keys';

/** Creates the gateway without its routes. The functions need its URL, and the routes need the functions. */
export function createDashboardApi(scope: Construct, settings: Settings, key: IKey | undefined): RestApi {
  const { stage, dashboardDomain: domainName, dashboardCertificateArn: certificateArn = '' } = settings;
  const api = createRestApi(scope, {
    stage,
    customerKey: key,
    throttlingRateLimit: requestsPerSecond,
    throttlingBurstLimit: burstRequests,
    // The stateless stack creates the role of the AWS account.
    gatewayLogRole: false,
    ...(domainName !== undefined && { domain: { domainName, certificateArn, defaultEndpoint: false } }),
  });
  addDashboardResponses(api);
  acknowledge(
    api,
    'APIG2',
    'The functions validate requests, because an invalid form is shown again with its errors.',
  );
  return api;
}

/**
 * Adds the routes. A route with `/{proxy+}` also serves every other path that has no route of its own for its method, as in
 * the local stack. The function of a GET route also serves HEAD.
 * @param functions the functions by the file of their handler
 */
export function addDashboardRoutes(api: RestApi, functions: ReadonlyMap<string, IFunction>): void {
  const integrations = new Map(
    [...functions].map(([handler, fn]) => [
      handler,
      new LambdaIntegration(fn, { scopePermissionToMethod: false }),
    ]),
  );
  const list: readonly DashboardRoute[] = dashboardRoutes;
  const fallback = list.filter(({ path }) => path === `/${rest}`);
  const named = list.filter((route) => !fallback.includes(route));
  const resources = new Map<string, IResource>([['/', api.root]]);
  for (const path of [keysPath, ...named.map((route) => route.path)]) {
    for (const each of withParents(api.root.resourceForPath(path))) resources.set(each.path, each);
  }
  for (const resource of [...resources.values()]) {
    const hasVariable = [...resources.values()].some(
      ({ parentResource, path }) => parentResource === resource && path.endsWith('}'),
    );
    if (resource.path.endsWith(rest) || hasVariable) continue;
    const below = resource.addResource(rest);
    resources.set(below.path, below);
  }
  for (const [path, resource] of resources) {
    const own = named.filter((route) => route.path === path);
    const methods = new Map(
      [...fallback, ...own].flatMap((route) => methodsOf(route).map((each) => [each, route])),
    );
    const all = own.find(({ method }) => method === 'ANY');
    for (const [method, { handler }] of all ? [['ANY', all] as const] : methods) {
      const integration = integrations.get(handler);
      if (!integration) throw new Error(`The route ${method} ${path} has no function.`);
      const added = resource.addMethod(method, integration);
      for (const rule of ['APIG4', 'COG4'])
        acknowledge(
          added,
          rule,
          'The function checks the session, and sends users without one to the sign-in.',
        );
    }
  }
}

const methodsOf = ({ method }: DashboardRoute) => (method === 'GET' ? ['GET', 'HEAD'] : [method]);

function withParents(resource: IResource): IResource[] {
  return [resource, ...(resource.parentResource ? withParents(resource.parentResource) : [])];
}
