/** Reads the option `--api-version`. A file of its own, so that the package of the command line needs no parser of addresses. */
import { type ApiVersion, apiVersions } from '../shared/domain/versions/versions.ts';
import { type ParsedOptions, parseChoice } from './command.ts';

/** Returns the version that the option names. @throws CommandError (usage) if the API does not have it */
export function readApiVersion(options: ParsedOptions): ApiVersion | undefined {
  const version = options.optional('api-version');
  return version === undefined ? undefined : parseChoice('api-version', version, apiVersions);
}
