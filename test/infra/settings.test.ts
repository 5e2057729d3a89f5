/** Tests the deployment settings: valid values, and the messages for invalid ones. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parseSettings, type Settings, SettingsError, settingNames } from '../../infra/settings.ts';

const validSettings: Readonly<Record<Exclude<keyof Settings, keyof typeof existing | 'dashboard'>, string>> =
  {
    stage: 'staging',
    name: 'second-shop',
    domainName: 'api.example.com',
    certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d-0000-4000-8000-000000000000',
    defaultEndpoint: 'true',
    payUrlBase: 'https://example.com/pay',
    alarmEmail: 'on-call@example.com',
    runbookUrl: 'https://git.example.com/remit/docs/operate',
    securityContact: 'https://example.com/security',
    mailFrom: 'invoices@shop.example',
    mailIdentity: 'shop.example',
    mailsPerDay: '2000',
    backupRegion: 'eu-central-1',
    canary: 'true',
    metricsDashboard: 'true',
    dashboardDomain: 'dashboard.example.com',
    dashboardCertificateArn:
      'arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d-0000-4000-8000-000000000001',
    gradualDeployment: 'true',
    oidcIssuer: 'https://login.example.com/',
    oidcClientId: '4f2c.apps.example.com',
    oidcAcr: 'phr urn:example:mfa',
    oidcAmr: 'mfa',
    waf: 'true',
    dashboardWaf: 'true',
    customerKey: 'true',
    webhookAllowedRanges: '10.0.0.0/8,fd00::/8',
    webhookAllowedPorts: '3000,9000',
    eventQueue: 'arn:aws:sqs:eu-west-1:123456789012:events,arn:aws:sqs:eu-west-1:123456789012:events.fifo',
    eventBus: 'arn:aws:events:eu-west-1:123456789012:event-bus/events',
    eventFunction: 'arn:aws:lambda:eu-west-1:123456789012:function:events:live',
    restoredTableStreamArn:
      'arn:aws:dynamodb:eu-west-1:123456789012:table/copy/stream/2026-11-21T00:00:00.000',
    concurrency: '100',
    awsCalls: 'sdk',
    gatewayLogRole: 'true',
    permissionsBoundary: 'arn:aws:iam::123456789012:policy/teams/Boundary',
    rolePath: '/teams/remit/',
    tags: 'team=payments,cost-center=42',
    dashboardHost: 'a1b2c3.execute-api.eu-west-1.amazonaws.com',
    canaryHost: 'a1b2c3.lambda-url.eu-west-1.on.aws',
    emulatorEndpoint: 'http://127.0.0.1:4566',
  };

/** The settings that exclude `restoredTableStreamArn`. */
const existing = {
  existingTable: 'arn:aws:dynamodb:eu-west-1:123456789012:table/kept/stream/2026-11-21T00:00:00.000',
  existingSecret: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:DeploymentSecret-AbCdEf-a1B2c3',
  existingWebhookSecret: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:WebhookSecret-AbCdEf-a1B2c3',
  existingProviderSecret: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:ProviderSecret-AbCdEf-a1B2c3',
  existingAuditSecret: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:AuditSecret-AbCdEf-a1B2c3',
};

/** All flags with the same value. */
const allFlags = (value: boolean) =>
  Object.fromEntries(
    [
      'canary',
      'metricsDashboard',
      'waf',
      'dashboardWaf',
      'gradualDeployment',
      'customerKey',
      'gatewayLogRole',
      'defaultEndpoint',
    ].map((name) => [name, value]),
  );

/** Returns the error message for an invalid context. */
function errorMessageOf(context: Record<string, unknown>): string {
  try {
    return JSON.stringify(parseSettings(context));
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    return (error as Error).message;
  }
}

/** Runs a script in a process of its own. */
const runScript = (args: readonly string[], extra: NodeJS.ProcessEnv = {}) =>
  new Promise<{ code: number; error: string }>((resolve) => {
    execFile(process.execPath, args, { env: { ...process.env, ...extra } }, (failure, _, error) =>
      resolve({ code: Number(failure?.code ?? 0), error }),
    );
  });

