/**
 * What can be made anew at any time: the API, one function per route and trigger, and the queues. Messages in the
 * queues may be lost with it, because every one of them has a timer behind it.
 */
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { routes } from '../shared/routes.ts';
import { acknowledge } from './acknowledge.ts';
import { addAlarms, type Watched } from './alarms.ts';
import { addRoutes, baseUrlOf, createApi } from './api.ts';
import { createBackground } from './background.ts';
import { addDashboard } from './dashboard.ts';
import { addFirewall } from './firewall.ts';
import { createGrantedFunction, type Surroundings } from './granted-function.ts';
import { addLogQueries } from './log-queries.ts';
import { capitalised, workQueues } from './queues.ts';
import type { Settings } from './settings.ts';
import type { StatefulStack } from './stateful-stack.ts';

export interface StatelessProps extends StackProps {
  readonly settings: Settings;
  readonly stateful: StatefulStack;
}

export class StatelessStack extends Stack {
  constructor(scope: Construct, id: string, { settings, stateful, ...props }: StatelessProps) {
    super(scope, id, props);
    this.addStackDependency(stateful);
    const api = createApi(this, settings, stateful.customerKey);
    const baseUrl = baseUrlOf(api, settings);
    const surroundings: Surroundings = {
      stateful,
      queues: workQueues(this, stateful.deadLetters, stateful.customerKey),
      payUrlBase: settings.payUrlBase ?? `${baseUrl}/pay`,
      settings,
    };
    const served = Object.entries(routes).map(([name, route]) => ({
      route,
      fn: createGrantedFunction(this, capitalised(name), { handler: route.handler }, surroundings),
    }));
    addRoutes(api, served);
    const background = createBackground(this, surroundings);

    if (settings.waf) addFirewall(this, api.deploymentStage);
    else acknowledge(api.deploymentStage, 'APIG3', 'The setting waf has it: its monthly price is a choice.');
    const watched: Watched = { settings, stateful, api, background };
    addAlarms(this, watched);
    if (settings.dashboard) {
      addDashboard(this, watched);
      const functions = [...served.map(({ fn }) => fn), ...Object.values(background)];
      addLogQueries(
        this,
        settings.stage,
        functions.map(({ logGroup }) => logGroup),
      );
    }

    new CfnOutput(this, 'ApiUrl', { value: baseUrl });
    new CfnOutput(this, 'PayUrlBase', { value: surroundings.payUrlBase });
    if (api.domainName)
      new CfnOutput(this, 'DomainTarget', { value: api.domainName.domainNameAliasDomainName });
  }
}
