/**
 * Names the output of the stateless stack that has the settings of a deployment. The next deployment compares its own settings with them,
 * so the output has no setting that a deployment finds out itself.
 */
import { isDeepStrictEqual } from 'node:util';
import { foundSettings, parseSettings, type Settings, settingNames } from './settings.ts';

export const settingsOutput = 'Settings';

/** The settings that name the deployment, and one that `npm run deploy` finds out unless somebody sets it. */
const leftOut: readonly string[] = ['stage', 'name', 'gatewayLogRole', ...foundSettings];

/** Returns the settings that differ from the defaults of the stage, by name. */
export function chosenSettings(settings: Settings): Record<string, unknown> {
  const defaults = parseSettings({ stage: settings.stage });
  const chosen = settingNames.filter(
    (name) => !leftOut.includes(name) && !isDeepStrictEqual(settings[name], defaults[name]),
  );
  return Object.fromEntries(chosen.map((name) => [name, settings[name]]));
}
