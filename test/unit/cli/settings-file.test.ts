/** Tests the settings file `remit.config.ts`: how it meets the options, what is wrong with it, and its region. Takes a second. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { readDeploymentOptions } from '../../../cli/deployment.ts';
import { withSettingsFile } from '../../../cli/deployment-settings.ts';
import type { RemitConfig } from '../../../cli/settings-file.ts';
import { parseSettings } from '../../../infra/settings.ts';
import { errorOutputOf } from '../../support/aws-servers.ts';

let folder: string;
let count = 0;
const environment = { ...process.env };
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'remit-settings-file-'));
});
afterEach(() => {
  process.env = { ...environment };
});
afterAll(() => rm(folder, { recursive: true }));

/** Writes a settings file, and selects it. Each has a folder of its own, because Node loads a file once. */
async function useFile(text: string): Promise<void> {
  const file = join(folder, `remit-${++count}.config.ts`);
  await writeFile(file, text);
  process.env.REMIT_CONFIG = file;
}
const useSections = (sections: object) => useFile(`export default ${JSON.stringify(sections)};`);

const optionOf = (name: string) => `--${name}`;
/** Returns the settings of the options and of the file. */
async function settingsOf(options: Record<string, unknown>): Promise<unknown> {
  let settings: unknown;
  await errorOutputOf(async () => {
    settings = await withSettingsFile(options, optionOf);
  });
  return settings;
}
/** Returns the error message. */
const errorOf = (options: Record<string, unknown>) =>
  withSettingsFile(options, optionOf).then(
    () => '',
    (error: Error) => error.message,
  );
const fileName = () => `remit-${count}.config.ts`;

test('an option replaces the setting of the file, and only the section of the deployment counts', async () => {
  await useSections({
    dev: { alarmEmail: 'dev@example.com' },
    prod: { alarmEmail: 'prod@example.com', waf: false, concurrency: 500, tags: { team: 'a' } },
    'shop2-prod': { canary: true },
  });
  expect(await settingsOf({ stage: 'prod', waf: true, concurrency: undefined })).toEqual({
    stage: 'prod',
    alarmEmail: 'prod@example.com',
    waf: true,
    concurrency: 500,
    tags: { team: 'a' },
  });
  expect(await settingsOf({ stage: 'prod', name: 'shop2' })).toEqual({
    stage: 'prod',
    name: 'shop2',
    canary: true,
  });
  expect(await settingsOf({ stage: 'staging', waf: true })).toEqual({ stage: 'staging', waf: true });
  expect(await errorOutputOf(() => withSettingsFile({ stage: 'dev' }, optionOf))).toBe(
    `Settings of dev in ${fileName()}: alarmEmail\n`,
  );
});

test('a wrong name or value is named with its section, and an option with its own name', async () => {
  await useSections({
    dev: { alarmEmial: 'dev@example.com' },
    staging: { alarmEmail: 'on-call', domainName: 'api.example.com' },
    prod: { domainName: 'api.example.com' },
    'a-prod': { stage: 'dev' },
    'b-prod': { dashboardHost: 'a.example.com' },
    'c-prod': { region: 'Ireland' },
    'd-prod': 'waf',
  });
  const file = fileName();
  expect(await errorOf({ stage: 'dev' })).toMatch(
    new RegExp(`^alarmEmial of dev in ${file} does not exist\\. Use one of: .*alarmEmail`),
  );
  expect(await errorOf({ stage: 'staging' })).toBe(
    `alarmEmail of staging in ${file} must be an e-mail address. Its value is "on-call".`,
  );
  expect(await errorOf({ stage: 'staging', alarmEmail: 'none' })).toMatch(/^--alarmEmail must be/);
  expect(await errorOf({ stage: 'prod' })).toBe(
    `domainName of prod in ${file} requires certificateArn of prod in ${file}. Set both or neither.`,
  );
  expect(await errorOf({ stage: 'production' })).toMatch(/^--stage must be one of dev, staging, prod/);
  const ofShop = (name: string) => errorOf({ stage: 'prod', name });
  expect(await ofShop('a')).toMatch(/^stage of a-prod in .*Remove it: the section has its name\.$/);
  expect(await ofShop('b')).toMatch(/^dashboardHost of b-prod .*Remove it: npm run deploy finds it out\.$/);
  expect(await ofShop('c')).toMatch(/^region of c-prod .* must be an AWS region like eu-west-1/);
  expect(await ofShop('d')).toMatch(/^The section d-prod of .* must be an object with settings\.$/);
});

test('a section that names no deployment, and a file that is none, are refused', async () => {
  await useSections({ production: {} });
  expect(await errorOf({ stage: 'dev' })).toBe(
    `The section production of ${fileName()} names no deployment. Name it dev, staging, prod, or like shop2-prod for the installation shop2.`,
  );
  await useFile('export const settings = {};');
  expect(await errorOf({ stage: 'dev' })).toMatch(/has no settings\. Write export default/);
  await useFile("throw new Error('no');");
  expect(await errorOf({ stage: 'dev' })).toMatch(/config\.ts cannot be loaded: no\. Correct the file\.$/);
  process.env.REMIT_CONFIG = join(folder, 'none.ts');
  expect(await errorOf({ stage: 'dev' })).toMatch(/none\.ts cannot be loaded: /);
  process.env.REMIT_CONFIG = '';
  expect(await settingsOf({ stage: 'dev' })).toEqual({ stage: 'dev' });
});

test('the region of the file is that of the deployment and of the commands of operators', async () => {
  await useSections({ prod: { region: 'eu-west-1' } });
  for (const variable of ['AWS_REGION', 'AWS_DEFAULT_REGION', 'TABLE_NAME']) delete process.env[variable];
  const select = (region?: string) => {
    const values: Record<string, string | undefined> = { stage: 'prod', region };
    return readDeploymentOptions({ optional: (name: string) => values[name] } as never);
  };
  expect(await select()).toEqual({ stage: 'prod', name: undefined });
  expect(process.env.AWS_REGION).toBe('eu-west-1');
  await select('us-east-1');
  expect(process.env.AWS_REGION).toBe('us-east-1');
  const remedy = `AWS_REGION is us-east-1, but region of prod in ${fileName()} is eu-west-1. Unset AWS_REGION, or correct the file.`;
  await expect(select()).rejects.toThrow(remedy);
  expect(await errorOf({ stage: 'prod' })).toBe(remedy);
});

test('the file that the documentation shows is right', async () => {
  const page = await readFile('docs/operate/deploying.md', 'utf8');
  const [, shown = ''] = /```ts\n(import type \{ RemitConfig \}[\s\S]*?)```/.exec(page) ?? [];
  const typed = shown.replace(' satisfies RemitConfig', '').replace(/^import.*$/m, '');
  await useFile(typed);
  const { default: config } = (await import(process.env.REMIT_CONFIG ?? '')) as { default: RemitConfig };
  expect(Object.keys(config)).toEqual(['staging', 'prod']);
  for (const [stage, { region, ...settings } = {}] of Object.entries(config))
    expect([region, parseSettings({ stage, ...settings }).stage]).toEqual(['eu-west-1', stage]);
});
