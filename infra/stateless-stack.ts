/**
 * What can be made anew at any time: the API, one function per route and trigger, and the queues. Messages in the
 * queues may be lost with it, because every one of them has a timer behind it.
 */
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { routes } from '../shared/routes.ts';
import { addRoutes, baseUrlOf, createApi } from './api.ts';
import { createBackground } from './background.ts';
import { createGrantedFunction, type Surroundings } from './granted-function.ts';
import { capitalised, workQueues } from './queues.ts';
import type { StatefulStack } from './stateful-stack.ts';

export interface StatelessProps extends StackProps {
  readonly stateful: StatefulStack;
  /** Where payers go, if that is not under the API's own address. */
  readonly payUrlBase: string | undefined;
}

export class StatelessStack extends Stack {
  constructor(scope: Construct, id: string, { stateful, payUrlBase, ...props }: StatelessProps) {
    super(scope, id, props);
    const api = createApi(this);
    const surroundings: Surroundings = {
      stateful,
      queues: workQueues(this, stateful.deadLetters),
      payUrlBase: payUrlBase?.replace(/\/+$/, '') ?? `${baseUrlOf(api)}/pay`,
    };
    addRoutes(
      api,
      Object.entries(routes).map(([name, route]) => ({
        route,
        fn: createGrantedFunction(this, capitalised(name), { handler: route.handler }, surroundings),
      })),
    );
    createBackground(this, surroundings);

    new CfnOutput(this, 'ApiUrl', { value: baseUrlOf(api) });
    new CfnOutput(this, 'PayUrlBase', { value: surroundings.payUrlBase });
  }
}
