/** Renders and reads the choice of a version of the API, in the forms of API keys and webhook endpoints. */
import { html } from 'hono/html';
import { env } from '../../../base/env.ts';
import {
  type ApiVersion,
  apiVersions,
  findApiVersion,
  newestApiVersion,
} from '../../../domain/versions/versions.ts';
import type { Markup } from '../../pages/markup.ts';
import { renderSelect } from '../forms.ts';
import { type FieldErrors, lineOf, type ValidatedFields } from './form-fields.ts';

const name = 'apiVersion';

export const versionTexts = {
  label: 'API version',
  newest: (version: string) => `${version} (newest)`,
  message: `API version must be one of ${apiVersions.join(', ')}.`,
  /** What each version adds. A version only adds. */
  adds: 'Version 2026-11-23 adds your own data (metadata and reference), filters of lists, and former values in events. It removes nothing.',
  key: 'The form of answers to requests that name no version.',
  endpoint:
    'The form of the events that the endpoint gets. Set the version for which your server is written.',
  changes: 'What each version adds, and how to move',
} as const;

/** Renders the choice. A form without a version of its own proposes the newest. @param hint what the version means */
export function renderVersionField(
  fields: URLSearchParams,
  errors: FieldErrors,
  hint: typeof versionTexts.key | typeof versionTexts.endpoint,
): Markup {
  const choices = apiVersions
    .map(
      (version) => [version, version === newestApiVersion ? versionTexts.newest(version) : version] as const,
    )
    .toReversed();
  const field = {
    name,
    label: versionTexts.label,
    value: fields.get(name) ?? newestApiVersion,
    choices,
    hint: `${hint} ${versionTexts.adds}`,
    error: errors[name],
  };
  return html`${renderSelect(field)}<p class="hint"><a href="${env.baseUrl()}/docs/changes">${versionTexts.changes}</a></p>`;
}

/** Reads the choice. */
export function readVersionField(
  fields: URLSearchParams,
): ValidatedFields<{ readonly apiVersion: ApiVersion }> {
  const apiVersion = findApiVersion(lineOf(fields, name));
  if (!apiVersion) return { ok: false, errors: { [name]: versionTexts.message } };
  return { ok: true, output: { apiVersion } };
}
