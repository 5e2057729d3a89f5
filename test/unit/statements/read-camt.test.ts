/** Tests camt.053 files in the shapes of several versions, and what is wrong with others. Takes 1 second. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { StatementFileError } from '../../../shared/domain/statements/csv/file-error.ts';
import { maxFileRows } from '../../../shared/domain/statements/csv/read-csv.ts';
import { readStatementRows } from '../../../shared/domain/statements/files/read-file.ts';

const read = (xml: string, encoding: BufferEncoding = 'utf8') =>
  readStatementRows(Buffer.from(xml, encoding), { currency: 'INR' });
const problemsOf = (xml: string): readonly string[] => {
  try {
    read(xml);
  } catch (error) {
    if (error instanceof StatementFileError) return error.problems;
    throw error;
  }
  throw new Error('The file was read.');
};

const statement = (entries: string, account = '<IBAN>BT1</IBAN>') =>
  `<Stmt><Id>S1</Id><Acct><Id>${account}</Id><Ccy>INR</Ccy></Acct>${entries}</Stmt>`;
const documentOf = (statements: string, version = '08') =>
  `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}"><BkToCstmrStmt>
<GrpHdr><MsgId>M1</MsgId></GrpHdr>${statements}</BkToCstmrStmt></Document>`;
const fileOf = (entries: string) => documentOf(statement(entries));

interface EntryParts {
  readonly amount?: string;
  readonly currency?: string;
  readonly direction?: string;
  readonly status?: string;
  readonly day?: string;
  readonly details?: string;
}

const entry = ({
  amount = '1250.50',
  currency = 'INR',
  direction = 'CRDT',
  status = '<Cd>BOOK</Cd>',
  day = '<BookgDt><Dt>2026-03-31</Dt></BookgDt>',
  details = '',
}: EntryParts = {}) =>
  `<Ntry><NtryRef>1</NtryRef><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd>` +
  `<Sts>${status}</Sts>${day}${details}</Ntry>`;
const details = (...transactions: readonly string[]) =>
  `<NtryDtls>${transactions.map((each) => `<TxDtls>${each}</TxDtls>`).join('')}</NtryDtls>`;

describe('an entry', () => {
  test('of version .08, with the payer in Pty', () => {
    const { rows, ...how } = read(
      fileOf(
        entry({
          details: details(
            '<Refs><AcctSvcrRef>FT26090K7Q2</AcctSvcrRef><EndToEndId>W-17</EndToEndId></Refs>' +
              '<RltdPties><Dbtr><Pty><Nm>Dorji &amp; Sons</Nm></Pty></Dbtr><Cdtr><Pty><Nm>We</Nm></Pty></Cdtr></RltdPties>' +
              '<RmtInf><Ustrd>Invoice\n  R7K2-M9QX</Ustrd><Ustrd>thanks</Ustrd></RmtInf>',
          ),
        }),
      ),
    );
    expect(rows).toEqual([
      {
        day: '2026-03-31',
        amount: 125_050,
        reference: 'FT26090K7Q2',
        text: 'Invoice R7K2-M9QX thanks W-17',
        name: 'Dorji & Sons',
      },
    ]);
    expect(how).toEqual({ format: 'camt.053', skipped: 0, encoding: 'utf-8' });
  });

  test('of version .02, that went out, with a prefix of the namespace', () => {
    const plain = fileOf(
      entry({
        direction: 'DBIT',
        status: 'BOOK',
        day: '<ValDt><DtTm>2026-03-30T23:59:00+06:00</DtTm></ValDt>',
        details:
          '<AcctSvcrRef>B7</AcctSvcrRef>' +
          details(
            '<Refs><EndToEndId>NOTPROVIDED</EndToEndId></Refs><RltdPties><Cdtr><Nm>Jos&#xE9;</Nm></Cdtr></RltdPties>' +
              '<RmtInf><Strd><CdtrRefInf><Ref>RF18</Ref></CdtrRefInf></Strd></RmtInf>',
          ) +
          '<AddtlNtryInf>Rent</AddtlNtryInf>',
      }),
    );
    const prefixed = plain
      .replace(/<(\/?)(?=[A-Z])/g, '<$1n:')
      .replace('xmlns=', 'xmlns:n=')
      .replace('.08', '.02');
    for (const xml of [plain, prefixed])
      expect(read(xml).rows).toEqual([
        { day: '2026-03-30', amount: -125_050, reference: 'B7', text: 'RF18 Rent', name: 'José' },
      ]);
  });

  test('of a batch is one row for each transaction, if they add up to it', () => {
    const transaction = (amount: string, id: string) =>
      `<Refs><AcctSvcrRef>BATCH</AcctSvcrRef><TxId>${id}</TxId></Refs><Amt Ccy="INR">${amount}</Amt>`;
    const older = '<AmtDtls><TxAmt><Amt Ccy="INR">250.5</Amt></TxAmt></AmtDtls>';
    const both = (first: string) =>
      read(
        fileOf(
          entry({
            details: `<AcctSvcrRef>BATCH</AcctSvcrRef>${details(transaction(first, 'T1'), older)}`,
          }),
        ),
      ).rows;
    expect(both('1000')).toEqual([
      { day: '2026-03-31', amount: 100_000, reference: 'T1' },
      { day: '2026-03-31', amount: 25_050 },
    ]);
    const shared = details(transaction('1000', 'T1'), transaction('250.50', 'T1'));
    expect(read(fileOf(entry({ details: shared }))).rows.map(({ reference }) => reference)).toEqual([
      undefined,
      undefined,
    ]);
    expect(both('999')).toEqual([{ day: '2026-03-31', amount: 125_050, reference: 'BATCH' }]);
  });

  test('that is pending, for information or without an amount is skipped', () => {
    const { rows, ...how } = read(
      fileOf(
        entry() +
          entry({ status: '<Cd>PDNG</Cd>', amount: 'x' }) +
          entry({ status: 'INFO' }) +
          entry({ amount: '0.00' }),
      ),
    );
    expect([rows.length, how.skipped]).toEqual([1, 3]);
  });

  test.each([
    ['1', 100],
    ['1.5', 150],
    ['+1.50000', 150],
    ['.05', 5],
    ['123456789.01', 12_345_678_901],
  ])('of %s', (amount, units) => {
    expect(read(fileOf(entry({ amount }))).rows[0]?.amount).toBe(units);
  });
});

test('a long text keeps whole parts, so no payment reference is cut', () => {
  const parts = Array.from({ length: 6 }, (_, index) => `${index}`.repeat(130));
  const ustrd = parts.map((part) => `<Ustrd>${part}</Ustrd>`).join('');
  const [row] = read(fileOf(entry({ details: details(`<RmtInf>${ustrd}</RmtInf>`) }))).rows;
  expect(row?.text).toBe(parts.slice(0, 3).join(' '));
});

test('the encoding is recognized', () => {
  const xml = fileOf(entry({ details: '<AddtlNtryInf>José</AddtlNtryInf>' }));
  for (const bytes of [xml, `\ufeff${xml}`]) expect(read(bytes).rows[0]?.text).toBe('José');
  expect(read(xml, 'latin1').rows[0]?.text).toBe('José');
  expect(read(`\ufeff${xml}`, 'utf16le').rows[0]?.text).toBe('José');
});

describe('a file is refused', () => {
  const bomb = '<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>';
  test.each([
    ['with entities', bomb + fileOf(entry()), 'a document type'],
    ['that is cut off', fileOf(entry()).slice(0, -40), 'not valid XML in line'],
    ['that is nested deeply', `${'<a>'.repeat(9000)}${'</a>'.repeat(9000)}`, 'not valid XML'],
    ['of another format', '<html><body>x</body></html>', 'not a statement in the format camt.053'],
    [
      'of two accounts',
      documentOf(statement(entry()) + statement(entry(), '<Othr><Id>2</Id></Othr>')),
      '2 accounts',
    ],
    ['without a booked entry', fileOf(entry({ status: 'PDNG' })), 'no booked entry'],
    ['of another currency', fileOf(entry() + entry({ currency: 'USD' })), 'Entry 2: the currency is USD'],
    ['with a comma', fileOf(entry({ amount: '1,50' })), 'Entry 1: 1,50 is not an amount'],
    ['with three decimal places', fileOf(entry({ amount: '1.505' })), '1.505 is not an amount'],
    ['with a negative amount', fileOf(entry({ amount: '-1.50' })), '-1.50 is not an amount'],
    ['without a direction', fileOf(entry({ direction: 'X' })), 'CdtDbtInd must be CRDT or DBIT'],
    ['without a day', fileOf(entry({ day: '' })), 'the day is missing'],
    [
      'with a day that does not exist',
      fileOf(entry({ day: '<BookgDt><Dt>2026-02-30</Dt></BookgDt>' })),
      'does not exist',
    ],
    ['with too many rows', fileOf(entry().repeat(maxFileRows + 1)), 'at most 5000'],
  ])('%s', (_, xml, message) => {
    expect(problemsOf(xml).join(' ')).toContain(message);
  });

  test('if the caller names columns', () => {
    const bytes = Buffer.from(fileOf(entry()));
    expect(() => readStatementRows(bytes, { currency: 'INR', columns: { day: 'Date' } })).toThrow(
      'no columns',
    );
  });

  test('never with an error of its own', () => {
    const valid = fileOf(entry({ details: details('<RmtInf><Ustrd>x &amp; y</Ustrd></RmtInf>') }));
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom('<Ntry>', '</Amt>', '&#x110000;', '&lt;', '<__proto__>'),
    );
    fc.assert(
      fc.property(fc.nat(valid.length), fc.nat(40), piece, (at, removed, inserted) => {
        const xml = `<${`${valid.slice(0, at)}${inserted}${valid.slice(at + removed)}`.slice(1)}`;
        try {
          for (const { amount } of read(xml).rows) expect(Number.isSafeInteger(amount)).toBe(true);
        } catch (error) {
          if (!(error instanceof StatementFileError)) throw error;
        }
      }),
      { numRuns: 300 },
    );
  });
});
