/** The commands of the documents do what the text says when a reader pastes them into an interactive bash or zsh. */
import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { repositoryRoot } from '../../infra/local/handler.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { invoiceBody, newAccount, type TestAccount } from '../support/api.ts';
import { interactiveFaults } from '../support/interactive-shell.ts';
import { listenOnLoopback } from '../support/loopback-server.ts';
import { isInstalled, type Pasted, paste, type ShellName, shellBlocks } from '../support/paste.ts';
import { startTestStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';

/** The commands of the other pages need the set-up of the shell, which lets zsh take comments. */
const documents = globSync(
  ['README.md', 'client/README.md', '{cli,infra}-package/README.md', 'docs/**/*.md'],
  {
    cwd: repositoryRoot,
  },
).filter(
  (file) => !/#set-up-the-shell|^## Set up the shell/m.test(readFileSync(join(repositoryRoot, file), 'utf8')),
);

describe('the rules of interactive shells', () => {
  test.each(documents)('%s follows them', (file) => {
    expect(shellBlocks(file).flatMap(interactiveFaults)).toEqual([]);
  });

  test.each([
    ['echo a # comment', 'zsh takes no comments'],
    ['echo "a!"', 'the history replaces !'],
    ["echo the shop's name", "' has no partner"],
    ['curl $API/api/invoices?limit=1', 'zsh refuses a command with ? if it matches no file'],
    ['echo a[0]', 'zsh refuses a command with [ if it matches no file'],
    ['echo =ls', 'zsh replaces =word by the path of a command'],
    ['status=1', 'zsh keeps the variable status for itself'],
    ['remit show <id>', 'a shell reads from the file in <>'],
    ['echo a \\ \necho b', 'a blank follows the backslash at the end of the line'],
  ])('%s breaks one', (block, fault) => {
    expect(interactiveFaults(block)).toEqual([expect.stringContaining(fault)]);
  });

  test('quoted texts break none', () => {
    expect(
      interactiveFaults(`curl "$API?a=1&b=[2]" -d '{"a":"#! \\\\"}' \\\n  -d "{\\"a\\":\\"b\\"}"; echo a=b`),
    ).toEqual([]);
  });
});

let stack: Stack;
let account: TestAccount;
/** Where the reader works: it has the file that tells the commands where the stack is, and `npx remit`. */
let folder: string;
beforeAll(async () => {
  stack = await startTestStack();
  account = await newAccount(stack.baseUrl);
  folder = await mkdtemp(join(tmpdir(), 'remit-reader-'));
  await mkdir(join(folder, '.local'));
  await mkdir(join(folder, 'bin'));
  const description = { baseUrl: stack.baseUrl, keys: { test: account.test.apiKey } };
  await writeFile(join(folder, '.local', 'stack.json'), JSON.stringify(description));
  const npx = `#!/bin/sh\nshift\nexec "${process.execPath}" "${repositoryRoot}/cli/remit.ts" "$@"\n`;
  await writeFile(join(folder, 'bin', 'npx'), npx, { mode: 0o755 });
  await symlink(join(repositoryRoot, 'node_modules'), join(folder, 'node_modules'));
});
afterAll(async () => {
  await stack?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

const pasteHere = (shell: ShellName, blocks: readonly string[]): Promise<Pasted> =>
  paste(shell, blocks.join('\n'), {
    cwd: folder,
    env: {
      PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
      INIT_CWD: folder,
      REMIT_URL: stack.baseUrl,
      REMIT_API_KEY: account.test.apiKey,
    },
  });

const missing = ['curl', 'bash', 'zsh'].filter((program) => !isInstalled(program));
for (const program of missing) {
  process.stderr.write(
    `Skipped the commands that need ${program}: it is not installed (apt-get install ${program}). Their form is checked.\n`,
  );
}

describe.each(['bash', 'zsh'] as const)('in %s', (shell) => {
  const shellTest = missing.some((program) => program === shell || program === 'curl') ? test.skip : test;

  shellTest('the tour works, also when it is pasted again', async () => {
    const tour = shellBlocks('README.md', 'Tour');
    for (const time of ['first', 'second']) {
      const { requests, errors, out } = await pasteHere(shell, tour);
      expect({ time, errors }).toEqual({ time, errors: '' });
      const steps = requests.map((request) => request.replace(/inv_\w+/, 'ID'));
      expect(steps).toEqual([
        'POST /api/invoices 201',
        'GET /api/invoices/ID 200',
        'PATCH /api/invoices/ID 200',
        'GET /api/invoices?status=pending&customerId=dorji@example.bt&limit=5 200',
        'POST /api/payments 201',
        'POST /api/refunds 201',
        'GET /api/refunds?invoiceId=ID 200',
        'GET /api/events?limit=5 200',
        'DELETE /api/invoices/ID 400',
        'GET /api/invoices?limit=500 400',
        'POST /api/invoices 201',
      ]);
      const answers = out.split('\n').filter((line) => line.startsWith('{'));
      const [retrieved, updated, list, refund, refunds, , paid, limit] = answers.map((line) =>
        JSON.parse(line),
      );
      expect([retrieved.status, updated.amount, refund.amount]).toEqual(['pending', 260_000, 10_000]);
      expect(list.data).toContainEqual(expect.objectContaining({ id: retrieved.id, amount: 260_000 }));
      expect(refunds.data).toEqual([expect.objectContaining({ id: refund.id })]);
      expect([paid.error.code, limit.error.field]).toEqual(['invoice_already_paid', 'limit']);
      expect(out).toContain(`${stack.baseUrl}/pay/inv_`);
      expect(out.trimEnd().endsWith(`${stack.baseUrl}/docs ${stack.baseUrl}/openapi.json`)).toBe(true);
    }
  });

  shellTest('the commands of the command line work', async () => {
    const blocks = ['API commands', 'Accounts and keys'].flatMap((heading) =>
      shellBlocks('docs/use/cli.md', heading),
    );
    const { out, errors } = await pasteHere(shell, ["trap 'echo FAILED' ERR", ...blocks]);
    expect(out.includes('FAILED') ? errors : '').toBe('');
    expect(out).toContain('203.0.113.0/24');
  });

  shellTest('a webhook endpoint is registered, and its receiver verifies messages', async () => {
    const reserved = await listenOnLoopback(createServer());
    await reserved.close();
    const { port } = new URL(reserved.endpoint);
    const atPort = (text: string) => text.replaceAll('4000', port);
    const [setup = ''] = shellBlocks('README.md', 'Tour');
    const [register = ''] = shellBlocks('docs/use/webhooks.md', 'Register an endpoint');
    const [start = '', remove = ''] = shellBlocks('docs/use/webhooks.md', 'Receive messages');
    const show = 'printf "%s\\n" "$WEBHOOK_ID" "$WEBHOOK_SECRET"\n';
    const registered = await pasteHere(shell, [setup, atPort(register), show]);
    expect(registered.requests).toEqual(['POST /api/webhooks 201']);
    const [endpoint = '', secret = ''] = registered.out.trim().split('\n');
    const [, program = ''] =
      /^```js receiver\.mjs\n([\s\S]*?)^```$/m.exec(
        readFileSync(join(repositoryRoot, 'docs/use/webhooks.md'), 'utf8'),
      ) ?? [];
    await writeFile(join(folder, 'receiver.mjs'), atPort(program));
    expect(start).toBe('node receiver.mjs\n');
    const receiver = spawn(process.execPath, ['receiver.mjs'], {
      cwd: folder,
      env: { ...process.env, WEBHOOK_SECRET: secret },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      let received = '';
      receiver.stdout.on('data', (chunk) => {
        received += chunk;
      });
      await waitUntil('the receiver listens', () => fetch(`http://localhost:${port}`));
      const { json: invoice } = await account.test.post('/api/invoices', invoiceBody());
      await waitUntil('the event', () => received.includes(`invoice.created ${invoice.id}`));
    } finally {
      receiver.kill();
    }
    const removed = await pasteHere(shell, [setup, `WEBHOOK_ID=${endpoint}`, remove]);
    expect(removed.requests).toEqual([`DELETE /api/webhooks/${endpoint} 200`]);
  });
});
