/** Lists the clients that `check.ts` generates: with which commands, and which tools they need. */

import { goGenerator } from '../../client-go/generator.ts';
import { pythonGenerator } from '../../client-python/generator.ts';
import type { ProxyFault } from '../client/flaky-proxy.ts';

/** The two newest releases of openapi-generator. */
const releases = ['7.24.0', '7.25.0'] as const;

export interface Target {
  readonly name: string;
  /** The folder with the program that uses the client. Undefined: the client is only generated and compiled. */
  readonly program?: string;
  /** What happens to the first requests to `REMIT_FLAKY_URL`. Later ones pass. */
  readonly faults?: readonly ProxyFault[];
  /** The version command of each tool that must be installed. Without one of them, the target is skipped. */
  readonly tools: readonly string[];
  /** Shell commands, executed in a folder that contains the program and `openapi.json`. `JARS` is the folder of generators. */
  readonly commands: readonly string[];
}

const fromMaven = (release: string) =>
  `mvn -q -B dependency:copy -Dartifact=org.openapitools:openapi-generator-cli:${release} -DoutputDirectory="$JARS"`;

/** Returns the commands that generate a client into a folder with a release of openapi-generator. */
const generate = (release: string, language: string, folder: string, properties = '') => [
  `test -f "$JARS/openapi-generator-cli-${release}.jar" || ${fromMaven(release)}`,
  `java -Xmx700m -jar "$JARS/openapi-generator-cli-${release}.jar" generate -g ${language} -i openapi.json -o ${folder}${properties && ` --additional-properties=${properties}`} > generator.log 2>&1 || (tail -20 generator.log; false)`,
];

const java = ['java -version', 'mvn --version'];

const openApiGenerator = (release: string): readonly Target[] => [
  {
    name: `openapi-generator ${release} python`,
    program: 'openapi-python',
    tools: [...java, 'python3 --version'],
    commands: [
      ...generate(release, 'python', '.'),
      'python3 -m venv venv && venv/bin/pip install --quiet -r requirements.txt',
      'venv/bin/python -m compileall -q openapi_client',
      'venv/bin/python main.py',
    ],
  },
  {
    name: `openapi-generator ${release} go`,
    program: 'openapi-go',
    tools: [...java, 'go version'],
    commands: [
      ...generate(release, 'go', 'remit', 'packageName=remit,withGoMod=false'),
      'rm -rf remit/test && go mod init example.com/generated && go mod tidy',
      // The generated package has unreachable code, which only `go vet` refuses.
      'go vet . && go run .',
    ],
  },
  {
    name: `openapi-generator ${release} java`,
    program: 'java',
    tools: java,
    commands: [`mvn -q -B compile exec:java -Dgenerator.release=${release}`],
  },
  {
    name: `openapi-generator ${release} rust`,
    program: 'rust',
    tools: [...java, 'cargo --version'],
    commands: [...generate(release, 'rust', 'remit', 'packageName=remit'), 'cargo run --quiet'],
  },
  {
    name: `openapi-generator ${release} typescript-fetch`,
    program: 'typescript',
    tools: java,
    commands: [
      ...generate(release, 'typescript-fetch', 'remit', 'importFileExtension=.js'),
      // In this repository, a program that imports a client which is not generated yet would not compile.
      'mv main.txt main.ts && ln -s "$MODULES" node_modules && tsc -p . && node built/main.js',
    ],
  },
  {
    name: `openapi-generator ${release} kotlin`,
    tools: [...java, 'gradle --version'],
    commands: [...generate(release, 'kotlin', 'remit'), 'gradle -q -p remit compileKotlin'],
  },
  {
    name: `openapi-generator ${release} csharp`,
    tools: [...java, 'dotnet --version'],
    commands: [
      ...generate(release, 'csharp', 'remit'),
      'dotnet build --nologo -v quiet remit/src/Org.OpenAPITools',
    ],
  },
  {
    name: `openapi-generator ${release} php`,
    tools: [...java, 'php --version'],
    commands: [
      ...generate(release, 'php', 'remit'),
      'find remit/lib -name "*.php" -print0 | xargs -0 -n1 php -l > lint.log',
    ],
  },
  {
    name: `openapi-generator ${release} ruby`,
    tools: [...java, 'ruby --version'],
    commands: [
      ...generate(release, 'ruby', 'remit'),
      'find remit/lib -name "*.rb" -print0 | xargs -0 -n1 ruby -c > lint.log',
    ],
  },
];

