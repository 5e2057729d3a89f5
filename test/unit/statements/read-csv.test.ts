/** Tests CSV files in the shapes of banks, and what is wrong with others. Takes 2 seconds. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readAmount } from '../../../shared/domain/statements/csv/cells.ts';
import { StatementFileError } from '../../../shared/domain/statements/csv/file-error.ts';
import { type CsvOptions, maxFileRows, readCsv } from '../../../shared/domain/statements/csv/read-csv.ts';

const bytesOf = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding);
const read = (text: string, options: Partial<CsvOptions> = {}) =>
  readCsv(bytesOf(text), { currency: 'INR', ...options });
const problemsOf = (bytes: Uint8Array, options: Partial<CsvOptions> = {}): readonly string[] => {
  try {
    readCsv(bytes, { currency: 'INR', ...options });
  } catch (error) {
    if (error instanceof StatementFileError) return error.problems;
    throw error;
  }
  throw new Error('The file was read.');
};

describe('the shape of a bank', () => {
  test('with lines before the names, two columns of amounts, and years of two digits', () => {
    const { rows, ...how } = read(
      [
        'HDFC BANK Ltd.,,,,,,',
        'Statement From : 01/03/2026 To : 31/03/2026,,,,,,',
        '',
        'Date,Narration,Chq./Ref.No.,Value Dt,Withdrawal Amt.,Deposit Amt.,Closing Balance',
        '********,**********,**********,******,**********,**********,**********',
        '02/03/26,"UPI-DORJI, W-R7K2M9QX",0000437276589036,02/03/26,,"1,23,456.50","2,23,456.50"',
        '31/03/26,NEFT DR-RENT,N0012,31/03/26,11000.00,,"2,12,456.50"',
        'STATEMENT SUMMARY,,,,,,',
      ].join('\r\n'),
    );
    expect(rows).toEqual([
      { day: '2026-03-02', amount: 12_345_650, reference: '0000437276589036', text: 'UPI-DORJI, W-R7K2M9QX' },
      { day: '2026-03-31', amount: -1_100_000, reference: 'N0012', text: 'NEFT DR-RENT' },
    ]);
    expect(how).toEqual({
      skipped: 2,
      encoding: 'utf-8',
      dayForm: 'dmy',
      isDayFormAssumed: false,
      decimalSign: '.',
      columns: {
        day: 'Date',
        text: 'Narration',
        reference: 'Chq./Ref.No.',
        debit: 'Withdrawal Amt.',
        credit: 'Deposit Amt.',
      },
      names: [
        'Date',
        'Narration',
        'Chq./Ref.No.',
        'Value Dt',
        'Withdrawal Amt.',
        'Deposit Amt.',
        'Closing Balance',
      ],
    });
  });

  test('with tabs, names of months, and spaces around names', () => {
    const { rows, dayForm } = read(
      'Txn Date\tValue Date\tDescription\tRef No./Cheque No.\t        Debit\tCredit\tBalance\n' +
        '5 Aug 2026\t6 Aug 2026\tBY TRANSFER-NEFT/CR/BETA LLP\tNEFT77\t \t59000.00\t274340.00\n' +
        '31-Aug-26\t31-Aug-26\tCHARGES\t\t17.7\t-\t1\n',
    );
    expect(dayForm).toBe('month');
    expect(rows).toEqual([
      { day: '2026-08-05', amount: 5_900_000, reference: 'NEFT77', text: 'BY TRANSFER-NEFT/CR/BETA LLP' },
      { day: '2026-08-31', amount: -1770, text: 'CHARGES' },
    ]);
  });

  test('with the currency in the names, and formulas that keep zeros', () => {
    const { rows } = read(
      'S No.,Value Date,Transaction Date,Cheque Number,Transaction Remarks,Withdrawal Amount (INR ),Deposit Amount (INR ),Balance (INR )\n' +
        '1,13/03/2026,14/03/2026,="000123",=HYPERLINK("http://x"),0.00,"10,000.00",1\n',
    );
    expect(rows).toEqual([
      { day: '2026-03-14', amount: 1_000_000, reference: '000123', text: '=HYPERLINK("http://x")' },
    ]);
  });

  test('with one amount and a column that says its direction', () => {
    const { rows } = read(
      'Date;Particulars;Amount;Dr/Cr;Journal No;Name\n2026-03-31 10:22;Deposit;1.250,00;CR;J1;Dorji\n2026-03-31;Fee;15,00;DR;;\n',
      { currency: 'BTN' },
    );
    expect(rows).toEqual([
      { day: '2026-03-31', amount: 125_000, text: 'Deposit', reference: 'J1', name: 'Dorji' },
      { day: '2026-03-31', amount: -1500, text: 'Fee' },
    ]);
  });

  test('with signs, brackets and names of currencies', () => {
    const amounts = [
      'Nu. 1,250',
      '-1250.00',
      '(12.50)',
      '12.50Dr',
      '12.50 Cr',
      'BTN 5',
      '5.00-',
      '₹1,00,000.5',
    ];
    const { rows } = read(`Date,Amount\n${amounts.map((amount) => `2026-03-31,"${amount}"`).join('\n')}`, {
      currency: 'BTN',
    });
    expect(rows.map(({ amount }) => amount)).toEqual([
      125_000, -125_000, -1250, -1250, 1250, 500, -500, 10_000_050,
    ]);
  });

  test('with a minus in the column of money out', () => {
    const { rows } = read(
      'Date,Money In,Money Out\n31/03/2026,,-500.00\n31/03/2026,,500.00\n31/03/2026,5.00,0.00\n',
    );
    expect(rows.map(({ amount }) => amount)).toEqual([-50_000, -50_000, 500]);
  });

  test.each([
    ['DR', -1],
    ['Dr.', -1],
    ['Withdrawals', -1],
    ['WDL', -1],
    ['-', -1],
    ['Paid out', -1],
    ['Cr', 1],
    ['Deposits', 1],
    ['+', 1],
  ])('with the direction %s', (direction, sign) => {
    expect(read(`Date,Amount,Type\n31/03/2026,5.00,${direction}\n`).rows[0]?.amount).toBe(sign * 500);
  });

  test('with a direction that is not known: refused, unless the amount has a minus or the column is left out', () => {
    const file = 'Date,Amount,Type\n31/03/2026,-5.00,UPI\n31/03/2026,5.00,UPI\n';
    expect(problemsOf(bytesOf(file))).toEqual([
      'Line 3: UPI in the column Type says neither money in nor money out. Write Cr or Dr, or choose no column for the direction if the amounts have signs.',
    ]);
    const { rows } = read(file, { columns: { direction: '' } });
    expect(rows.map(({ amount }) => amount)).toEqual([-500, 500]);
  });

  test('that the caller describes', () => {
    const { rows } = read('When,Sum,Who\n03/04/2026,5,Pema\n', {
      columns: { day: 'When', amount: 'sum', name: 'Who' },
      dayForm: 'mdy',
    });
    expect(rows).toEqual([{ day: '2026-03-04', amount: 500, name: 'Pema' }]);
  });
});

describe('a line with other cells than the names', () => {
  const header = 'Date,Narration,Ref No,Withdrawal,Deposit,Balance';
  const more = 'Line 3: it has more cells than the columns have names.';
  test.each([
    ['a withdrawal', header, '31/03/2026,DORJI, THIMPHU,,200.00,,800.00', more],
    ['a deposit', header, '31/03/2026,DORJI, THIMPHU,,,500.00,1000.00', more],
    ['a withdrawal without a balance', header, '31/03/2026,DORJI, THIMPHU,,200.00,,', more],
    ['a grouped amount', 'Date,Narration,Deposit,Balance', '31/03/2026,x,1,25,000.50,7', more],
    ['names that end with a delimiter', `${header},`, '31/03/2026,A, B,,200.00,,800.00,', more],
    ['too few cells', header, '31/03/2026,A,,200.00', 'Line 3: it ends before the column Deposit.'],
  ])('is refused: %s', (_, names, line, message) => {
    const right = names.split(',').map((name) => ({ Date: '31/03/2026', Deposit: '5' })[name] ?? '');
    expect(problemsOf(bytesOf([names, right.join(','), line].join('\n'))).join(' ')).toContain(message);
  });

  test('is read if each line ends with a delimiter, or leaves out what is empty, and the text at the end has any cells', () => {
    const lines = [
      'Date,Amount,Name',
      '31/03/2026,5,Pema,',
      '31/03/2026,6,,',
      'Computer generated,,no signature, no stamp, nothing',
    ];
    expect(read(lines.join('\n')).rows.map(({ amount }) => amount)).toEqual([500, 600]);
    expect(read('Date,Amount,Name\n31/03/2026,5\n31/03/2026,6,P\n').rows).toHaveLength(2);
  });
});

describe('an encoding', () => {
  const text = 'Date,Amount,Name\n31/03/2026,5,José\n';
  test.each([
    ['UTF-8 with a mark', bytesOf(`\ufeff${text}`), 'utf-8'],
    ['UTF-16', bytesOf(`\ufeff${text}`, 'utf16le'), 'utf-16le'],
    ['Windows-1252', bytesOf(text, 'latin1'), 'windows-1252'],
  ])('%s', (_, bytes, encoding) => {
    const file = readCsv(bytes, { currency: 'INR' });
    expect([file.encoding, file.rows[0]?.name]).toEqual([encoding, 'José']);
  });
});

describe('a file is refused', () => {
  const rows = (count: number) => `Date,Amount\n${'2026-03-31,5\n'.repeat(count)}`;
  test.each([
    ['empty', '', 'The file is empty.'],
    ['of Excel', 'PK\u0003\u0004', 'Save it as CSV'],
    ['of PDF', '%PDF-1.7', 'Download the data as CSV'],
    ['with zero bytes', 'Date,Amount\n\0', 'unknown encoding'],
    [
      'without a day',
      'Narration,Amount\nx,5\n',
      'No column for the day was found. It has: Narration, Amount.',
    ],
    ['without an amount', 'Date,Narration\n31/03/2026,x\n', 'No column for the amount'],
    ['with a quotation mark', 'Date,Amount\n"31/03/2026,5\n', 'a quotation mark is not closed'],
    ['without rows', 'Date,Amount\nTotal,\n', 'no row with an amount'],
    ['with 200,000 rows', rows(200_000), 'The file has 200000 rows, and at most 5000'],
    [
      'with two decimal signs',
      'Date;Amount\n31/03/2026;1.250,50\n31/03/2026;1,250.50\n',
      'two decimal signs: 1,250.50 in line 3, and 1.250,50 in line 2',
    ],
    [
      'with days of two forms',
      'Date,Amount\n31/03/2026,5\n2026-03-31,5\n',
      'two forms: 2026-03-31 in line 3, and 31/03/2026 in line 2',
    ],
    ['with days in two orders', 'Date,Amount\n31/03/2026,5\n03/31/2026,5\n', 'two forms: '],
    ['with another currency', 'Date,Amount,Currency\n31/03/2026,5,USD\n', 'Line 2: the currency is USD'],
    ['with another currency in a name', 'Date,Amount (USD)\n31/03/2026,5\n', 'the currency is USD'],
    ['with a day that does not exist', 'Date,Amount\n31/02/2026,5\n', 'Line 2: 31/02/2026 is not a day'],
    ['with an amount without a day', 'Date,Amount\n31/03/2026,5\n,7\n', 'Line 3: the day is missing'],
    ['with three decimal places', 'Date,Amount\n31/03/2026,5.123\n', 'Line 2: 5.123 is not an amount'],
    ['with credit and debit', 'Date,Credit,Debit\n31/03/2026,5,6\n', 'a credit and a debit'],
    ['with a long text', `Date,Amount,Narration\n31/03/2026,5,${'x'.repeat(501)}\n`, 'longer than 500'],
  ])('%s', (_, text, message) => {
    expect(problemsOf(bytesOf(text)).join(' ')).toContain(message);
  });

  test('with all of its problems, up to 20', () => {
    const problems = problemsOf(bytesOf(`Date,Amount\n${'31/03/2026,x\n'.repeat(30)}`));
    expect(problems).toHaveLength(21);
    expect(problems.at(-1)).toBe('10 more lines have problems.');
  });

  test('if it lacks a column that the caller names', () => {
    const [problem] = problemsOf(bytesOf('Date,Amount\n31/03/2026,5\n'), { columns: { name: 'Payer' } });
    expect(problem).toBe('The file has no column Payer. It has: Date, Amount. Check the name of the column.');
  });

  test('never with an error of its own', () => {
    const cell = fc.oneof(fc.string(), fc.constantFrom('Date', 'Amount', '31/03/2026', '1,250.00', '"', '='));
    const file = fc.array(fc.array(cell, { maxLength: 4 }), { maxLength: 6 });
    fc.assert(
      fc.property(file, (table) => {
        const bytes = bytesOf(table.map((line) => line.join(',')).join('\n'));
        try {
          for (const { day, amount } of readCsv(bytes, { currency: 'INR' }).rows) {
            expect(day).toMatch(/^\d{4}-\d{2}-\d{2}$/);
            expect(Number.isSafeInteger(amount) && amount !== 0).toBe(true);
          }
        } catch (error) {
          if (!(error instanceof StatementFileError)) throw error;
        }
      }),
      { numRuns: 500 },
    );
  });
});

test('a file of 5,000 rows is read', () => {
  const { rows } = read(`Date,Amount\n${'2026-03-31,5\n'.repeat(maxFileRows)}`);
  expect(rows).toHaveLength(maxFileRows);
});

test('an amount is read as it was written, with either sign', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 999_999_999_999 }), fc.constantFrom('.', ','), (amount, sign) => {
      const grouping = sign === '.' ? ',' : '.';
      const [whole = '', hundredths] = [
        String(Math.floor(amount / 100)),
        String(amount % 100).padStart(2, '0'),
      ];
      const grouped = whole.replace(/\B(?=(\d{3})+$)/g, grouping);
      for (const each of [whole, grouped])
        expect(readAmount(`${each}${sign}${hundredths}`, sign as '.')).toBe(amount);
    }),
  );
});
