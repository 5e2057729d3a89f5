/**
 * Builds the Go module: `node client-go/build.ts FOLDER` writes its archive to the folder.
 *
 * - The types and the requests are generated from the OpenAPI document. They are in no commit.
 * - It needs Go 1.26 and its module proxy. Without Go, it says so and writes nothing.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { clientMethods } from '../client/methods.ts';
import { pinnedApiVersion } from '../client/src/pinned-api-version.ts';
import { openApiDocument } from '../shared/api/openapi/document.ts';
import { servedDocument } from '../shared/api/openapi/served-document.ts';
import { routes } from '../shared/api/routes.ts';
import { goGenerator } from './generator.ts';
import { goResources } from './resources.ts';

const directory = import.meta.dirname;
const outdir = resolve(process.argv[2] ?? '.');

if (hasGo()) await build();
else process.stderr.write('The Go client is not built, because Go is not installed.\n');

function hasGo(): boolean {
  try {
    execFileSync('go', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function build(): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(directory, '..', 'package.json'), 'utf8'));
  const folder = mkdtempSync(join(tmpdir(), 'remit-go-'));
  const name = `remit-go-${version}`;
  const module = join(folder, name);
  const run = (command: string, ...args: readonly string[]) =>
    execFileSync(command, args, { cwd: module, stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    mkdirSync(join(module, 'api'), { recursive: true });
    for (const file of readdirSync(directory))
      if (/^LICENSE$|(?<!_test)\.(go|mod|sum|md)$/.test(file))
        cpSync(join(directory, file), join(module, file));
    const document = servedDocument(openApiDocument(routes));
    const input = join(folder, 'openapi.json');
    writeFileSync(input, JSON.stringify(document));
    // It prunes schemas that only messages refer to, but still generates the messages.
    const generate = ['-generate', 'types,client,skip-prune', '-package', 'api', '-o', 'api/api.go'];
    run('go', 'run', goGenerator, ...generate, input);
    const resources = goResources(document, await clientMethods(document), pinnedApiVersion);
    writeFileSync(join(module, 'resources.go'), resources);
    run('gofmt', '-w', 'resources.go');
    run('go', 'build', './...');
    run('tar', '-czf', join(outdir, `${name}.tar.gz`), '-C', folder, name);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