const unavailable = { status: 503, body: 'Service Unavailable' };
const tooMany = { status: 429, headers: { 'retry-after': '1' } };
const malformed = { status: 200, headers: { 'content-type': 'application/json' }, body: '{"data":[' };
/** Two attempts of a write fail, then two of another write, then one to read a list. */
const faults = ['lose', unavailable, 'pass', 'cut', tooMany, 'pass', malformed] as const;

/** The own clients. Their packages are built, installed, tested and used. */
const ownClients: readonly Target[] = [
  {
    name: 'python-client',
    program: 'python-client',
    faults,
    tools: ['python3 -c "import sys; assert sys.version_info >= (3, 11)"'],
    commands: [
      'node "$REPOSITORY/client-python/build.ts" .',
      'python3 -m venv venv && venv/bin/pip install --quiet ./remit_client-*.whl mypy',
      'venv/bin/python -m unittest discover --start-directory "$REPOSITORY/client-python/tests"',
      'venv/bin/mypy --strict main.py readme.py',
      'venv/bin/python readme.py > printed.txt && diff printed.txt expected.txt',
      'venv/bin/python main.py',
    ],
  },
  {
    name: 'go-client',
    program: 'go-client',
    faults,
    tools: ['go version'],
    commands: [
      'node "$REPOSITORY/client-go/build.ts" . && mkdir remit readme && tar -xzf remit-go-*.tar.gz -C remit --strip-components 1',
      'cp "$REPOSITORY"/client-go/*_test.go remit && cd remit && test -z "$(gofmt -l .)" && go vet . && go test .',
      'mv readme.go readme/main.go && go mod init example.com/use && go mod edit -replace remit.example/remit=./remit && go mod tidy',
      'go vet . ./readme',
      'go run ./readme > printed.txt && diff printed.txt expected.txt',
      'go run .',
    ],
  },
];

/** All clients, in the order in which they are checked. */
export const targets: readonly Target[] = [
  ...ownClients,
  {
    name: 'openapi-python-client',
    program: 'python',
    tools: ['python3 --version'],
    commands: [
      'python3 -m venv venv',
      `venv/bin/pip install --quiet ${pythonGenerator.requirement} httpx attrs python-dateutil`,
      'PATH="$PWD/venv/bin:$PATH" openapi-python-client generate --path openapi.json --config config.yml --output-path remit --meta none --fail-on-warning',
      'venv/bin/python main.py',
    ],
  },
  {
    name: 'oapi-codegen',
    program: 'go',
    tools: ['go version'],
    commands: [
      'go mod init example.com/generated',
      // It prunes schemas that only messages refer to, but still generates the messages.
      `go run ${goGenerator} -generate types,client,skip-prune -package main -o client.go openapi.json`,
      'go mod tidy',
      'go run .',
    ],
  },
  {
    name: 'datamodel-codegen',
    program: 'datamodel',
    tools: ['python3 --version'],
    commands: [
      'python3 -m venv venv && venv/bin/pip install --quiet datamodel-code-generator pydantic',
      'venv/bin/datamodel-codegen --input openapi.json --input-file-type openapi --output remit.py --output-model-type pydantic_v2.BaseModel --formatters builtin',
      'venv/bin/python main.py',
    ],
  },
  {
    name: 'postman',
    program: 'postman',
    tools: ['npm --version'],
    commands: ['npm install --silent --no-audit --no-fund openapi-to-postmanv2@6', 'node main.cjs'],
  },
  ...releases.flatMap(openApiGenerator),
];
