/** Runs the commands of docs/operate/maintenance-and-restore.md that stop and start the background work, with an AWS command line that knows the templates. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
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

/** An AWS command line that answers the two queries of the runbook, and writes every other call to a file. */
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
if (words[1] === 'describe-stacks') {
  const prefixes = [...valueOf('--query').matchAll(/starts_with[(]StackName,'([^']+)'[)]/g)].map((match) => match[1]);
  console.log(Object.keys(stacks).filter((name) => prefixes.some((prefix) => name.startsWith(prefix))).join('\t'));
} else if (words[1] === 'list-stack-resources') {
  const name = valueOf('--stack-name');
  const [, type] = /ResourceType=='([^']+)'/.exec(valueOf('--query'));
  const ids = stacks[name].filter((each) => each[1] === type).map(([id]) => name + '/' + id);
  if (ids.length > 0) console.log(ids.join('\t'));
} else appendFileSync(${JSON.stringify(callsFile)}, words.join(' ') + '\n');
`;

/** Returns the code blocks of the section about maintenance that name rules: the first stops the work, the next starts it. */
function commands(): readonly string[] {
  const text = readFileSync('docs/operate/maintenance-and-restore.md', 'utf8');
  const section = text.slice(text.indexOf('## Put the service in maintenance')).split('\n## ')[0] ?? '';
  return [...section.matchAll(/```sh\n(.*?)```/gs)]
    .map(([, code = '']) => code)
    .filter((code) => /RULES/.test(code));
}

/** Runs commands, and returns the other calls to AWS. */
function run(script: string): string[] {
  const [callsFile, program] = [join(folder, 'calls'), join(folder, 'aws')];
  writeFileSync(callsFile, '');
  writeFileSync(program, commandLine(callsFile));
  chmodSync(program, 0o700);
  const PATH = `${folder}:${process.env.PATH}`;
  execFileSync('bash', ['-euc', script], { env: { ...process.env, PATH }, stdio: 'pipe' });
  return readFileSync(callsFile, 'utf8').split('\n').filter(Boolean).sort();
}

test('the commands of the runbook stop and start every rule and mapping of the deployment, and no other', () => {
  const [stop = '', start = ''] = commands();
  const own = Object.keys(stacks).filter((name) => name.startsWith('remit-prod-'));
  const [rules, mappings] = [idsOf(rule, own), idsOf(mapping, own)];
  expect([rules.length, mappings.length]).toEqual([4, 8]);
  const expected = (ruleCall: string, option: string) =>
    [
      ...rules.map((id) => `events ${ruleCall} --name ${id}`),
      ...mappings.map((id) => `lambda update-event-source-mapping --uuid ${id} ${option}`),
    ].sort();
  expect(run(stop)).toEqual(expected('disable-rule', '--no-enabled'));
  const find = stop.slice(0, stop.indexOf('for ID in'));
  expect(run(find + start)).toEqual(expected('enable-rule', '--enabled'));
});
