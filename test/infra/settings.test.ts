/** What whoever deploys may choose, and what they are told of what they may not. */
import { execFile } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import { type Settings, SettingsError, settingNames, settingsOf } from '../../infra/settings.ts';
import { synthesize } from './template.ts';

const right: Readonly<Record<keyof Settings, string>> = {
  stage: 'staging',
  domainName: 'api.example.com',
  certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d-0000-4000-8000-000000000000',
  payUrlBase: 'https://example.com/pay',
  alarmEmail: 'on-call@example.com',
  dashboard: 'true',
  waf: 'true',
  customerKey: 'true',
  webhookAllowedRanges: '10.0.0.0/8,fd00::/8',
  restoredTableStreamArn: 'arn:aws:dynamodb:eu-west-1:123456789012:table/copy/stream/2026-11-21T00:00:00.000',
  noReservedConcurrency: 'true',
  emulatorEndpoint: 'http://127.0.0.1:4566',
};

/** The flags. */
const all = (value: boolean) =>
  Object.fromEntries(
    ['dashboard', 'waf', 'customerKey', 'noReservedConcurrency'].map((name) => [name, value]),
  );

/** What the app says of these settings. */
function refusalOf(context: Record<string, unknown>): string {
  try {
    return JSON.stringify(settingsOf(context));
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    return (error as Error).message;
  }
}

describe('settings', () => {
  test('with none, a stage is deployed that goes with its data, and nothing that costs', () => {
    expect(settingsOf({})).toEqual({ stage: 'dev', ...all(false) });
  });

  test('all of them are taken as they are written, and flags as values of cdk.json too', () => {
    expect(settingsOf(right)).toEqual({ ...right, ...all(true) });
    expect(settingsOf({ waf: true, dashboard: false })).toMatchObject({ waf: true, dashboard: false });
    expect(settingsOf({ payUrlBase: 'https://example.com/pay/' })).toMatchObject({
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
    ['waf', 'yes'],
    ['dashboard', ''],
    ['customerKey', 'alias/mine'],
    ['webhookAllowedRanges', '10.0.0.0'],
    ['webhookAllowedRanges', '10.0.0.0/33'],
    ['restoredTableStreamArn', 'arn:aws:dynamodb:eu-west-1:123456789012:table/copy'],
    ['emulatorEndpoint', 'https://dynamodb.eu-west-1.amazonaws.com'],
  ])('%s=%s is refused by name, with what would be right', (name, value) => {
    expect(refusalOf({ [name]: value })).toMatch(
      new RegExp(`^The setting ${name} must be .{12,}, and not "${value.replace(/[.?/]/g, '\\$&')}"\\.$`),
    );
  });

  test('one that does not exist is refused, with those that do', () => {
    expect(refusalOf({ alarmEmial: right.alarmEmail })).toBe(
      `There is no setting alarmEmial; those of the context are ${settingNames.join(', ')}.`,
    );
  });

  test('a domain without a certificate is refused, and the other way round', () => {
    const { domainName, certificateArn } = right;
    for (const half of [{ domainName }, { certificateArn }])
      expect(refusalOf(half)).toMatch(/set both or none/);
  });

  test('what the CDK itself keeps in the context is passed over', () => {
    expect(settingsOf({ '@aws-cdk/core:x': true, 'aws:cdk:y': 1, 'cli-telemetry': false })).toEqual(
      settingsOf({}),
    );
  });

  test('the app says no more than that, and makes nothing', async () => {
    await expect(synthesize({ stage: 'production' })).rejects.toThrow(
      /^The setting stage must be one of dev, staging, prod, and not "production"\.\n$/,
    );
  });
});

describe('npm run deploy', () => {
  const deploy = (...words: string[]) =>
    new Promise<{ code: number; error: string }>((resolve) => {
      execFile(process.execPath, ['cli/deploy.ts', ...words], (failure, _, error) =>
        resolve({ code: Number(failure?.code ?? 0), error }),
      );
    });

  test('wants a stage, and knows an option for every setting but that of emulators', async () => {
    const { code, error } = await deploy();
    expect(code).toBe(2);
    for (const name of settingNames) {
      if (name === 'emulatorEndpoint') continue;
      expect(error).toContain(`--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
    }
  });

  test.each([
    [['--stage', 'production'], /stage must be one of dev, staging, prod/],
    [['--stage', 'prod', '--alarm-emial', 'on-call@example.com'], /Unknown option '--alarm-emial'/],
    [['--stage', 'dev', '--emulator-endpoint', 'http://127.0.0.1:4566'], /Unknown option/],
    [['--stage', 'prod', '--domain-name=api.example.com'], /set both or none/],
  ])('begins nothing with %j', async (words, message) => {
    const { code, error } = await deploy(...words);
    expect({ code, error }).toEqual({ code: 2, error: expect.stringMatching(message) });
  });
});
