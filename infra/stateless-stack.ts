/**
 * Creates the resources that can be recreated at any time: the API, the queues, and one function per trigger and per handler of routes.
 * The loss of queued messages is safe: a stored timer exists for each message, or the next day sends it again.
 */
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import {
  createStatement,
  getDocumentPdf,
  getPaymentPagePdf,
  previewStatementFile,
  type Route,
  routes,
} from '../shared/api/routes.ts';
import { acknowledge } from './acknowledge.ts';
import { addAlarms, type MonitoredResources } from './alarms.ts';
import { addRoutes, apiSourceLimits, createApi } from './api.ts';
import { countedFunctions, createBackground } from './background.ts';
import { handlers } from './code-version.ts';
import { dashboardQueues } from './dashboard-grants.ts';
import { addFirewall } from './firewall.ts';
import { wholeProcessor } from './function.ts';
import { type FunctionCode, withFunctionCode } from './function-code.ts';
import { addGatewayResponses } from './gateway-responses.ts';
import { createGrantedFunction } from './granted-function.ts';
import type { HandlerFile } from './grants.ts';
import { addLogQueries } from './log-queries.ts';
import { createMailEvents } from './mail-events.ts';
import { addMetricsDashboard } from './metrics-dashboard.ts';
import { capitalize, createWorkQueues, type Queues } from './queues.ts';
import { baseUrlOf, gatewayHostOf } from './rest-api.ts';
import { addRollout, type DeployedFunction, rolloutPeriod } from './rollout.ts';
import { stackOfRoute } from './route-stacks.ts';
import { serverErrors } from './server-errors.ts';
import { deploymentName, type Settings } from './settings.ts';
import { chosenSettings, settingsOutput } from './settings-output.ts';
import { reserveForSender } from './shares.ts';
import { readSourceCommit } from './source-commit.ts';
import type { StatefulStack } from './stateful-stack.ts';

export interface StatelessProps extends StackProps {
  readonly settings: Settings;
  readonly stateful: StatefulStack;
  /** The routes of the API. The default is the route table. Tests add routes. */
  readonly routeTable?: Readonly<Record<string, Route & { readonly handler: HandlerFile }>>;
}

/** The functions of PDFs and of files of banks compute most of their time. */
const computing: ReadonlySet<string> = new Set(
  [getDocumentPdf, getPaymentPagePdf, createStatement, previewStatementFile].map(({ handler }) => handler),
);
const memoryOf = (handler: string) => computing.has(handler) && wholeProcessor;

export class StatelessStack extends Stack {
  /** The base URL of payment pages, without a trailing slash. */
  readonly payUrlBase: string;
  /** The hosts of the API and of the dashboard that the settings and this stack know. */
  readonly ownHosts: readonly string[];
  /** The queues of the workers. */
  readonly queues: Queues;

  constructor(
    scope: Construct,
    id: string,
    { settings, stateful, routeTable = routes, ...props }: StatelessProps,
  ) {
    super(scope, id, props);
    this.addStackDependency(stateful);
    const built = withFunctionCode(this, settings, handlers, (code) =>
      this.build({ settings, stateful, routeTable }, code),
    );
    this.payUrlBase = built.payUrlBase;
    this.queues = built.queues;
    this.ownHosts = built.ownHosts;
  }

  private build(
    {
      settings,
      stateful,
      routeTable,
    }: Required<Pick<StatelessProps, 'settings' | 'stateful' | 'routeTable'>>,
    code: FunctionCode,
  ): Pick<StatelessStack, 'payUrlBase' | 'queues' | 'ownHosts'> {
    const api = createApi(this, settings, stateful.customerKey);
    const baseUrl = baseUrlOf(api, settings.domainName, settings.emulatorEndpoint);
    const payUrlBase = settings.payUrlBase ?? `${baseUrl}/pay`;
    // The functions compute the base of the docs in the same way.
    addGatewayResponses(api, payUrlBase.replace(/\/pay$/, ''));
    const queues = createWorkQueues(this, stateful.deadLetters, stateful.customerKey);
    this.exportForDashboard(api.restApiId, queues);
    const { domainName, dashboardDomain, dashboardHost } = settings;
    const ownHosts = [gatewayHostOf(api), domainName, dashboardDomain, dashboardHost].filter(
      (host) => host !== undefined,
    );
    const mailConfigurationSet = createMailEvents(this, settings, queues.feedback, stateful.customerKey);
    const dependencies = {
      stateful,
      queues,
      mailConfigurationSet,
      payUrlBase,
      ownHosts,
      settings,
      code,
    };
    const deployedOf = new Map<string, DeployedFunction>();
    const served = Object.entries(routeTable).map(([name, route]) => {
      const { path, handler, functionOf = name } = route;
      const stack = stackOfRoute(this, routeTable[functionOf]?.path ?? path);
      const options = { handler, ...reserveForSender(handler, settings.concurrency), ...memoryOf(handler) };
      const deployed =
        deployedOf.get(functionOf) ?? createGrantedFunction(stack, capitalize(name), options, dependencies);
      deployedOf.set(functionOf, deployed);
      return { route, stack, deployed };
    });
    const gatewayFunctions = [...deployedOf.values()];
    addRoutes(
      api,
      served.map(({ deployed, ...others }) => ({ ...others, fn: deployed.alias as IFunction })),
    );
    const background = createBackground(this, dependencies);
    const workers = Object.values(background);
    const functions = [...gatewayFunctions, ...workers];
    if (settings.gradualDeployment) {
      addRollout(this, serverErrors(settings, api, rolloutPeriod), functions, countedFunctions(background));
    }

    if (settings.waf) addFirewall(this, api.deploymentStage, apiSourceLimits);
    else
      acknowledge(
        api.deploymentStage,
        'APIG3',
        'The firewall is optional outside of prod, because it has a monthly price. The setting waf adds or removes it.',
      );
    const resources: MonitoredResources = {
      settings,
      stateful,
      api,
      background,
      queues,
    };
    addAlarms(this, resources);
    if (settings.metricsDashboard) {
      addMetricsDashboard(
        this,
        resources,
        functions.map(({ fn }) => fn),
      );
      addLogQueries(this, deploymentName(settings), {
        gateway: gatewayFunctions.map(({ fn }) => fn.logGroup),
        work: workers.map(({ fn }) => fn.logGroup),
      });
    }

    new CfnOutput(this, 'ApiUrl', { value: baseUrl });
    new CfnOutput(this, 'Version', { value: code.version });
    new CfnOutput(this, 'Commit', { value: readSourceCommit() });
    new CfnOutput(this, 'PayUrlBase', { value: payUrlBase });
    new CfnOutput(this, settingsOutput, { value: this.toJsonString(chosenSettings(settings)) });
    if (api.domainName)
      new CfnOutput(this, 'DomainTarget', { value: api.domainName.domainNameAliasDomainName });
    return { payUrlBase, queues, ownHosts };
  }

  /** The dashboard imports them. Always exported, so that a deployment without the dashboard does not remove an export in use. */
  private exportForDashboard(restApiId: string, queues: Queues): void {
    this.exportValue(restApiId);
    for (const name of dashboardQueues) {
      this.exportValue(queues[name].queueUrl);
      this.exportValue(queues[name].queueArn);
    }
  }
}