describe('settings', () => {
  test('without settings the stage is dev, and nothing with a fixed price is added', () => {
    expect(parseSettings({})).toEqual({
      stage: 'dev',
      ...allFlags(false),
      dashboard: true,
      concurrency: 1_000,
      awsCalls: 'direct',
    });
  });

  test('prod has a firewall and metrics dashboard by default, the other stages do not', () => {
    for (const name of ['waf', 'dashboardWaf', 'metricsDashboard'] as const) {
      const defaultOf = (stage: string) => parseSettings({ stage })[name];
      expect(['dev', 'staging', 'prod'].map(defaultOf)).toEqual([false, false, true]);
      expect(parseSettings({ stage: 'prod', [name]: false })[name]).toBe(false);
    }
  });

  test('staging and prod replace their functions gradually, unless a setting says otherwise', () => {
    const isGradual = (context: Record<string, string>) => parseSettings(context).gradualDeployment;
    expect(['dev', 'staging', 'prod'].map((stage) => isGradual({ stage }))).toEqual([false, true, true]);
    expect(isGradual({ stage: 'prod', gradualDeployment: 'false' })).toBe(false);
  });

  test('the dashboard has a firewall if the API has one, unless a setting says otherwise', () => {
    const firewallOf = (context: object) => parseSettings({ stage: 'prod', ...context }).dashboardWaf;
    expect(firewallOf({ waf: false })).toBe(false);
    expect(firewallOf({ waf: false, dashboardWaf: true })).toBe(true);
    expect(firewallOf({ dashboardWaf: false })).toBe(false);
  });

  test('valid settings are accepted; flags may be strings or booleans', () => {
    expect(parseSettings(validSettings)).toEqual({
      ...validSettings,
      ...allFlags(true),
      dashboard: true,
      concurrency: 100,
      mailsPerDay: 2_000,
      awsCalls: 'sdk',
      tags: { team: 'payments', 'cost-center': '42' },
    });
    const { restoredTableStreamArn: _, ...others } = validSettings;
    expect(parseSettings({ ...others, ...existing })).toMatchObject(existing);
    expect(parseSettings({ waf: true, metricsDashboard: false })).toMatchObject({
      waf: true,
      metricsDashboard: false,
    });
    expect(parseSettings({ stage: 'prod', waf: 'false' }).waf).toBe(false);
    // Code gives numbers, lists and objects.
    expect(
      parseSettings({
        concurrency: 100,
        tags: { team: 'a', shop: 'b=c' },
        webhookAllowedPorts: [3000, 9000],
      }),
    ).toMatchObject({ concurrency: 100, tags: { team: 'a', shop: 'b=c' }, webhookAllowedPorts: '3000,9000' });
    expect(parseSettings({ payUrlBase: 'https://example.com/pay/' })).toMatchObject({
      payUrlBase: 'https://example.com/pay',
    });
  });

  test.each([
    ['stage', 'production'],
    ['stage', ''],
    ['domainName', 'https://api.example.com'],
    ['certificateArn', 'arn:aws:iam::123456789012:server-certificate/x'],
    ['payUrlBase', 'example.com/pay'],
    ['payUrlBase', 'https://example.com/pay?x=1'],
    ['alarmEmail', 'on-call'],
    ['runbookUrl', 'docs/operate'],
    ['runbookUrl', 'https://git.example.com/operate?ref=main'],
    ['backupRegion', 'Ireland'],
    ['backupRegion', 'eu-west-1a'],
    ['waf', 'yes'],
    ['concurrency', '9'],
    ['concurrency', '10.5'],
    ['concurrency', 'many'],
    ['mailsPerDay', '0'],
    ['mailsPerDay', '100001'],
    ['mailsPerDay', '2.5'],
    ['awsCalls', 'none'],
    ['metricsDashboard', ''],
    ['dashboard', 'no'],
    ['dashboardDomain', 'https://dashboard.example.com'],
    ['dashboardCertificateArn', 'mine'],
    ['oidcIssuer', 'http://login.example.com'],
    ['oidcIssuer', 'https://login.example.com?tenant=1'],
    ['oidcIssuer', 'login.example.com'],
    ['oidcClientId', 'a client'],
    ['oidcAcr', ''],
    ['oidcAcr', 'phr  phrh'],
    ['oidcAmr', ' mfa'],
    ['oidcAmr', 'mfa,hwk ok '],
    ['customerKey', 'alias/mine'],
    ['webhookAllowedRanges', '10.0.0.0'],
    ['webhookAllowedRanges', '10.0.0.0/33'],
    ['webhookAllowedPorts', '0'],
    ['webhookAllowedPorts', '3000,65536'],
    ['webhookAllowedPorts', '3000-3009'],
    ['webhookAllowedPorts', '3000, 3001'],
    ['eventQueue', 'https://sqs.eu-west-1.amazonaws.com/123456789012/events'],
    ['eventQueue', 'arn:aws:sqs:eu-west-1:1234:events'],
    ['eventQueue', 'arn:aws:sqs:eu-west-1:123456789012:a,arn:aws:sqs:eu-west-1:123456789012:a'],
    ['eventBus', 'arn:aws:sqs:eu-west-1:123456789012:events'],
    ['eventFunction', 'events'],
    ['restoredTableStreamArn', 'arn:aws:dynamodb:eu-west-1:123456789012:table/copy'],
    ['existingTable', 'kept'],
    ['existingSecret', 'DeploymentSecret'],
    ['existingSecret', 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:x'],
    ['name', 'Shop'],
    ['name', '2shop'],
    ['name', 'a-name-of-21-letters-'],
    ['permissionsBoundary', 'Boundary'],
    ['permissionsBoundary', 'arn:aws:iam::123456789012:role/Boundary'],
    ['rolePath', 'remit/'],
    ['rolePath', '/remit'],
    ['tags', 'team'],
    ['tags', 'aws:team=payments'],
    ['tags', 'team=payments,team=shop'],
    ['tags', 'team=payments,'],
    ['emulatorEndpoint', 'https://dynamodb.eu-west-1.amazonaws.com'],
  ])('%s=%s is rejected with a message that describes a valid value', (name, value) => {
    expect(errorMessageOf({ [name]: value })).toMatch(
      new RegExp(
        `^The setting ${name} must (be|have) .{12,}\\. Its value is "${value.replace(/[.?/]/g, '\\$&')}"\\.$`,
      ),
    );
  });

  test('the message for an unknown setting lists the settings', () => {
    expect(errorMessageOf({ alarmEmial: validSettings.alarmEmail })).toBe(
      `The setting alarmEmial does not exist. Use one of: ${settingNames.join(', ')}.`,
    );
  });

  test('a domain without a certificate is rejected, and so is a certificate without a domain', () => {
    const { domainName, certificateArn } = validSettings;
    for (const half of [{ domainName }, { certificateArn }])
      expect(errorMessageOf(half)).toMatch(/Set both or neither/);
  });

  test('an existing table needs its secrets, and excludes a restored table', () => {
    for (const name of Object.keys(existing) as (keyof typeof existing)[]) {
      const { [name]: value, ...others } = existing;
      expect(errorMessageOf({ [name]: value })).toMatch(/Set all of them, or none/);
      expect(errorMessageOf(others)).toMatch(new RegExp(`requires the setting ${name}\\. Set all of them`));
    }
    const { restoredTableStreamArn } = validSettings;
    expect(errorMessageOf({ ...existing, restoredTableStreamArn })).toMatch(/both select a table/);
  });

  test('the dashboard needs a certificate for its domain, a client id at its issuer, and a domain of its own', () => {
    const { dashboardDomain, dashboardCertificateArn, oidcIssuer, oidcClientId } = validSettings;
    for (const half of [{ dashboardDomain }, { dashboardCertificateArn }, { oidcIssuer }, { oidcClientId }])
      expect(errorMessageOf(half)).toMatch(/Set both or neither/);
    const ofApi = { ...validSettings, restoredTableStreamArn: undefined, domainName: dashboardDomain };
    expect(errorMessageOf(ofApi)).toMatch(/is also the domain of the API\. Use another domain/);
    for (const own of [
      { dashboardDomain, dashboardCertificateArn },
      { oidcIssuer, oidcClientId },
    ])
      expect(errorMessageOf({ ...own, dashboard: false })).toMatch(/requires the dashboard\. Leave it out/);
  });

  test('each deployment has the dashboard, so dashboard=true means the dashboard of CloudWatch and is rejected', () => {
    for (const dashboard of [true, 'true'])
      expect(errorMessageOf({ dashboard })).toBe(
        'The setting dashboard is not needed, because each deployment has the dashboard. For the dashboard of CloudWatch, use the setting metricsDashboard.',
      );
    expect(parseSettings({ stage: 'prod', dashboard: 'false' }).dashboard).toBe(false);
  });

  test('how users sign in can be required at an own issuer only', () => {
    for (const own of [{ oidcAcr: 'phr' }, { oidcAmr: 'mfa' }])
      expect(errorMessageOf(own)).toMatch(
        /requires the setting oidcIssuer\. Leave it out: the user pool .* second factor/,
      );
  });

  test('an issuer on this machine may use http', () => {
    const oidcIssuer = 'http://127.0.0.1:8480';
    expect(parseSettings({ oidcIssuer, oidcClientId: 'remit' }).oidcIssuer).toBe(oidcIssuer);
  });

  test('context entries of the CDK itself are ignored', () => {
    expect(parseSettings({ '@aws-cdk/core:x': true, 'aws:cdk:y': 1, 'cli-telemetry': false })).toEqual(
      parseSettings({}),
    );
  });

  test('the app prints only the message and creates nothing', async () => {
    const CDK_OUTDIR = await mkdtemp(join(tmpdir(), 'remit-settings-'));
    try {
      const CDK_CONTEXT_JSON = JSON.stringify({ stage: 'production' });
      expect(await runScript(['infra/app.ts'], { CDK_CONTEXT_JSON, CDK_OUTDIR })).toEqual({
        code: 1,
        error: 'The setting stage must be one of dev, staging, prod. Its value is "production".\n',
      });
      expect(await readdir(CDK_OUTDIR)).toEqual([]);
    } finally {
      await rm(CDK_OUTDIR, { recursive: true });
    }
  });
});

describe('npm run deploy', () => {
  const deploy = (...words: string[]) => runScript(['cli/deploy.ts', ...words]);

  test('requires a stage, and has an option for every setting that it does not find out itself', async () => {
    const { code, error } = await deploy();
    expect(code).toBe(2);
    for (const name of settingNames) {
      if (['emulatorEndpoint', 'dashboardHost', 'canaryHost'].includes(name)) continue;
      expect(error).toContain(`--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
    }
  });

  test.each([
    [['--stage', 'production'], /stage must be one of dev, staging, prod/],
    [['--stage', 'prod', '--alarm-emial', 'on-call@example.com'], /Unknown option '--alarm-emial'/],
    [['--stage', 'dev', '--emulator-endpoint', 'http://127.0.0.1:4566'], /Unknown option/],
    [['--stage', 'dev', '--dashboard'], /^--dashboard is not needed.* use --metrics-dashboard\.$/m],
    [['--stage', 'dev', '--dashboard', '--no-dashboard'], /Use --dashboard or --no-dashboard, not both/],
    [
      ['--stage', 'prod', '--oidc-issuer', 'https://login.example.com'],
      /^--oidc-issuer requires --oidc-client-id\./,
    ],
    [['--stage', 'prod', '--waf', '--no-waf'], /Use --waf or --no-waf, not both/],
    [['--stage', 'prod', '--existing-table', existing.existingTable], /Set all of them, or none/],
    [['--stage', 'prod', '--gateway-log-role', '--no-gateway-log-role'], /not both/],
    [
      ['--stage', 'prod', '--domain-name=api.example.com'],
      /^--domain-name requires --certificate-arn\. Set both/,
    ],
    [['--stage', 'prod', '--mail-from', 'Shop <a@b.example>'], /^--mail-from must be an e-mail address/],
    [['--stage', 'prod', '--mail-identity', 'b.example'], /^--mail-identity requires --mail-from\./],
    [['--stage', 'prod', '--mails-per-day', '9'], /^--mails-per-day requires --mail-from\./],
    [
      ['--stage', 'prod', '--mail-from', 'a@b.example', '--mail-identity', 'example.net'],
      /^--mail-identity must be the address of --mail-from, its domain or a domain above it/,
    ],
    [['--stage', 'prod', '--alarm-email', 'on-call'], /^--alarm-email must be an e-mail address/],
  ])('deploys nothing with %j', async (words, message) => {
    const { code, error } = await deploy(...words);
    expect({ code, error }).toEqual({ code: 2, error: expect.stringMatching(message) });
  });
});
