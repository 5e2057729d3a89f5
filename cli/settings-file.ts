/**
 * Reads the settings file `remit.config.ts`, which has a section for each deployment, so that nobody types its settings by hand.
 * The variable `REMIT_CONFIG` names another file, or none if it is empty.
 */
import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setEnvironment } from '../infra/local/environment.ts';
import { deploymentName, foundSettings, type SettingsInput, stages } from '../infra/settings.ts';
import { CommandError, usageError } from './command.ts';

/** The settings of one deployment. */
export type DeploymentSettings = Omit<SettingsInput, 'stage' | 'name' | (typeof foundSettings)[number]> & {
  /** The AWS region of the deployment. It needs no variable and no `--region` then. */
  readonly region?: string | undefined;
};

/** The settings file: a section for each stage, and one for each further installation, such as `shop2-prod`. */
export type RemitConfig = Readonly<
  Partial<Record<(typeof stages)[number] | `${string}-${(typeof stages)[number]}`, DeploymentSettings>>
>;

/** A section that was read. Its settings are not validated yet. */
export interface SettingsSection {
  /** The name of the section, for example `prod`. */
  readonly name: string;
  /** The name of the file without its folders. */
  readonly file: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly region: string | undefined;
  /** Returns the text that names a setting of the section, for example `waf of prod in remit.config.ts`. */
  readonly label: (setting: string) => string;
}

const defaultFile = resolve(import.meta.dirname, '..', 'remit.config.ts');
const sectionPattern = new RegExp(`^([a-z][a-z0-9-]{0,19}-)?(${stages.join('|')})$`);
/** What the name of the section and `npm run deploy` decide. */
const refused: readonly string[] = ['stage', 'name', ...foundSettings];

/**
 * Reads the section of a deployment.
 * @returns undefined if there is no file, or no section of the deployment in it
 * @throws CommandError if the file cannot be loaded, or if a name or the region in it is wrong
 */
export async function readSettingsSection(
  deployment: Parameters<typeof deploymentName>[0],
): Promise<SettingsSection | undefined> {
  const { REMIT_CONFIG } = process.env;
  const path = resolve(REMIT_CONFIG ?? defaultFile);
  if (REMIT_CONFIG === '' || (REMIT_CONFIG === undefined && !existsSync(path))) return undefined;
  const file = basename(path);
  const config = await load(path);
  const unknown = Object.keys(config).find((name) => !sectionPattern.test(name));
  if (unknown !== undefined)
    throw usageError(
      `The section ${unknown} of ${file} names no deployment. Name it ${stages.join(', ')}, or like shop2-prod for the installation shop2.`,
    );
  const name = deploymentName(deployment);
  const section = config[name];
  if (section === undefined) return undefined;
  const label = (setting: string) => `${setting} of ${name} in ${file}`;
  if (typeof section !== 'object' || section === null)
    throw usageError(`The section ${name} of ${file} must be an object with settings.`);
  const { region, ...settings } = section as Record<string, unknown>;
  const own = refused.find((each) => settings[each] !== undefined);
  if (own !== undefined)
    throw usageError(
      `${label(own)} is not a setting of the file. Remove it: ${own === 'stage' || own === 'name' ? 'the section has its name' : 'npm run deploy finds it out'}.`,
    );
  return { name, file, settings, region: requireRegion(region, label('region')), label };
}

/**
 * Selects the region of a section for the AWS SDK and the CDK.
 * @throws CommandError (usage) if the environment has another region
 */
export function selectRegionOf({ region, label }: SettingsSection): void {
  if (region === undefined) return;
  for (const variable of ['AWS_REGION', 'AWS_DEFAULT_REGION']) {
    const value = process.env[variable];
    if (value && value !== region)
      throw usageError(
        `${variable} is ${value}, but ${label('region')} is ${region}. Unset ${variable}, or correct the file.`,
      );
  }
  setEnvironment({ AWS_REGION: region });
}

async function load(path: string): Promise<Readonly<Record<string, unknown>>> {
  let loaded: { default?: unknown };
  try {
    loaded = await import(pathToFileURL(path).href);
  } catch (error) {
    throw new CommandError(`${path} cannot be loaded: ${(error as Error).message}. Correct the file.`);
  }
  const { default: config } = loaded;
  if (typeof config === 'object' && config !== null) return config as Record<string, unknown>;
  throw usageError(
    `${path} has no settings. Write export default { prod: { … } }, as docs/operate/deploying.md shows.`,
  );
}

function requireRegion(region: unknown, label: string): string | undefined {
  if (region === undefined || (typeof region === 'string' && /^[a-z]{2}(-[a-z]+)+-\d$/.test(region)))
    return region;
  throw usageError(`${label} must be an AWS region like eu-west-1. Its value is ${JSON.stringify(region)}.`);
}
