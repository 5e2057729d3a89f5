/**
 * Reads the rows of a bank statement from a camt.053 file, the "Bank to Customer Statement" of ISO 20022. Pure.
 *
 * - The names of the elements are those of the published message definitions camt.053.001.02 to .13
 *   (iso20022.org/iso-20022-message-definitions, business area "Cash Management"). The prefix and the version of the namespace are ignored.
 * - Only booked entries are rows. Pending ones and those for information are skipped, because they can still change.
 * - Either all entries are read, or none: an error names the entry and what to do.
 * - A file with a document type is refused, so nothing in it can define entities. Only those of XML itself are resolved.
 */
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import type { Currency } from '../../../base/money.ts';
import { decodeFile, type Encoding } from '../csv/decode.ts';
import { StatementFileError, summarizeProblems } from '../csv/file-error.ts';
import { maxFileRows } from '../csv/read-csv.ts';
import type { NewRow } from '../statement.ts';
import { rowsOfEntry } from './entry.ts';
import { nodesAt, type XmlNode, xmlTextAt } from './xml-node.ts';

/** The rows of a file, and how it was read. */
export interface CamtStatement {
  readonly rows: readonly NewRow[];
  /** Entries that are not booked, or have no amount. */
  readonly skipped: number;
  readonly encoding: Encoding;
}

/** 5,000 entries of 4 KiB each. Real entries have 1 to 2 KiB. */
const maxBytes = 20 * 1024 * 1024;
/** The deepest element that is read has 13 parents, and the schema has few more. */
const maxDepth = 40;

/** Whether a text can be XML. */
export const isXml = (text: string): boolean => /^\s*<[?!A-Za-z]/.test(text);

/**
 * @param currency that of the import. A file of another one is refused
 * @throws StatementFileError with all problems, up to 20
 */
export function readCamt(bytes: Uint8Array, currency: Currency): CamtStatement {
  if (bytes.length > maxBytes)
    throw new StatementFileError('The file is larger than 20 MiB. Download the statement of a shorter time.');
  const { text, encoding } = decodeFile(bytes);
  const statements = nodesAt(parseXml(text), 'Document', 'BkToCstmrStmt', 'Stmt');
  if (statements.length === 0)
    throw new StatementFileError(
      'The file is XML, but not a statement in the format camt.053. Download camt.053 or CSV from your bank.',
    );
  requireOneAccount(statements);
  const entries = statements.flatMap((statement) => nodesAt(statement, 'Ntry'));
  const found = entries.map((entry, index) => rowsOfEntry(entry, index + 1, currency));
  const problems = found.flatMap((each) => (typeof each === 'string' ? [each] : []));
  if (problems.length > 0) throw new StatementFileError(...summarizeProblems(problems));
  const rows = found.flatMap((each) => (typeof each === 'string' ? [] : each));
  if (rows.length > maxFileRows)
    throw new StatementFileError(
      `The file has ${rows.length} rows, and at most ${maxFileRows} are read at once. Download the statement of a shorter time.`,
    );
  if (rows.length === 0)
    throw new StatementFileError('The file has no booked entry. Check that the download is complete.');
  return { rows, skipped: found.filter((each) => each.length === 0).length, encoding };
}

function parseXml(text: string): XmlNode {
  if (/<!(DOCTYPE|ENTITY)/i.test(text))
    throw new StatementFileError(
      'The file has a document type, which camt.053 does not have. Download the statement from your bank again.',
    );
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    removeNSPrefix: true,
    parseTagValue: false,
    parseAttributeValue: false,
    processEntities: false,
    maxNestedTags: maxDepth,
    isArray: (_name, _path, _isLeaf, isAttribute) => !isAttribute,
  });
  const problem = XMLValidator.validate(text);
  if (problem !== true)
    throw new StatementFileError(
      `The file is not valid XML in line ${problem.err.line}. Check that the download is complete.`,
    );
  try {
    return parser.parse(text) as XmlNode;
  } catch {
    throw new StatementFileError('The file is not valid XML. Download the statement from your bank again.');
  }
}

/** A bank is named once for a file, so its rows must be those of one account. */
function requireOneAccount(statements: readonly XmlNode[]): void {
  const accounts = new Set(
    statements.map(
      (statement) =>
        xmlTextAt(statement, 'Acct', 'Id', 'IBAN') ?? xmlTextAt(statement, 'Acct', 'Id', 'Othr', 'Id') ?? '',
    ),
  );
  if (accounts.size > 1)
    throw new StatementFileError(
      `The file has statements of ${accounts.size} accounts. Download each account alone.`,
    );
}
