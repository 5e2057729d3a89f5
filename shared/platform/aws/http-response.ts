/** Reads one HTTP/1.1 response from the bytes of a connection, with a body of a known length, in chunks, or until the end. */

export interface AwsResponse {
  readonly statusCode: number;
  /** By lower-case name. The values of a repeated header are joined. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

type Head = Omit<AwsResponse, 'body'>;

const maxHeadBytes = 65_536;
const maxChunkLineBytes = 1_024;

export class ResponseReader {
  #head: Head | undefined;
  /** What was received and belongs to no part. */
  #rest: Buffer | undefined;
  readonly #parts: Buffer[] = [];
  /** The bytes of the body that are missing. `chunked` and `until the end`: not known. */
  #missing: number | 'chunked' | 'until the end' = 0;

  /**
   * Takes the next bytes of the connection.
   * @returns the response as soon as it is complete
   * @throws Error if the bytes are not a response, or something follows it
   */
  push(bytes: Buffer): AwsResponse | undefined {
    const rest = this.#rest ? Buffer.concat([this.#rest, bytes]) : bytes;
    this.#rest = undefined;
    const body = this.#head ? rest : this.#readHead(rest);
    if (!body || !this.#head) return undefined;
    if (this.#missing === 'chunked') return this.#readChunks(body);
    if (body.length > 0) this.#parts.push(body);
    if (this.#missing === 'until the end') return undefined;
    this.#missing -= body.length;
    if (this.#missing < 0) throw new Error('A response is longer than it says.');
    return this.#missing === 0 ? this.#response(this.#head) : undefined;
  }

  /** Returns the response that the end of its connection completes, or undefined if a part of it is missing. */
  end(): AwsResponse | undefined {
    return this.#head && this.#missing === 'until the end' ? this.#response(this.#head) : undefined;
  }

  /** Whether the whole head has arrived. */
  get hasHead(): boolean {
    return this.#head !== undefined;
  }

  #response(head: Head): AwsResponse {
    const [first = Buffer.alloc(0), ...others] = this.#parts;
    return { ...head, body: others.length === 0 ? first : Buffer.concat(this.#parts) };
  }

  /** Returns the bytes after the head, or undefined if the head is not complete. */
  #readHead(bytes: Buffer): Buffer | undefined {
    const end = bytes.indexOf('\r\n\r\n');
    if (end === -1) {
      if (bytes.length > maxHeadBytes) throw new Error('The head of a response is too long.');
      this.#rest = bytes;
      return undefined;
    }
    const head = parseHead(bytes.toString('latin1', 0, end));
    const body = bytes.subarray(end + 4);
    // A response with a status below 200 announces the response.
    if (head.statusCode < 200) return this.#readHead(body);
    this.#head = head;
    this.#missing = lengthOf(head);
    return body;
  }

  #readChunks(bytes: Buffer): AwsResponse | undefined {
    let rest = bytes;
    for (;;) {
      const lineEnd = rest.indexOf('\r\n');
      if (lineEnd === -1 && rest.length > maxChunkLineBytes) throw new Error('A chunk has no size.');
      if (lineEnd === -1) break;
      const [, digits] = /^([\da-f]{1,8})\s*(?:;.*)?$/i.exec(rest.toString('latin1', 0, lineEnd)) ?? [];
      if (digits === undefined) throw new Error('The size of a chunk is not valid.');
      const size = Number.parseInt(digits, 16);
      if (size === 0) {
        // Trailers can follow the last chunk, and then an empty line.
        const end = rest.indexOf('\r\n\r\n', lineEnd);
        if (end === -1) break;
        if (end + 4 !== rest.length) throw new Error('A response is longer than it says.');
        return this.#response(this.#head as Head);
      }
      const [start, end] = [lineEnd + 2, lineEnd + 2 + size];
      if (rest.length < end + 2) break;
      if (rest.toString('latin1', end, end + 2) !== '\r\n')
        throw new Error('A chunk does not end with its size.');
      this.#parts.push(rest.subarray(start, end));
      rest = rest.subarray(end + 2);
    }
    this.#rest = rest;
    return undefined;
  }
}

/** @param text the lines of the head, without the empty line after them */
function parseHead(text: string): Head {
  const [, version, status] = /^HTTP\/(1\.[01]) ([1-5]\d\d)(?: |\r\n|$)/.exec(text) ?? [];
  if (status === undefined) throw new Error('The bytes are not an HTTP response.');
  const headers: Record<string, string> = {};
  if (version === '1.0') headers.connection = 'close';
  for (let end = endOfLine(text, 0); end < text.length; ) {
    const start = end + 2;
    end = endOfLine(text, start);
    const colon = text.indexOf(':', start);
    if (colon <= start || colon >= end) throw new Error('A header of a response is not valid.');
    const name = text.slice(start, colon).toLowerCase();
    const value = text.slice(colon + 1, end).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return { statusCode: Number(status), headers };
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf('\r\n', start);
  return end === -1 ? text.length : end;
}

function lengthOf({ statusCode, headers }: Head): number | 'chunked' | 'until the end' {
  const { 'transfer-encoding': encoding, 'content-length': length } = headers;
  if (statusCode === 204 || statusCode === 304) return 0;
  if (encoding !== undefined) {
    if (encoding.toLowerCase() !== 'chunked') throw new Error('The encoding of a response is not known.');
    return 'chunked';
  }
  if (length === undefined) return 'until the end';
  if (!/^\d{1,15}$/.test(length)) throw new Error('The length of a response is not valid.');
  return Number(length);
}
