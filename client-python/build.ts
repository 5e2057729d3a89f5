/**
 * Builds the Python package: `node client-python/build.ts FOLDER` writes the wheel to the folder.
 *
 * - The models and the operations are generated from the OpenAPI document. They are in no commit.
 * - It needs Python 3.11 and PyPI. Without Python, it says so and writes nothing.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { clientMethods } from '../client/methods.ts';
import { pinnedApiVersion } from '../client/src/pinned-api-version.ts';
import { openApiDocument } from '../shared/api/openapi/document.ts';
import { servedDocument } from '../shared/api/openapi/served-document.ts';
import { routes } from '../shared/api/routes.ts';
import { pythonGenerator } from './generator.ts';

const directory = import.meta.dirname;
const outdir = resolve(process.argv[2] ?? '.');

if (hasPython()) await build();
else
  process.stderr.write('The Python client is not built, because python3 3.11 or later is not installed.\n');

function hasPython(): boolean {
  try {
    execFileSync('python3', ['-c', 'import sys; assert sys.version_info >= (3, 11)'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function build(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'remit-python-'));
  const bin = join(folder, 'venv', 'bin');
  // The generator formats its code with a tool of its own environment.
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
  const run = (command: string, args: readonly string[], input = '') =>
    execFileSync(command, args, { cwd: folder, env, input, stdio: ['pipe', 'ignore', 'inherit'] });
  try {
    for (const name of ['LICENSE', 'README.md', 'pyproject.toml', 'remit'])
      cpSync(join(directory, name), join(folder, name), { recursive: true });
    writeFileSync(join(folder, 'VERSION'), versionOf());
    const document = servedDocument(openApiDocument(routes));
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
    writeFileSync(join(folder, 'config.json'), JSON.stringify(pythonGenerator.config));
    run('python3', ['-m', 'venv', 'venv']);
    run('pip', ['install', '--quiet', pythonGenerator.requirement]);
    const generated = join(folder, 'remit', '_generated');
    run('openapi-python-client', [
      ...['generate', '--path', 'openapi.json', '--config', 'config.json'],
      ...['--output-path', generated, '--meta', 'none', '--fail-on-warning'],
    ]);
    writeFileSync(join(generated, 'api_version.py'), `API_VERSION = "${pinnedApiVersion}"\n`);
    const methods = JSON.stringify(await clientMethods(document));
    run('python', [join(directory, 'write_resources.py'), generated], methods);
    run('pip', ['wheel', '--quiet', '--no-deps', '--wheel-dir', outdir, '.']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the version of the project by PEP 440: `1.0.0rc6` for `1.0.0-rc.6`. */
function versionOf(): string {
  const { version } = JSON.parse(readFileSync(join(directory, '..', 'package.json'), 'utf8'));
  return `${version.replace(/-rc\.(?=\d+$)/, 'rc')}\n`;
}
