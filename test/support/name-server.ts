/** Runs a DNS server for tests. It answers queries for A and AAAA records by UDP. */
import { createSocket } from 'node:dgram';

/** Addresses as bytes, a response code (2: server failure, 3: the name does not exist), or no response. */
export type DnsAnswer = readonly Buffer[] | number | 'silence';

export interface NameServer {
  /** Host and port, in the form that resolvers accept. */
  readonly address: string;
  close(): void;
}

export async function startNameServer(
  answerTo: (name: string, family: 'A' | 'AAAA') => DnsAnswer,
): Promise<NameServer> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const question = questionOf(query);
    const answer = answerTo(question.name, question.type === 28 ? 'AAAA' : 'A');
    if (answer !== 'silence') socket.send(responseTo(query, question, answer), port, address);
  });
  await new Promise<void>((resolve) => {
    socket.bind(0, '127.0.0.1', resolve);
  });
  return { address: `127.0.0.1:${socket.address().port}`, close: () => void socket.close() };
}

interface Question {
  readonly name: string;
  readonly type: number;
  /** The offset of its end in the query. */
  readonly end: number;
}

const headerBytes = 12;

function questionOf(query: Buffer): Question {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function responseTo(query: Buffer, { type, end }: Question, answer: readonly Buffer[] | number): Buffer {
  const addresses = typeof answer === 'number' ? [] : answer;
  const header = Buffer.alloc(headerBytes);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | (typeof answer === 'number' ? answer : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  const records = addresses.map((address) => {
    const record = Buffer.alloc(12);
    record.writeUInt16BE(0xc000 | headerBytes, 0); // A pointer to the name in the question.
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt16BE(address.length, 10);
    return Buffer.concat([record, address]);
  });
  return Buffer.concat([header, query.subarray(headerBytes, end), ...records]);
}
