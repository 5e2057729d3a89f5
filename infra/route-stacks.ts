/**
 * Chooses the stack of each route. CloudFormation allows 500 resources in a stack, and a route has about twelve.
 *
 * - The routes of release 0.1.0 are in the stateless stack itself.
 * - All other routes are in nested stacks: one for all routes with the same beginning of the path, such as `/api/keys`. A
 *   route that shares the function of another is in the nested stack for the path of that one.
 * - A route never moves to another stack. CloudFormation creates before it deletes, and the gateway refuses a second
 *   method with the same path.
 */
import { NestedStack, type Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { routes } from '../shared/routes.ts';
import { capitalize } from './queues.ts';

/** Never add a name. Remove a name only together with its route. */
const ownRoutes: readonly string[] = [
  'listInvoices',
  'createInvoice',
  'getInvoice',
  'updateInvoice',
  'cancelInvoice',
  'listPayments',
  'createPayment',
  'getPayment',
  'listRefunds',
  'createRefund',
  'getRefund',
  'listEvents',
  'getEvent',
  'listWebhooks',
  'createWebhook',
  'getWebhook',
  'updateWebhook',
  'deleteWebhook',
  'rotateWebhookSecret',
  'testWebhook',
  'listDeliveries',
  'redeliver',
  'startRecovery',
  'showPaymentPage',
  'submitPaymentPage',
  'openApi',
  'docs',
  'notFound',
] satisfies (keyof typeof routes)[];

/**
 * Returns the stack that contains a route with its function. Creates the nested stack of the first route that needs it.
 * @param stack the stateless stack
 * @param name the route's name in the route table
 * @param path the path of the route, or of the route whose function it shares
 */
export function stackOfRoute(stack: Stack, name: string, path: string): Construct {
  if (ownRoutes.includes(name)) return stack;
  const [first = '', second = ''] = path.split('/').slice(1);
  const id = `${pascalCase(first === 'api' ? second : first)}Routes`;
  const description = 'Remit: routes of the API with their functions.';
  return (
    (stack.node.tryFindChild(id) as NestedStack | undefined) ?? new NestedStack(stack, id, { description })
  );
}

/** Returns `AuditLog` for `audit-log`. */
const pascalCase = (segment: string) => segment.split(/\W+/).map(capitalize).join('');
