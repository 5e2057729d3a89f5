/**
 * Synthesizes the CDK app in this process, as the CDK command line does in another one, but without bundling. `synthesizer.ts` does
 * this for test runs, and scripts do it for themselves.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../../infra/local/handler.ts';
import { parseSettings } from '../../infra/settings.ts';
import type { App, Resources, SynthesisOptions, Template, TemplateResource } from './template.ts';

let count = 0;

/**
 * Synthesizes the app. It reads the environment of the process, so await one call before the next.
 * @param settings context entries in addition to those of `cdk.json`
 * @throws Error if the app rejects the settings
 */
export async function synthesizeHere(
  settings: Readonly<Record<string, string>>,
  { appFile = 'infra/app.ts', isValidated = false }: SynthesisOptions = {},
): Promise<App> {
  // For the same mistake, the app would end the process.
  parseSettings(settings);
  const { context } = JSON.parse(await readFile(join(repositoryRoot, 'cdk.json'), 'utf8'));
  const directory = await mkdtemp(join(tmpdir(), 'remit-cdk-'));
  try {
    const CDK_CONTEXT_JSON = JSON.stringify({
      ...context,
      'aws:cdk:bundling-stacks': [],
      // Names the files of nested stacks.
      'aws:cdk:enable-asset-metadata': true,
      ...settings,
    });
    Object.assign(process.env, {
      CDK_OUTDIR: directory,
      CDK_CONTEXT_JSON,
      CDK_VALIDATION: String(isValidated),
    });
    // Each address is another module, so the app is defined again.
    await import(`${join(repositoryRoot, appFile)}?${++count}`);
    // The CDK synthesizes an app at this event, which precedes the end of a process.
    process.emit('beforeExit', 0);
    return await readApp(directory);
  } finally {
    // An app that failed still waits for the event.
    process.removeAllListeners('beforeExit');
    await rm(directory, { recursive: true, force: true });
  }
}

/** Reads the result of a synthesis. */
async function readApp(directory: string): Promise<App> {
  const read = async (file: string) => JSON.parse(await readFile(join(directory, file), 'utf8'));
  const { artifacts } = await read('manifest.json');
  const { pluginReports } = await read('validation-report.json');
  const rules = pluginReports.find(({ pluginName }: { pluginName: string }) => pluginName === 'AwsSolutions');
  const statelessStack: Template = await read('RemitStateless.template.json');
  const nestedFiles = (await readdir(directory)).filter((file) => /^RemitStateless.+\.nested\./.test(file));
  return {
    stateful: await read('RemitStateful.template.json'),
    stateless: await flatten(statelessStack, read),
    statelessParts: [statelessStack, ...(await Promise.all(nestedFiles.map(read)))],
    backup: artifacts.RemitBackup && (await read('RemitBackup.template.json')),
    canary: artifacts.RemitCanary && (await read('RemitCanary.template.json')),
    dashboard: artifacts.RemitDashboard && (await read('RemitDashboard.template.json')),
    stacks: {
      stateful: artifacts.RemitStateful.properties,
      stateless: artifacts.RemitStateless.properties,
      ...(artifacts.RemitBackup && { backup: artifacts.RemitBackup.properties }),
      ...(artifacts.RemitCanary && { canary: artifacts.RemitCanary.properties }),
      ...(artifacts.RemitDashboard && { dashboard: artifacts.RemitDashboard.properties }),
    },
    rules: { violations: rules.violations, acknowledged: rules.suppressedViolations },
  };
}

const nestedType = 'AWS::CloudFormation::Stack';

/**
 * Returns the template with the resources of its nested stacks in their place. References between the stacks become
 * references to the resources themselves.
 * @param read reads a file of the cloud assembly
 */
async function flatten(template: Template, read: (file: string) => Promise<Template>): Promise<Template> {
  const resources: Record<string, TemplateResource> = {};
  const outputs = new Map<string, unknown>();
  const parameters = new Map<string, unknown>();
  const members = new Map<string, readonly string[]>();
  for (const [id, resource] of Object.entries(template.Resources)) {
    if (resource.Type !== nestedType) {
      resources[id] = resource;
      continue;
    }
    const nested = await read(resource.Metadata?.['aws:asset:path'] ?? '');
    for (const [name, value] of Object.entries(resource.Properties.Parameters ?? {}))
      parameters.set(name, value);
    for (const [name, { Value }] of Object.entries(nested.Outputs ?? {}))
      outputs.set(`${id}.Outputs.${name}`, Value);
    for (const name of Object.keys(nested.Resources)) {
      if (name in resources) throw new Error(`Two stacks have a resource ${name}.`);
    }
    Object.assign(resources, nested.Resources);
    members.set(id, Object.keys(nested.Resources));
  }
  const resolve = (value: unknown, key = ''): unknown => {
    if (Array.isArray(value)) {
      if (key === 'DependsOn') return value.flatMap((id: string) => members.get(id) ?? id);
      return value.map((each) => resolve(each));
    }
    if (typeof value !== 'object' || value === null) return value;
    const { Ref: ref, 'Fn::GetAtt': attribute } = value as { Ref?: string; 'Fn::GetAtt'?: unknown };
    if (ref !== undefined && parameters.has(ref)) return resolve(parameters.get(ref));
    const output = Array.isArray(attribute) ? attribute.join('.') : '';
    if (outputs.has(output)) return resolve(outputs.get(output));
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, resolve(each, name)]));
  };
  return { ...template, Resources: resolve(resources) as Resources };
}
