/** Tests the stack of the dashboard: its gateway, its functions, its user pool, and what leaves it out. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { keyItemAttributeNames } from '../../infra/account-state-access.ts';
import { connectionListing } from '../../infra/attribute-access.ts';
import { dashboardGrants } from '../../infra/dashboard-grants.ts';
import { statementsOf } from '../../infra/function-policies.ts';
import { type Grant, grants } from '../../infra/grants.ts';
import { settingAttributes } from '../../shared/domain/accounts/account.ts';
import { accountStateAttributes } from '../../shared/store/account-state.ts';
import { type DashboardRoute, dashboardRoutes } from '../../shared/web/dashboard/gateway-routes.ts';
import { type App, cyclesOf, type Resources, resourcePath, resourcesOfType, synthesize } from './template.ts';

const certificateArn = 'arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d-0000-4000-8000-000000000000';
const issuer = 'https://login.example.com/';

let dev: App;
let prod: App;
let own: App;
let none: App;

beforeAll(async () => {
  [dev, prod, own, none] = await Promise.all([
    synthesize(),
    synthesize({
      stage: 'prod',
      alarmEmail: 'on-call@example.com',
      customerKey: 'true',
      metricsDashboard: 'true',
    }),
    synthesize({
      dashboardDomain: 'dashboard.example.com',
      dashboardCertificateArn: certificateArn,
      oidcIssuer: issuer,
      oidcClientId: 'remit',
      oidcAcr: 'phr phrh',
      oidcAmr: 'mfa',
      waf: 'true',
      dashboardWaf: 'false',
    }),
    synthesize({ stage: 'prod', dashboard: 'false', alarmEmail: 'on-call@example.com' }),
  ]);
});

const resourcesIn = ({ dashboard }: App): Resources => dashboard?.Resources ?? {};
const ofType = (app: App, type: string) => resourcesOfType(resourcesIn(app), type);
const onlyOf = (app: App, type: string) => {
  const found = ofType(app, type).map(([, resource]) => resource);
  expect(found).toHaveLength(1);
  return found[0];
};
const list: readonly DashboardRoute[] = dashboardRoutes;

describe('the stack', () => {
  test('belongs to its deployment, and exists unless the setting leaves it out', () => {
    expect(dev.stacks.dashboard?.stackName).toBe('remit-dev-dashboard');
    expect(prod.stacks.dashboard).toMatchObject({
      stackName: 'remit-prod-dashboard',
      terminationProtection: true,
    });
    expect(none.dashboard).toBeUndefined();
    expect(JSON.stringify(none.stateless)).not.toMatch(/DashboardServerErrors|DashboardLatency/);
  });

  test('has an origin of its own, and no reference is circular', () => {
    const { Name } = onlyOf(prod, 'AWS::ApiGateway::RestApi')?.Properties ?? {};
    expect(Name).toEqual({ Ref: 'AWS::StackName' });
    expect(cyclesOf(resourcesIn(prod))).toEqual([]);
    const exports = (app: App) =>
      Object.keys(app.stateless.Outputs).filter((name) => name.startsWith('Export'));
    // A deployment without the dashboard must not remove an export that the stack of the dashboard still imports.
    expect(exports(none)).toEqual(exports(prod));
    expect(exports(prod).length).toBeGreaterThan(0);
  });

  test('puts no secret and no token into environments and outputs', () => {
    for (const [, { Properties }] of ofType(prod, 'AWS::Lambda::Function')) {
      const names = Object.keys(Properties.Environment.Variables);
      for (const name of names)
        expect(name).toMatch(
          /^(STAGE|REMIT_VERSION|AWS_CALLS|TABLE_NAME|BUCKET_NAME|(DEPLOYMENT|WEBHOOK|KEY|PROVIDER|SIGNING)_SECRET_ARN|PAY_URL_BASE|DASHBOARD_URL|OWN_HOSTS|[A-Z]+_QUEUE_URL|USER_POOL_ID|OIDC_ISSUER|OIDC_CLIENT_ID|OIDC_ACR|OIDC_AMR)$/,
        );
      expect(names).toEqual(
        expect.arrayContaining(['TABLE_NAME', 'DASHBOARD_URL', 'OIDC_ISSUER', 'OIDC_CLIENT_ID']),
      );
    }
    const strengths = ofType(own, 'AWS::Lambda::Function').map(([, { Properties }]) => {
      const { OIDC_ACR, OIDC_AMR } = Properties.Environment.Variables;
      return `${OIDC_ACR}, ${OIDC_AMR}`;
    });
    expect([...new Set(strengths)]).toEqual(['phr phrh, mfa']);
    expect(Object.keys(prod.dashboard?.Outputs ?? {}).sort()).toEqual([
      'DashboardUrl',
      'OidcClientId',
      'OidcIssuer',
      'UserPoolId',
    ]);
  });
});

describe('the gateway', () => {
  const functionOf = (app: App, value: unknown) => {
    const [, alias = ''] = /"Ref":"(\w+Alias\w+)"/.exec(JSON.stringify(value)) ?? [];
    const fn = resourcesIn(app)[resourcesIn(app)[alias]?.Properties.FunctionName.Ref];
    return fn?.Properties.Description as string;
  };
  const served = (app: App) =>
    new Map(
      ofType(app, 'AWS::ApiGateway::Method').map(([, { Properties }]) => [
        `${Properties.HttpMethod} ${resourcePath(resourcesIn(app), Properties.ResourceId)}`,
        functionOf(app, Properties.Integration.Uri),
      ]),
    );

  /** Returns the function for a request, as API Gateway finds it: fixed parts before variable ones, without a way back. */
  function find(app: App, method: string, path: string): string | undefined {
    const methods = served(app);
    const places = [...new Set([...methods.keys()].map((key) => key.split(' ')[1] ?? ''))];
    let place = '';
    for (const part of path.split('/').filter(Boolean)) {
      if (place.endsWith('{proxy+}')) continue;
      const children = places.filter(
        (each) => each.startsWith(`${place}/`) && !each.slice(place.length + 1).includes('/'),
      );
      place =
        children.find((each) => each === `${place}/${part}`) ??
        children.find((each) => each.endsWith('}')) ??
        '!';
    }
    return methods.get(`ANY ${place || '/'}`) ?? methods.get(`${method} ${place || '/'}`);
  }

  test.each([
    ['GET', '/', 'pages'],
    ['HEAD', '/', 'pages'],
    ['GET', '/acct_1', 'pages'],
    ['GET', '/acct_1/live', 'pages'],
    ['GET', '/acct_1/live/invoices/inv_1', 'pages'],
    ['POST', '/acct_1/live/invoices/inv_1/cancel', 'actions'],
    ['GET', '/acct_1/test/settings', 'settings'],
    ['GET', '/acct_1/test/settings/members', 'members'],
    ['POST', '/acct_1/test/settings/members/usr_1/role', 'members'],
    ['POST', '/acct_1/test/settings/keys/new', 'keys'],
    ['GET', '/acct_1/test/clock', 'clock'],
    ['POST', '/acct_1/test/clock/forward', 'clock'],
    ['GET', '/acct_1/live/events', 'event-pages'],
    ['HEAD', '/acct_1/live/webhooks/wh_1/deliveries/dlv_1', 'event-pages'],
    ['POST', '/acct_1/live/webhooks/new', 'webhooks'],
    ['POST', '/acct_1/live/webhook-sends/wh_1/test', 'webhook-sends'],
    ['GET', '/acct_1/live/webhook-sends/wh_1/test', 'pages'],
    ['GET', '/sign-in', 'sign-in'],
    ['POST', '/sign-in/invitation', 'sign-in'],
    ['GET', '/sign-in/callback', 'sign-in'],
    ['POST', '/sign-out', 'sign-in'],
    ['GET', '/style.css', 'pages'],
  ])('%s %s is served by %s', (method, path, name) => {
    expect(find(dev, method, path)).toBe(`functions/dashboard/${name}.ts`);
  });

  test('serves each route of the list, and no other method', () => {
    const methods = served(dev);
    for (const { method, path, handler } of list) {
      if (path !== '/{proxy+}') expect([path, methods.get(`${method} ${path}`)]).toEqual([path, handler]);
    }
    const names = new Set([...methods.keys()].map((key) => key.split(' ')[0]));
    expect([...names].sort()).toEqual(['ANY', 'GET', 'HEAD', 'POST']);
    expect(find(dev, 'DELETE', '/acct_1/test/invoices')).toBeUndefined();
  });

  test('has at most one variable part at each place, as the gateway requires', () => {
    const parents = ofType(dev, 'AWS::ApiGateway::Resource').flatMap(([, { Properties }]) =>
      Properties.PathPart.startsWith('{') ? [JSON.stringify(Properties.ParentId)] : [],
    );
    expect(new Set(parents).size).toBe(parents.length);
  });

  test('answers with a page, also to a client that accepts none, and forbids scripts and frames', () => {
    const responses = ofType(dev, 'AWS::ApiGateway::GatewayResponse').map(([, { Properties }]) => Properties);
    expect(responses.map(({ ResponseType }) => ResponseType)).toEqual(
      expect.arrayContaining(['DEFAULT_4XX', 'DEFAULT_5XX', 'THROTTLED', 'WAF_FILTERED']),
    );
    for (const { ResponseParameters, ResponseTemplates } of responses) {
      expect(ResponseParameters).toMatchObject({
        'gatewayresponse.header.Content-Type': "'text/html; charset=utf-8'",
        'gatewayresponse.header.Cache-Control': "'no-store'",
        'gatewayresponse.header.X-Frame-Options': "'DENY'",
        'gatewayresponse.header.Strict-Transport-Security': "'max-age=31536000'",
        'gatewayresponse.header.X-Content-Type-Options': "'nosniff'",
      });
      for (const page of Object.values<string>(ResponseTemplates)) {
        expect(page).toMatch(/^<!doctype html>.*default-src 'none'.*\$context\.requestId/);
        // The gateway would read a number sign or another dollar sign as a part of its template language.
        expect(page.replace('$context.requestId', '')).not.toMatch(/[#$]/);
      }
    }
  });

  test('has TLS 1.2, an access log without paths, throttles, and in prod a firewall', () => {
    const policy = { SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09', EndpointAccessMode: 'BASIC' };
    expect(onlyOf(dev, 'AWS::ApiGateway::RestApi')?.Properties).toMatchObject(policy);
    const stage = onlyOf(dev, 'AWS::ApiGateway::Stage')?.Properties;
    expect(stage?.AccessLogSetting.Format).not.toMatch(/context\.path|header|query/i);
    expect(stage?.MethodSettings).toEqual([
      expect.objectContaining({ HttpMethod: '*', ThrottlingRateLimit: 100, ThrottlingBurstLimit: 500 }),
    ]);
    expect(ofType(dev, 'AWS::WAFv2::WebACLAssociation')).toEqual([]);
    expect(ofType(prod, 'AWS::WAFv2::WebACLAssociation')).toHaveLength(1);
    const firewalls = [own.dashboard, own.stateless].map(
      (template) => resourcesOfType(template?.Resources ?? {}, 'AWS::WAFv2::WebACL').length,
    );
    expect(firewalls).toEqual([0, 1]);
  });

  test("has the custom domain, and then no address of the gateway's own", () => {
    expect(onlyOf(own, 'AWS::ApiGateway::DomainName')?.Properties).toMatchObject({
      DomainName: 'dashboard.example.com',
      RegionalCertificateArn: certificateArn,
    });
    const isDisabled = [own, dev].map(
      (app) => onlyOf(app, 'AWS::ApiGateway::RestApi')?.Properties.DisableExecuteApiEndpoint,
    );
    expect(isDisabled).toEqual([true, false]);
    expect(own.dashboard?.Outputs).toMatchObject({
      DashboardUrl: { Value: 'https://dashboard.example.com' },
      DashboardDomainTarget: expect.anything(),
    });
  });
});

describe('the functions', () => {
  test('only keys can write the items of API keys', () => {
    const others = Object.entries(dashboardGrants).filter(([file]) => file !== 'functions/dashboard/keys.ts');
    for (const [file, { table, accountState = [] }] of others) {
      const written = accountState.flatMap(({ action, attributes }) =>
        /^(Get|Query)/.test(action) ? [] : attributes,
      );
      const ofKeys = written.filter((name) =>
        [accountStateAttributes.keys, ...keyItemAttributeNames].includes(name),
      );
      expect([file, table.apiKey, ofKeys]).toEqual([file, undefined, []]);
    }
  });

  test('only providers can write credentials of payment providers, and no function that serves pages can read them', () => {
    const access = Object.entries(dashboardGrants).flatMap(([file, { secrets = [], table }]) =>
      secrets.includes('providers') || table.connection ? [[file, table.connection]] : [],
    );
    // Actions void open checkouts and refund payments, and rows of bank statements pay invoices with open checkouts, so they call providers.
    expect(access).toEqual([
      ['functions/dashboard/actions.ts', ['GetItem']],
      ['functions/dashboard/providers.ts', ['GetItem', 'PutItem']],
      ['functions/dashboard/bank-statements.ts', ['GetItem']],
    ]);
    expect(connectionListing.attributes).not.toContain('credentials');
  });

  // IAM refuses a call if the policy names attributes but not all attributes of the primary key.
  test('each access that names attributes also names those of the primary key', () => {
    const accesses = Object.values<Grant>({ ...grants, ...dashboardGrants }).flatMap(
      ({ accountState = [] }) => accountState.map(({ attributes }) => [...attributes]),
    );
    const listed = [...connectionListing.attributes];
    for (const attributes of [...accesses, [...settingAttributes], listed])
      if (!attributes.includes('*')) expect(attributes).toEqual(expect.arrayContaining(['pk', 'sk']));
  });

  test.each(['pages', 'event-pages'] as const)('%s writes only that a session is in use', (name) => {
    const statements = statementsOf(`functions/dashboard/${name}.ts`);
    const writes = statements.filter(({ action }) => /Put|Update|Delete|Write/.test(action));
    const condition = {
      'dynamodb:LeadingKeys': ['SESSION#*'],
      'dynamodb:Attributes': ['pk', 'sk', 'usedAt'],
    };
    expect(writes).toEqual([
      {
        action: 'dynamodb:UpdateItem',
        resource: 'table',
        conditions: { 'ForAllValues:StringLike': condition },
      },
    ]);
  });

  test('one function moves the clock and sends to queues; the others only read it, and the sign-in does not', () => {
    const clock = 'functions/dashboard/clock.ts';
    for (const [file, { accountState, sendsTo }] of Object.entries<Grant>(dashboardGrants)) {
      const toClock = (accountState ?? []).filter(({ attributes }) =>
        attributes.includes(accountStateAttributes.clock),
      );
      const expected = file === 'functions/dashboard/sign-in.ts' ? [] : ['GetItem'];
      const actions = toClock.map(({ action }) => action);
      if (file === clock) expect([actions, sendsTo?.length]).toEqual([['GetItem', 'UpdateItem'], 5]);
      else expect([file, actions, sendsTo]).toEqual([file, expected, undefined]);
    }
  });

  test('one function waits for receivers, with executions of its own; one changes settings, one members', () => {
    const filesWith = (isIn: (grant: Grant) => boolean | undefined) =>
      Object.entries<Grant>(dashboardGrants).flatMap(([file, grant]) => (isIn(grant) ? [file] : []));
    const sends = 'functions/dashboard/webhook-sends.ts';
    const reserved = ofType(prod, 'AWS::Lambda::Function').flatMap(([, { Properties }]) =>
      Properties.ReservedConcurrentExecutions === undefined ? [] : [Properties.Description],
    );
    expect(reserved).toEqual([sends]);
    const settings = 'functions/dashboard/settings.ts';
    expect(filesWith(({ changesSettings }) => changesSettings?.includes('name'))).toEqual([settings]);
    const members = 'functions/dashboard/members.ts';
    expect(filesWith(({ createsUsers }) => createsUsers)).toEqual([members]);
    expect(filesWith(({ table }) => table.members?.includes('PutItem'))).toEqual([
      'functions/dashboard/sign-in.ts',
      members,
    ]);
  });

  test('each has a log, traces, a time limit below that of the gateway, and a gradual deployment in prod', () => {
    for (const [, { Properties }] of ofType(prod, 'AWS::Lambda::Function'))
      expect(Properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Timeout: 28,
        TracingConfig: { Mode: 'Active' },
      });
    const functions = ofType(prod, 'AWS::Lambda::Function').length;
    expect(functions).toBe(new Set(list.map(({ handler }) => handler)).size);
    for (const type of ['AWS::CodeDeploy::DeploymentGroup', 'AWS::Lambda::Alias'])
      expect(ofType(prod, type)).toHaveLength(functions);
    for (const [, log] of ofType(prod, 'AWS::Logs::LogGroup')) {
      expect(log).toMatchObject({ DeletionPolicy: 'Retain', Properties: { RetentionInDays: 400 } });
      expect(JSON.stringify(log.Properties.KmsKeyId)).toContain('CustomerKey');
    }
  });
});

