/**
 * Chooses the stack of each route. CloudFormation allows 500 resources in a stack, and a route has about twelve.
 *
 * - Each route is in a nested stack of the stateless stack: one for all routes with the same beginning of the path, such as
 *   `/api/keys`. A route that shares the function of another is in the nested stack for the path of that one.
 * - What all paths share is in the stateless stack itself: the beginning `/api`, and the catch-all, which serves each path. So no
 *   nested stack waits for another one.
 * - A new route moves no other route. A route must not move, because CloudFormation creates before it deletes, and the gateway
 *   refuses a second method with the same path.
 */
import { NestedStack, type Stack } from 'aws-cdk-lib';
import { capitalize } from './queues.ts';

/** The beginning of the paths of the API. */
export const apiPath = '/api';

/**
 * Returns the stack that contains a route with its function. Creates a nested stack for the first route that needs it.
 * @param stack the stateless stack
 * @param path the path of the route, or of the route whose function it shares
 */
export function stackOfRoute(stack: Stack, path: string): Stack {
  const [first = ''] = (path.startsWith(`${apiPath}/`) ? path.slice(apiPath.length) : path)
    .split('/')
    .slice(1);
  if (first.startsWith('{')) return stack;
  const id = `${pascalCase(first)}Routes`;
  const description = 'Remit: routes of the API with their functions.';
  return (
    (stack.node.tryFindChild(id) as NestedStack | undefined) ?? new NestedStack(stack, id, { description })
  );
}

/** Returns `AuditLog` for `audit-log`. */
const pascalCase = (segment: string) => segment.split(/\W+/).map(capitalize).join('');
