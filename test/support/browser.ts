/**
 * A real browser for tests of pages: Debian's Chromium, driven by playwright-core. Where there is none, the tests that
 * need one are skipped, by name; `.ci/run` installs it.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from '@jest/globals';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);

/** `test`, or `test.skip` if this machine has no browser, which then is said of each by name. */
export const browserTest = executablePath === undefined ? skipped() : test;

function skipped(): typeof test {
  const announce = (name: string) =>
    process.stderr.write(`skipped, as there is no Chromium (apt-get install chromium): ${name}\n`);
  const skip = (name: string, run: () => void) => {
    announce(name);
    test.skip(name, run);
  };
  skip.each = (rows: readonly unknown[]) => (name: string, run: () => void) => {
    announce(name);
    test.skip.each(rows)(name, run);
  };
  return skip as unknown as typeof test;
}

export interface TestBrowser {
  /** A page of a browser context of its own; closed with the browser. */
  open(options?: BrowserContextOptions): Promise<Page>;
  close(): Promise<void>;
}

/** Starts the browser; if there is none, what is returned can only be closed. */
export async function startBrowser(): Promise<TestBrowser> {
  let browser: Browser | undefined;
  if (executablePath !== undefined) {
    // The sandbox needs rights that root in a container does not have.
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  }
  const contexts: BrowserContext[] = [];
  return {
    open: async (options) => {
      if (!browser) throw new Error('There is no browser on this machine.');
      const context = await browser.newContext(options);
      contexts.push(context);
      return context.newPage();
    },
    close: async () => {
      await Promise.all(contexts.map((context) => context.close()));
      await browser?.close();
    },
  };
}

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What axe finds wrong with the page as it is shown, each as `<rule>: <where>`; none is as it should be. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: axePath });
  const { violations } = await page.evaluate(
    (values) =>
      // biome-ignore lint/suspicious/noExplicitAny: what the script has just defined in the browser
      (globalThis as any).axe.run({ runOnly: { type: 'tag', values } }),
    rules,
  );
  return violations.flatMap(({ id, nodes }: { id: string; nodes: { target: string[] }[] }) =>
    nodes.map(({ target }) => `${id}: ${target.join(' ')}`),
  );
}
