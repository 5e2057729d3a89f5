/**
 * Provides a real browser for tests of pages: Debian's Chromium, which playwright-core controls. Without Chromium, each
 * test that needs it is skipped with a message. `.ci/run` installs the package `chromium-headless-shell`. It is Chromium without
 * windows, and opens a page with a sixth of the processor time. The package `chromium` serves, too.
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

const executablePath = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync);

/** How long an action in a page waits for what it needs. It ends a test that hangs, and says nothing about speed. */
const waitsAtMostMs = 180_000;

/** `test`, or a variant of `test.skip` that prints the name of each skipped test if Chromium is not installed. */
export const browserTest = executablePath === undefined ? skipped() : test;

function skipped(): typeof test {
  const announce = (name: string) =>
    process.stderr.write(
      `Skipped, because Chromium is not installed (apt-get install chromium-headless-shell): ${name}\n`,
    );
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
  /** Opens a page in a new browser context. It is closed with the browser. */
  open(options?: BrowserContextOptions): Promise<Page>;
  close(): Promise<void>;
}

/** Starts the browser. Without Chromium, the result can only be closed. */
export async function startBrowser(): Promise<TestBrowser> {
  let browser: Browser | undefined;
  if (executablePath !== undefined) {
    // The sandbox needs rights that root does not have in a container.
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  }
  const contexts: BrowserContext[] = [];
  return {
    open: async (options) => {
      if (!browser)
        throw new Error('Chromium is not installed. Run apt-get install chromium-headless-shell.');
      // A transition would show colors between two schemes.
      const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
      context.setDefaultTimeout(waitsAtMostMs);
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
const allRules = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};
/** The rules whose result depends on the color scheme. */
const colorRules = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

/**
 * Returns the accessibility violations that axe finds on the page, each as `<rule>: <element>`.
 * @param within a CSS selector of the part to examine. Default: the whole page.
 * @param onlyColors for a page that was examined with other colors
 */
export async function violationsOf(
  page: Page,
  { within = 'html', onlyColors = false } = {},
): Promise<string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.addScriptTag({ path: axePath });
  const { violations } = await page.evaluate(
    ([context, runOnly]) =>
      // biome-ignore lint/suspicious/noExplicitAny: the script above defines it in the browser
      (globalThis as any).axe.run(context, { runOnly, resultTypes: ['violations'] }),
    [within, onlyColors ? colorRules : allRules] as const,
  );
  return violations.flatMap(({ id, nodes }: { id: string; nodes: { target: string[] }[] }) =>
    nodes.map(({ target }) => `${id}: ${target.join(' ')}`),
  );
}
