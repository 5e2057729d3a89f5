/** Keeps the mails that the double of SES has accepted: in memory, and as `.eml` files that stay after a restart. */
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Email } from 'postal-mime';
import type { Instant } from '../../../shared/base/time.ts';

/** A mail to keep. */
interface NewMail {
  readonly messageId: string;
  readonly at: Instant;
  readonly source: Buffer;
  /** SES would not send it, because its address is on the suppression list. */
  readonly isSuppressed: boolean;
}

/** More files than this slow the page down, which shows the newest ones. */
const maxShown = 200;
const suffix = { sent: '.eml', suppressed: '.suppressed.eml' } as const;
const fileName = /^\d{15}-[0-9a-f-]+(\.suppressed)?\.eml$/;

export class MailFiles {
  readonly #directory: string | undefined;
  readonly #inMemory = new Map<string, Buffer>();

  constructor(directory: string | undefined) {
    this.#directory = directory;
  }

  async add({ messageId, at, source, isSuppressed }: NewMail): Promise<void> {
    const name = `${String(at).padStart(15, '0')}-${messageId}${isSuppressed ? suffix.suppressed : suffix.sent}`;
    if (this.#directory === undefined) return void this.#inMemory.set(name, source);
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    // A page never reads half a file.
    const temporary = join(this.#directory, `${name}.new`);
    await writeFile(temporary, source, { mode: 0o600 });
    await rename(temporary, join(this.#directory, name));
  }

  /** Returns the names of the newest mails, newest first. */
  async names(): Promise<string[]> {
    const all = this.#directory === undefined ? [...this.#inMemory.keys()] : await this.#readDirectory();
    return all
      .filter((name) => fileName.test(name))
      .sort()
      .reverse()
      .slice(0, maxShown);
  }

  /** Returns a mail. Undefined: no mail has this name. */
  async source(name: string): Promise<Buffer | undefined> {
    if (!fileName.test(name)) return undefined;
    if (this.#directory === undefined) return this.#inMemory.get(name);
    return readFile(join(this.#directory, name)).catch(() => undefined);
  }

  /** Returns the parts of a mail. Undefined: no mail has this name. */
  async read(name: string): Promise<Email | undefined> {
    const source = await this.source(name);
    if (!source) return undefined;
    // Loaded by the first page only, so the start does not wait for it.
    const { default: PostalMime } = await import('postal-mime');
    return PostalMime.parse(source);
  }

  /** Returns when a mail was accepted, in milliseconds since 1970. */
  static timeOf(name: string): Instant {
    return Number(name.split('-')[0]);
  }

  static isSuppressed(name: string): boolean {
    return name.endsWith(suffix.suppressed);
  }

  async #readDirectory(): Promise<string[]> {
    return this.#directory === undefined ? [] : readdir(this.#directory).catch(() => []);
  }
}
