/** Runs the functions of docs/operate/shell.sh in bash and zsh, with an AWS command line that knows the templates. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { repositoryRoot } from '../../infra/local/handler.ts';
import { isInstalled, type ShellName } from '../support/paste.ts';
import { type App, synthesize, type Template } from './template.ts';

const rule = 'AWS::Events::Rule';
const mapping = 'AWS::Lambda::EventSourceMapping';
let folder: string;
let app: App;
/** The stacks by name, as `describe-stacks` lists them. A nested stack has a name that begins with that of its parent. */
let stacks: Readonly<Record<string, Template>>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'remit-runbook-'));
  app = await synthesize({
    stage: 'prod',
    canary: 'true',
    backupRegion: 'eu-central-1',
    alarmEmail: 'on-call@example.com',
  });
  const [stateless, ...nested] = app.statelessParts;
  stacks = {
    'remit-prod-stateful': app.stateful,
    'remit-prod-stateless': stateless as Template,
    ...Object.fromEntries(nested.map((part, index) => [`remit-prod-stateless-Part${index}-1A2B`, part])),
    'remit-prod-canary': app.canary as Template,
    'remit-prod-dashboard': app.dashboard as Template,
    'remit-prod-backup': app.backup as Template,
    // Another installation, which must keep its work.
    'remit-shop2-prod-stateless': stateless as Template,
  };
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns `<stack>/<logical id>` of each resource of a type, which stands for its physical id. */
const idsOf = (type: string, of: readonly string[]) =>
  of.flatMap((name) =>
    Object.entries(stacks[name]?.Resources ?? {}).flatMap(([id, { Type }]) =>
      Type === type ? [`${name}/${id}`] : [],
    ),
  );

/**
 * An AWS command line that answers queries, and writes every other call to a file. A log line names the call that found it.
 * @param callsFile the file
 */
const commandLine = (callsFile: string) => String.raw`#!${process.execPath}
const { appendFileSync } = require('node:fs');
const stacks = ${JSON.stringify(
  Object.fromEntries(
    Object.entries(stacks).map(([name, { Resources }]) => [
      name,
      Object.entries(Resources).map(([id, { Type }]) => [id, Type]),
    ]),
  ),
)};
const words = process.argv.slice(2);
const valueOf = (option) => words[words.indexOf(option) + 1];
const hours = () => (Date.now() / 1000 - valueOf('--start-time').slice(0, 10)) / 3600;
const answers = {
  'describe-stacks': () => {
    const names = [...valueOf('--query').matchAll(/StackName=='([^']+)'/g)].map((match) => match[1]);
    return Object.keys(stacks).filter((name) => names.includes(name)).join('\t');
  },
  'list-stack-resources': () => {
    const name = valueOf('--stack-name');
    const [, type] = /ResourceType=='([^']+)'/.exec(valueOf('--query'));
    return stacks[name].filter((each) => each[1] === type).map(([id]) => name + '/' + id).join('\t');
  },
  'describe-log-groups': () =>
    ['sandbox', 'SweepLogs', 'CreateInvoiceLogs'].map((name) => valueOf('--log-group-name-pattern') + name).join('\n'),
  'filter-log-events': () =>
    [valueOf('--log-group-name'), valueOf('--filter-pattern'), Math.round(hours())].join('|'),
  'describe-query-definitions': () => {
    if (valueOf('--query').includes('logGroupNames')) return 'group1\tgroup2';
    if (valueOf('--query').includes('queryString')) return 'filter a = "b"\n| sort c';
    return valueOf('--query-definition-name-prefix') === 'remit-prod/failed requests' ? '1\t2' : '';
  },
  'start-query': () => {
    const groups = words.slice(words.indexOf('--log-group-names') + 1, words.indexOf('--query-string'));
    return [...groups, valueOf('--query-string'), Math.round(hours())].join('|').replaceAll(/\s/g, '_');
  },
  'get-query-results': () => (valueOf('--query') === 'status' ? 'Complete' : valueOf('--query-id')),
};
const answer = answers[words[1]];
if (answer) process.stdout.write(answer().replace(/.$/, '$&\n'));
else appendFileSync(${JSON.stringify(callsFile)}, words.join(' ') + '\n');
`;

/** Runs commands after the set-up. Returns the lines that they print, and their calls that change or describe something. */
function run(shell: ShellName, script: string): { printed: string[]; calls: string[] } {
  const [callsFile, program] = [join(folder, 'calls'), join(folder, 'aws')];
  writeFileSync(callsFile, '');
  writeFileSync(program, commandLine(callsFile));
  chmodSync(program, 0o700);
  const PATH = `${folder}:${process.env.PATH}`;
  const commands = `. docs/operate/shell.sh prod; ${script}`;
  // Bash takes a socket as its input for a remote login, and then runs the start-up file of the user.
  const out = execFileSync(shell, ['-ec', commands], {
    cwd: repositoryRoot,
    env: { ...process.env, PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed = [], calls = []] = [String(out), readFileSync(callsFile, 'utf8')].map((text) =>
    text.split('\n').filter(Boolean).sort(),
  );
  return { printed, calls };
}

describe.each(['bash', 'zsh'] as const)('in %s', (shell) => {
  const shellTest = isInstalled(shell) ? test : test.skip;

  shellTest(
    'background stops, starts and shows each rule and mapping of the deployment, and no other',
    () => {
      const own = Object.keys(stacks).filter((name) => name.startsWith('remit-prod-'));
      const [rules, mappings] = [idsOf(rule, own), idsOf(mapping, own)];
      expect([rules.length, mappings.length]).toEqual([4, 11]);
      const expected = (ruleCall: string, mappingCall: string, option: string) =>
        [
          ...rules.map((id) => `events ${ruleCall} --name ${id}`),
          ...mappings.map((id) => `lambda ${mappingCall} --uuid ${id}${option}`),
        ].sort();
      const update = 'update-event-source-mapping';
      expect(run(shell, 'background stop').calls).toEqual(expected('disable-rule', update, ' --no-enabled'));
      expect(run(shell, 'background start').calls).toEqual(expected('enable-rule', update, ' --enabled'));
      const shown = run(shell, 'background show').calls.map((call) => call.replace(/ --query .*/, ''));
      expect(shown).toEqual(expected('describe-rule', 'get-event-source-mapping', ''));
    },
  );

  shellTest('logs shows the lines of all functions, or of those with a text in their names', () => {
    const pattern = `'{ $.level = "ERROR" }'`;
    expect(run(shell, `logs ${pattern}`).printed).toEqual([
      'remit-prod-CreateInvoiceLogs|{ $.level = "ERROR" }|1',
      'remit-prod-SweepLogs|{ $.level = "ERROR" }|1',
      'remit-prod-sandbox|{ $.level = "ERROR" }|1',
    ]);
    expect(run(shell, `HOURS=24 logs ${pattern} Sweep`).printed).toEqual([
      'remit-prod-SweepLogs|{ $.level = "ERROR" }|24',
    ]);
  });

  shellTest('saved runs each part of a saved query', () => {
    const result = 'group1|group2|filter_a_=_"b"_|_sort_c|1';
    expect(run(shell, 'saved "failed requests"').printed).toEqual([result, result]);
  });
});