describe('the user pool', () => {
  test('accepts only invited users, and requires a second factor', () => {
    expect(onlyOf(prod, 'AWS::Cognito::UserPool')?.Properties).toMatchObject({
      AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
      MfaConfiguration: 'ON',
      EnabledMfas: ['SOFTWARE_TOKEN_MFA'],
      UsernameAttributes: ['email'],
      AccountRecoverySetting: { RecoveryMechanisms: [{ Name: 'verified_email', Priority: 1 }] },
    });
  });

  test('the function of the members may only create users in it, and without the pool not even that', () => {
    const cognitoStatements = (app: App) =>
      ofType(app, 'AWS::IAM::Policy').flatMap(([, { Properties }]) =>
        Properties.PolicyDocument.Statement.filter(({ Action }: { Action: string | string[] }) =>
          JSON.stringify(Action).includes('cognito'),
        ),
      );
    const [id] = ofType(dev, 'AWS::Cognito::UserPool')[0] ?? [];
    expect(cognitoStatements(dev)).toEqual([
      { Effect: 'Allow', Action: 'cognito-idp:AdminCreateUser', Resource: { 'Fn::GetAtt': [id, 'Arn'] } },
    ]);
    expect(cognitoStatements(own)).toEqual([]);
    expect(JSON.stringify(resourcesIn(own))).not.toContain('USER_POOL_ID');
  });

  test('prod keeps the pool; the other stages delete it with their stack', () => {
    const kept = [prod, dev].map((app) => {
      const pool = onlyOf(app, 'AWS::Cognito::UserPool');
      return [pool?.DeletionPolicy, pool?.Properties.DeletionProtection];
    });
    expect(kept).toEqual([
      ['Retain', 'ACTIVE'],
      ['Delete', 'INACTIVE'],
    ]);
  });

  test('has one public client that returns only to the dashboard, with tokens that expire early', () => {
    const { CallbackURLs, LogoutURLs, ...client } =
      onlyOf(dev, 'AWS::Cognito::UserPoolClient')?.Properties ?? {};
    expect(client).toMatchObject({
      GenerateSecret: false,
      AllowedOAuthFlows: ['code'],
      AllowedOAuthScopes: ['openid', 'email'],
      AccessTokenValidity: 5,
      IdTokenValidity: 5,
      RefreshTokenValidity: 60,
      PreventUserExistenceErrors: 'ENABLED',
    });
    const url = JSON.stringify(dev.dashboard?.Outputs.DashboardUrl?.Value).slice(0, -4);
    for (const [urls, path] of [
      [CallbackURLs, '/sign-in/callback'],
      [LogoutURLs, '/sign-in'],
    ] as const)
      expect(urls.map((each: unknown) => JSON.stringify(each))).toEqual([`${url}${path}"]]}`]);
    expect(onlyOf(dev, 'AWS::Cognito::UserPoolDomain')?.Properties.ManagedLoginVersion).toBe(2);
  });

  test('does not exist if the settings name an issuer, which keeps its exact spelling', () => {
    expect(Object.values(resourcesIn(own)).filter(({ Type }) => Type.startsWith('AWS::Cognito'))).toEqual([]);
    expect(own.dashboard?.Outputs).toMatchObject({
      OidcIssuer: { Value: issuer },
      OidcClientId: { Value: 'remit' },
    });
    expect(own.dashboard?.Outputs).not.toHaveProperty('UserPoolId');
  });
});
