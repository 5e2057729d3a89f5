/** Synthesizes the CDK app and searches its CloudFormation templates. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '../../infra/local/handler.ts';

export interface TemplateResource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: resources have any shape
  readonly Properties: Record<string, any>;
  readonly DeletionPolicy?: string;
  readonly DependsOn?: string | string[];
  readonly Metadata?: Readonly<Record<string, string>>;
  readonly UpdatePolicy?: {
    readonly CodeDeployLambdaAliasUpdate: {
      readonly ApplicationName: { readonly Ref: string };
      readonly DeploymentGroupName: { readonly Ref: string };
    };
  };
}

export type Resources = Readonly<Record<string, TemplateResource>>;

export interface Template {
  readonly Resources: Resources;
  readonly Outputs: Readonly<Record<string, { readonly Value: unknown }>>;
  readonly Parameters?: Readonly<Record<string, unknown>>;
}

interface Acknowledged {
  readonly ruleName: string;
  readonly reason: string;
  readonly acknowledgedAt: string;
  readonly violatingConstructs: readonly { readonly constructPath: string }[];
}

/** The result of a synthesis. */
export interface App {
  readonly stateful: Template;
  /** With the resources of its nested stacks. */
  readonly stateless: Template;
  /** The stateless stack without the resources of its nested stacks, and each of these stacks. */
  readonly statelessParts: readonly Template[];
  /** The stack in the backup region. Undefined without the setting `backupRegion`. */
  readonly backup: Template | undefined;
  /** The stack of the canary. Undefined without the setting `canary`. */
  readonly canary: Template | undefined;
  /** The stack of the dashboard. Undefined if the setting `dashboard` is false. */
  readonly dashboard: Template | undefined;
  /** The stack names and their termination protection. */
  readonly stacks: Readonly<Record<string, { stackName: string; terminationProtection?: boolean }>>;
  /** The findings of the cdk-nag rules: violations, and exceptions with their reasons. */
  readonly rules: { readonly violations: unknown[]; readonly acknowledged: readonly Acknowledged[] };
}

/**
 * Runs the app as the CDK command line does, but without bundling. It runs in a separate process, because the CDK is
 * large. A test run does so once for each set of settings: its files share the results.
 * @param settings context entries in addition to those of `cdk.json`
 * @param options `appFile` is the file of the app. With `isValidated`, the CDK also validates the templates against the schemas
 *   of CloudFormation, which takes longer than all the rest.
 * @throws Error with the app's message if the app rejects the settings
 */
export async function synthesize(
  settings: Readonly<Record<string, string>> = {},
  { appFile = 'infra/app.ts', isValidated = false }: { appFile?: string; isValidated?: boolean } = {},
): Promise<App> {
  const folder = process.env.REMIT_TEST_SYNTHESES;
  if (!folder) return run(settings, appFile, isValidated);
  // The default stage is dev. The order of settings has no effect.
  const named = Object.entries({ stage: 'dev', ...settings }).sort();
  const hash = createHash('sha256')
    .update(JSON.stringify([named, appFile, isValidated]))
    .digest('hex');
  const file = join(folder, `${hash}.json`);
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    const app = await run(settings, appFile, isValidated);
    // Another worker may read the file at this moment.
    await writeFile(`${file}.${process.pid}`, JSON.stringify(app));
    await rename(`${file}.${process.pid}`, file);
    return app;
  }
}

async function run(
  settings: Readonly<Record<string, string>>,
  appFile: string,
  isValidated: boolean,
): Promise<App> {
  const { context } = JSON.parse(await readFile(join(repositoryRoot, 'cdk.json'), 'utf8'));
  const directory = await mkdtemp(join(tmpdir(), 'remit-cdk-'));
  const read = async (file: string) => JSON.parse(await readFile(join(directory, file), 'utf8'));
  try {
    const CDK_CONTEXT_JSON = JSON.stringify({
      ...context,
      'aws:cdk:bundling-stacks': [],
      // Names the files of nested stacks.
      'aws:cdk:enable-asset-metadata': true,
      ...settings,
    });
    const CDK_VALIDATION = String(isValidated);
    const env = { ...process.env, CDK_OUTDIR: directory, CDK_CONTEXT_JSON, CDK_VALIDATION };
    await promisify(execFile)(process.execPath, [appFile], { cwd: repositoryRoot, env });
    const { artifacts } = await read('manifest.json');
    const { pluginReports } = await read('validation-report.json');
    const rules = pluginReports.find(
      ({ pluginName }: { pluginName: string }) => pluginName === 'AwsSolutions',
    );
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
  } catch (error) {
    throw new Error((error as { stderr?: string }).stderr || String(error));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
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

/** Returns the resources of a type with their logical ids. */
export function resourcesOfType(resources: Resources, type: string): [string, TemplateResource][] {
  return Object.entries(resources).filter(([, resource]) => resource.Type === type);
}

/**
 * Returns the logical id of the only resource of a type whose id starts with `name`, ignoring case.
 * @throws Error if there is not exactly one
 */
export function resourceNamed(resources: Resources, type: string, name: string): string {
  const [found, ...more] = resourcesOfType(resources, type).filter(([id]) =>
    id.toLowerCase().startsWith(name.toLowerCase()),
  );
  if (!found || more.length > 0)
    throw new Error(`The template must contain exactly one ${type} with the name ${name}.`);
  return found[0];
}

/** Returns the path of an API resource by its reference. The root's reference is an attribute of the API itself. */
export function resourcePath(resources: Resources, reference: { Ref?: string }): string {
  const resource = reference.Ref === undefined ? undefined : resources[reference.Ref];
  if (!resource) return '/';
  const { ParentId, PathPart } = resource.Properties;
  return `${resourcePath(resources, ParentId).replace(/\/$/, '')}/${PathPart}`;
}

/** Returns the reference cycles. CloudFormation rejects them, but the CDK does not detect them. */
export function cyclesOf(resources: Resources): string[] {
  const visited = new Set<string>();
  const cycles: string[] = [];
  const visit = (id: string, path: readonly string[]) => {
    if (path.includes(id)) cycles.push([...path.slice(path.indexOf(id)), id].join(' → '));
    if (path.includes(id) || visited.has(id)) return;
    for (const next of referencesOf(resources[id])) if (resources[next]) visit(next, [...path, id]);
    visited.add(id);
  };
  for (const id of Object.keys(resources)) visit(id, []);
  return cycles;
}

function referencesOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    if (name === 'Ref') return [String(inner)];
    if (name === 'Fn::GetAtt') return [String((inner as string[])[0])];
    if (name === 'DependsOn') return [inner].flat().map(String);
    if (name === 'Fn::Sub')
      return [...JSON.stringify(inner).matchAll(/\$\{(\w+)/g)].map(([, id]) => String(id));
    return referencesOf(inner);
  });
}
