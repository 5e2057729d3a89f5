/**
 * Tests the package of the construct: packs it, installs it without a network into an app outside the repository, and synthesizes the
 * example. The stacks must be those of `npm run synth`. Its command line operates a stack. Takes two minutes.
 */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { repositoryRoot } from '../../infra/local/handler.ts';
import { settingNames } from '../../infra/settings.ts';
import { apiOf, invoiceBody } from '../support/api.ts';
import { startCloudFormation, statefulOutputs } from '../support/cloudformation-server.ts';
import { execute as runCommand } from '../support/command-line.ts';
import { startTestStack } from '../support/stack.ts';

/** The functions share most of their code. */
const maxPackageBytes = 25 * 1024 * 1024;
const modules = join(repositoryRoot, 'node_modules');
const execute = promisify(execFile);

let folder: string;
const inApp = (...path: string[]) => join(folder, ...path);

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'remit-cdk-package-')));
  // npm sets these variables for the scripts that it runs, such as these tests. They would lead the inner npm to the wrong project.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
  const { stdout } = await execute(
    'npm',
    ['pack', './infra-package', '--json', '--pack-destination', folder],
    {
      env,
      cwd: repositoryRoot,
    },
  );
  const [{ filename, size }] = JSON.parse(stdout.slice(stdout.indexOf('[')));
  expect(size).toBeLessThan(maxPackageBytes);
  await cp(join(repositoryRoot, 'infra-package', 'example'), folder, { recursive: true });
  await writeFile(inApp('package.json'), '{ "type": "module" }');
  // The app has its own CDK, which the test takes from the repository.
  const offline = ['--offline', '--no-audit', '--no-fund', '--legacy-peer-deps'];
  await execute('npm', ['install', `./${filename}`, ...offline], { env, cwd: folder });
  for (const name of ['aws-cdk-lib', 'constructs', '@types'])
    await symlink(join(modules, name), inApp('node_modules', name));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Synthesizes an app, and returns the folder of its templates. */
async function synthesize(cwd: string, ...context: string[]): Promise<string> {
  const output = inApp(`out-${context.length}`);
  const words = ['synth', '--quiet', '--no-path-metadata', '--output', output, ...context];
  await execute(join(modules, '.bin', 'cdk'), words, { cwd });
  return output;
}
const templatesIn = async (output: string) =>
  (await readdir(output)).filter((name) => /^Remit.*\.template\.json$/.test(name)).sort();

/** Of the bus, where the stacks of the example import it from the stack of the team. */
const busArn = 'arn:aws:events:eu-west-1:123456789012:event-bus/shop-events';

