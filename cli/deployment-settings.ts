/**
 * Puts the settings of a deployment together, and compares them with those of the deployment that runs.
 *
 * - An option replaces the setting of the file. A setting that is in neither has its default. What is deployed decides nothing, so the same
 *   file and options always deploy the same.
 * - Each difference to what is deployed is named before anything happens.
 */
import { isDeepStrictEqual } from 'node:util';
import { parseSettings, type Settings, SettingsError, stackNameOf } from '../infra/settings.ts';
import { chosenSettings, settingsOutput } from '../infra/settings-output.ts';
import { usageError } from './command.ts';
import { readSettingsSection, selectRegionOf } from './settings-file.ts';
import { readDeployedStack } from './stack-outputs.ts';

type Given = Readonly<Record<string, unknown>>;
/** Returns the option of a setting, for example `--alarm-email`. */
type OptionOf = (setting: string) => string;

/**
 * Adds the settings of the file to those of the options, and selects the region of the file.
 * @throws CommandError (usage) if a setting is wrong. The message names the option, or the setting with its section of the file.
 */
export async function withSettingsFile(options: Given, optionOf: OptionOf): Promise<Given> {
  const { stage, name } = validate({ stage: options.stage, name: options.name }, optionOf);
  const section = await readSettingsSection({ stage, name });
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  if (!section) {
    validate(given, optionOf);
    return given;
  }
  const settings = { ...section.settings, ...given };
  validate(settings, (setting) => (setting in given ? optionOf(setting) : section.label(setting)));
  selectRegionOf(section);
  const names = Object.keys(section.settings).join(', ');
  process.stderr.write(`Settings of ${section.name} in ${section.file}: ${names || 'none'}\n`);
  return settings;
}

/** Writes on standard error which settings differ from those of the deployment that runs. */
export async function reportChangedSettings(given: Given, optionOf: OptionOf): Promise<void> {
  const settings = parseSettings(given);
  const deployed = await readDeployedSettings(settings);
  if (deployed === undefined) return;
  const chosen = chosenSettings(settings);
  const changed = [...new Set([...Object.keys(deployed), ...Object.keys(chosen)])]
    .filter((name) => !isDeepStrictEqual(deployed[name], chosen[name]))
    .map((name) => `  ${optionOf(name)}: ${textOf(deployed[name])} → ${textOf(chosen[name])}\n`);
  if (changed.length > 0)
    process.stderr.write(`These settings differ from those that are deployed:\n${changed.join('')}`);
}

const textOf = (value: unknown) =>
  value === undefined ? 'default' : typeof value === 'string' ? value : JSON.stringify(value);

/** Returns undefined if nothing is deployed, if it has no such output, or if the credentials may not read it. */
async function readDeployedSettings(settings: Settings): Promise<Given | undefined> {
  try {
    const stack = await readDeployedStack(stackNameOf(settings, 'stateless'));
    const text = stack?.outputs[settingsOutput];
    return text === undefined ? undefined : JSON.parse(text);
  } catch (error) {
    if (/^AccessDenied/.test((error as Error).name)) return undefined;
    throw error;
  }
}

function validate(given: Given, label: OptionOf): Settings {
  try {
    return parseSettings(given, label);
  } catch (error) {
    throw error instanceof SettingsError ? usageError(error.message) : error;
  }
}
