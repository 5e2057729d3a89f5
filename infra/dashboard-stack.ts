/**
 * Creates the dashboard, in which people sign in: a gateway with an origin of its own, its functions, and the user pool at
 * which they sign in.
 *
 * - It is a stack of its own, so `--no-dashboard` leaves it out.
 * - Its alarms are with all others in `alarms.ts`, and refer to the gateway by its name.
 */
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { dashboardRoutes } from '../shared/web/dashboard/gateway-routes.ts';
import { acknowledge } from './acknowledge.ts';
import { addDashboardRoutes, createDashboardApi, dashboardSourceLimits } from './dashboard-api.ts';
import type { DashboardHandlerFile } from './dashboard-grants.ts';
import { addFirewall } from './firewall.ts';
import { wholeProcessor } from './function.ts';
import { type FunctionCode, withFunctionCode } from './function-code.ts';
import { createGrantedFunction } from './granted-function.ts';
import { capitalize } from './queues.ts';
import { baseUrlOf } from './rest-api.ts';
import { addRollout, type DeployedFunction, rolloutPeriod } from './rollout.ts';
import type { Settings } from './settings.ts';
import { reserveForSender } from './shares.ts';
import type { StatefulStack } from './stateful-stack.ts';
import type { StatelessStack } from './stateless-stack.ts';
import { createUserPool, type SignIn } from './user-pool.ts';

export interface DashboardProps extends StackProps {
  readonly settings: Settings;
  readonly stateful: StatefulStack;
  readonly stateless: StatelessStack;
}

const handlers: readonly DashboardHandlerFile[] = [...new Set(dashboardRoutes.map(({ handler }) => handler))];

export class DashboardStack extends Stack {
  constructor(scope: Construct, id: string, { settings, stateful, stateless, ...props }: DashboardProps) {
    super(scope, id, props);
    this.addStackDependency(stateful);
    // The payment links of pages lead there, and it has the queues. It also creates the log role of API Gateway.
    this.addStackDependency(stateless);
    withFunctionCode(this, settings, handlers, (code) => this.build({ settings, stateful, stateless }, code));
  }

  private build(
    { settings, stateful, stateless }: Pick<DashboardProps, 'settings' | 'stateful' | 'stateless'>,
    code: FunctionCode,
  ): void {
    const { dashboardDomain, emulatorEndpoint } = settings;
    const api = createDashboardApi(this, settings, stateful.customerKey);
    const url = baseUrlOf(api, dashboardDomain, emulatorEndpoint);
    const signIn = this.signInOf(settings, url);
    const { payUrlBase, queues, ownHosts } = stateless;
    const { oidcAcr, oidcAmr } = settings;
    const variables = {
      DASHBOARD_URL: url,
      OIDC_ISSUER: signIn.issuer,
      OIDC_CLIENT_ID: signIn.clientId,
      ...(oidcAcr && { OIDC_ACR: oidcAcr }),
      ...(oidcAmr && { OIDC_AMR: oidcAmr }),
    };
    const dependencies = {
      stateful,
      queues,
      payUrlBase,
      ownHosts,
      settings,
      code,
      variables,
      userPool: signIn.userPool,
    };
    const deployed = handlers.map((handler): [DashboardHandlerFile, DeployedFunction] => [
      handler,
      createGrantedFunction(
        this,
        functionIdOf(handler),
        {
          handler,
          ...(handler === 'functions/dashboard/account-statements.ts' && wholeProcessor),
          ...reserveForSender(handler, settings.concurrency),
        },
        dependencies,
      ),
    ]);
    addDashboardRoutes(api, new Map(deployed.map(([handler, { alias }]) => [handler, alias as IFunction])));
    if (settings.gradualDeployment) {
      const functions = deployed.map(([, each]) => each);
      addRollout(this, api.metricServerError({ statistic: 'Sum', period: rolloutPeriod }), functions, []);
    }
    if (settings.dashboardWaf) addFirewall(this, api.deploymentStage, dashboardSourceLimits);
    else {
      acknowledge(
        api.deploymentStage,
        'APIG3',
        'The firewall is optional outside of prod, because it has a monthly price. The setting dashboardWaf adds or removes it.',
      );
    }
    new CfnOutput(this, 'DashboardUrl', { value: url });
    new CfnOutput(this, 'OidcIssuer', { value: signIn.issuer });
    new CfnOutput(this, 'OidcClientId', { value: signIn.clientId });
    if (signIn.userPool) new CfnOutput(this, 'UserPoolId', { value: signIn.userPool.userPoolId });
    if (api.domainName)
      new CfnOutput(this, 'DashboardDomainTarget', { value: api.domainName.domainNameAliasDomainName });
  }

  private signInOf(settings: Settings, url: string): SignIn {
    const { oidcIssuer: issuer, oidcClientId: clientId } = settings;
    if (issuer !== undefined && clientId !== undefined) return { issuer, clientId };
    return createUserPool(this, settings, url);
  }
}

/** Returns `SignIn` for `functions/dashboard/sign-in.ts`. */
function functionIdOf(handler: DashboardHandlerFile): string {
  const name = handler.replace(/^.*\/|\.ts$/g, '');
  return name.split('-').map(capitalize).join('');
}