test('the example has the stacks of npm run synth with the same settings, and those of the team', async () => {
  // The CDK leaves this id out of the ids that it derives, such as those of permissions. So the templates must be equal.
  const app = await readFile(inApp('app.ts'), 'utf8');
  await writeFile(inApp('app.ts'), app.replace("'Billing'", "'Default'"));
  const settings = {
    ...{ stage: 'prod', alarmEmail: 'on-call@shop.example', backupRegion: 'eu-central-1', canary: 'true' },
    ...{ concurrency: '500', tags: 'team=payments', webhookAllowedPorts: '3000,9000', eventBus: busArn },
  };
  const context = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [team, own] = [await synthesize(folder), await synthesize(repositoryRoot, ...context)];
  expect(await templatesIn(team)).toEqual(await templatesIn(own));
  const read = async (output: string, name: string) => {
    const text = JSON.stringify(JSON.parse(await readFile(join(output, name), 'utf8')));
    // The id of a version ends with a hash of all properties of its function.
    const alike = text
      .replaceAll(/\{"Fn::ImportValue":"Shop:[^"]+"\}/g, `"${busArn}"`)
      // And the name of a nested template is a hash of all of it.
      .replaceAll(/[0-9a-f]{64}\.json/g, '.json')
      .replaceAll(/(CurrentVersion[0-9A-F]{8})[0-9a-f]{32}/g, '$1');
    const template = JSON.parse(alike);
    // The output with the settings is one text with the name of the bus in it.
    delete template.Outputs?.Settings;
    return template;
  };
  // The names of the assets are hashes of their content, so the code is equal, too.
  for (const name of await templatesIn(own)) expect(await read(team, name)).toEqual(await read(own, name));
  const texts = (await templatesIn(team)).map((name) => readFile(join(team, name), 'utf8'));
  expect((await Promise.all(texts)).join('')).toContain('"Fn::ImportValue": "Shop:');
  expect((await read(team, 'Shop.template.json')).Outputs.BillingStack.Value).toBe('remit-prod-stateless');
});

test('its types have all settings with their comments, and refuse what is wrong', async () => {
  const declared = await readFile(inApp('node_modules', '@remit', 'cdk', 'dist', 'settings.d.ts'), 'utf8');
  for (const name of settingNames) expect(declared).toContain(`  readonly ${name}?: `);
  expect(declared).toContain('/** The recipient of alarms. Without it there are no alarms. */');
  await writeFile(
    inApp('wrong.ts'),
    `import { Remit } from '@remit/cdk';
    import { App } from 'aws-cdk-lib';
    const app = new App();
    // @ts-expect-error an unknown stage
    new Remit(app, 'A', { stage: 'production' });
    // @ts-expect-error an unknown setting
    new Remit(app, 'B', { alarmEmial: 'on-call@shop.example' });
    // @ts-expect-error a wrong type
    new Remit(app, 'C', { concurrency: '500' });`,
  );
  const tsc = join(modules, 'typescript', 'bin', 'tsc');
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--skipLibCheck'];
  await execute(process.execPath, [tsc, ...options, 'app.ts', 'wrong.ts'], { cwd: folder }).catch(
    ({ stdout }) => {
      throw new Error(stdout);
    },
  );
});

test('CommonJS loads it too, and a wrong setting stops the synthesis with a message', async () => {
  await writeFile(
    inApp('wrong.cjs'),
    `const { App } = require('aws-cdk-lib');
    const { Remit } = require('@remit/cdk');
    try {
      new Remit(new App(), 'Billing', { stage: 'dev', alarmEmail: 'on-call' });
    } catch ({ message }) {
      console.log(message);
    }`,
  );
  const { stdout } = await execute(process.execPath, ['wrong.cjs'], { cwd: folder });
  expect(stdout).toContain('The setting alarmEmail must be an e-mail address. Its value is "on-call".');
});

describe('the command line of the package', () => {
  const remit = (args: readonly string[], extra: NodeJS.ProcessEnv = {}) =>
    runCommand(inApp('node_modules', '.bin', 'remit'), args, extra);

  test('operates a deployment, and calls its API', async () => {
    const stack = await startTestStack();
    const cloudFormation = await startCloudFormation({
      'remit-prod-stateful': statefulOutputs(stack.tableName),
    });
    try {
      const named = ['--name', 'Shop', '--plan', 'standard', '--display-name', 'Shop'];
      const created = await remit(['accounts', 'create', ...named, '--json']);
      expect(created).toMatchObject({ code: 0, error: expect.stringMatching(/^Table [^\n]+\.\n$/) });
      const { accountId: id, keys } = JSON.parse(created.out);
      const { status, json } = await apiOf(stack.baseUrl, keys.test).post('/api/invoices', invoiceBody());
      expect(status).toBe(201);
      const api = { REMIT_URL: stack.baseUrl, REMIT_API_KEY: keys.test };
      const shown = await remit(['invoices', 'show', json.id, '--json'], api);
      expect(JSON.parse(shown.out)).toMatchObject({ id: json.id });
      for (const args of [
        ['keys', 'create', '--account', id, '--mode', 'test', '--name', 'Shop 2'],
        ['users', 'list', '--account', id],
        ['providers', 'list', '--account', id],
        ['accounts', 'export', '--account', id, '--output', inApp('account.jsonl')],
        ['reconcile', 'run'],
        ['timers', 'status'],
        ['poison', 'list'],
        ['audit', 'verify'],
        ['secrets', 'status'],
        ['maintenance', 'status'],
        ['deployment', 'show'],
      ])
        expect([args, await remit(args)]).toEqual([args, expect.objectContaining({ code: 0 })]);
      const onStage = await remit(['accounts', 'list', '--stage', 'prod', '--json'], {
        TABLE_NAME: undefined,
        DEPLOYMENT_SECRET_FILE: undefined,
        AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.endpoint,
      });
      expect(onStage.error).toContain(`Table ${stack.tableName} `);
      expect(onStage.out).toContain(id);
    } finally {
      await Promise.all([cloudFormation.close(), stack.close()]);
    }
  });

  test('has the version of the package, and says where release runs', async () => {
    const { version } = JSON.parse(await readFile('infra-package/package.json', 'utf8'));
    expect(await remit(['--version'])).toMatchObject({ code: 0, out: `${version}\n` });
    const { code, error } = await remit(['release', 'show']);
    expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining('needs the repository') });
  });
});
