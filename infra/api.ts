/**
 * Creates the REST API: every route of the route table with its function, and the catch-all for all other requests.
 * `gateway-responses.ts` defines the responses that the gateway sends without calling a function.
 */
import { Stack } from 'aws-cdk-lib';
import {
  AwsIntegration,
  type Integration,
  type IResource,
  Method,
  type MethodDeploymentOptions,
  Resource,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import {
  getPaymentPageLogo,
  getPaymentPagePdf,
  type Route,
  receiveNotification,
  showPaymentPage,
  submitPaymentPage,
} from '../shared/api/routes.ts';
import { plans } from '../shared/domain/accounts/account.ts';
import { acknowledge } from './acknowledge.ts';
import { apiRequestsPerSource, type SourceLimits, shareOfThrottle } from './firewall.ts';
import { createRestApi } from './rest-api.ts';
import { apiPath } from './route-stacks.ts';
import type { Settings } from './settings.ts';

/** A route, and the function or alias that serves it. */
export interface ServedRoute {
  readonly route: Route;
  readonly fn: IFunction;
  /** The stack that contains the route. */
  readonly stack: Stack;
}

/** Limits the cost of a flood of requests to one method. It is above the rate that clients need for longer than a burst. */
const requestsPerSecond = 1000;
/** A client may send all requests of the largest plan's hour at once. */
const burstRequests = Math.max(...Object.values(plans));

/**
 * The payment page has throttles of its own, so that payers and clients of the API do not use up each other's. A payer
 * loads the page a few times and sends one form.
 */
const pageRequestsPerSecond = 200;
const pageBurstRequests = 1000;

/** Strangers can send notifications, too. A provider repeats one that is refused, and the worker needs none. */
const notificationsPerSecond = 100;
const notificationBurst = 500;

/**
 * What one address may send. A provider sends the notifications of all accounts from few addresses, so its part is larger than that
 * of a payer.
 */
export const apiSourceLimits: SourceLimits = {
  requestsPerSource: apiRequestsPerSource,
  pathLimits: {
    pay: shareOfThrottle(pageRequestsPerSecond, 20),
    notifications: shareOfThrottle(notificationsPerSecond, 10),
  },
};

/** The throttle of each method of the payment page and of notifications. All other methods have that of the stage. */
function publicThrottles(): Record<string, MethodDeploymentOptions> {
  const page = { throttlingRateLimit: pageRequestsPerSecond, throttlingBurstLimit: pageBurstRequests };
  const notification = {
    throttlingRateLimit: notificationsPerSecond,
    throttlingBurstLimit: notificationBurst,
  };
  const throttles = [
    [showPaymentPage, page],
    [submitPaymentPage, page],
    [getPaymentPagePdf, page],
    [getPaymentPageLogo, page],
    [receiveNotification, notification],
  ] as const;
  return Object.fromEntries(
    throttles.flatMap(([route, throttle]) =>
      methodsOf(route).map((method) => [`${route.path}/${method}`, throttle]),
    ),
  );
}

/** Creates the API without its routes. The functions need the API's URL, and the routes need the functions. */
export function createApi(scope: Construct, settings: Settings, key: IKey | undefined): RestApi {
  const { stage, domainName, certificateArn = '', defaultEndpoint, gatewayLogRole } = settings;
  const api = createRestApi(scope, {
    stage,
    customerKey: key,
    throttlingRateLimit: requestsPerSecond,
    throttlingBurstLimit: burstRequests,
    methodOptions: publicThrottles(),
    gatewayLogRole,
    ...(domainName !== undefined && { domain: { domainName, certificateArn, defaultEndpoint } }),
  });
  acknowledge(
    api,
    'APIG2',
    'The functions validate requests, because error messages and the order of checks are part of the API.',
  );
  return api;
}

/**
 * Adds all routes.
 *
 * - The catch-all `ANY /{proxy+}` also serves the root, and on every path all methods without a route of their own.
 * - The function of a GET route also serves HEAD; the gateway removes the body.
 * - Each function has one permission for all methods of this API, because a stack may have only 500 resources.
 *
 * @throws Error if the routes have no catch-all
 */
export function addRoutes(api: RestApi, served: readonly ServedRoute[]): void {
  const catchAll = served.find(({ route }) => route.method === 'ANY');
  if (!catchAll) throw new Error('The route table has no catch-all route. Add one with the method ANY.');
  api.root.resourceForPath(apiPath);
  const resources = new Set<IResource>([api.root, resourceIn(catchAll.stack, api, catchAll.route.path)]);
  for (const { route, fn, stack } of served) {
    if (route.method === 'ANY') continue;
    const resource = resourceIn(stack, api, route.path);
    const integration = integrationOf(fn, api);
    for (const method of methodsOf(route)) addMethod(stack, resource, method, integration, route);
    for (const ancestor of withParents(resource)) resources.add(ancestor);
  }
  const catchAllIntegration = integrationOf(catchAll.fn, api);
  for (const resource of resources)
    addMethod(Stack.of(resource), resource, 'ANY', catchAllIntegration, catchAll.route);
}

/** The HTTP methods that call the function of a route. */
const methodsOf = ({ method }: Route) => (method === 'GET' ? ['GET', 'HEAD'] : [method]);

/** Returns the resource of a path. Creates the missing parts of the path in `stack`. */
function resourceIn(stack: Construct, api: RestApi, path: string): IResource {
  return path
    .split('/')
    .slice(1)
    .reduce<IResource>((parent, pathPart) => {
      const existing = parent.getResource(pathPart);
      return existing ?? new Resource(stack, `${parent.path}/${pathPart}`, { parent, pathPart });
    }, api.root);
}

/** Lets the API call `fn`. The permission is in the stack of the function. */
function integrationOf(fn: IFunction, api: RestApi): Integration {
  // Routes that share a function share its permission, too.
  if (!fn.permissionsNode.tryFindChild('Api'))
    fn.addPermission('Api', {
      principal: new ServicePrincipal('apigateway.amazonaws.com'),
      sourceArn: api.arnForExecuteApi(),
    });
  return new AwsIntegration({
    proxy: true,
    service: 'lambda',
    path: `2015-03-31/functions/${fn.functionArn}/invocations`,
  });
}

function addMethod(
  stack: Construct,
  resource: IResource,
  httpMethod: string,
  integration: Integration,
  { permission }: Route,
): void {
  const method = new Method(stack, `${httpMethod} ${resource.path}`, { resource, httpMethod, integration });
  const reason = permission
    ? 'The function checks the API key and counts the request in the same step.'
    : 'The method is public: a payment page, the API document, or the 404 response.';
  for (const rule of ['APIG4', 'COG4']) acknowledge(method, rule, reason);
}

function withParents(resource: IResource): IResource[] {
  return [resource, ...(resource.parentResource ? withParents(resource.parentResource) : [])];
}
