/** Tests the schemas of the invoice endpoints: the rule of each field, and the message if a value breaks it. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import { validate } from '../../../shared/api/http/validate.ts';
import { invoice } from '../../../shared/api/openapi/invoice-field-texts.ts';
import { statuses } from '../../../shared/base/statuses.ts';
import {
  cancellationSchema,
  createInvoiceBody,
  customerIdSchema,
  descriptionSchema,
  dueDateSchema,
  invoiceSchema,
  listInvoicesQuery,
  updateInvoiceBody,
} from '../../../shared/domain/invoices/invoice.ts';
import { versionChanges } from '../../../shared/domain/versions/changes.ts';

const body = { customerId: 'cust_1', amount: 1000, currency: 'BTN', description: 'Tea' };

describe('customerId', () => {
  const labels = (length: number) => 'd'.repeat(length);
  test.each([
    'c',
    '0',
    'cust_1.a:b-C',
    'x'.repeat(128),
    'a@b.co',
    'Dorji.Wangmo+bill@mail.example.bt',
    "o'neil!#$%&*/=?^_`{|}~-@example.com",
    `${'l'.repeat(64)}@example.com`,
    `a@${labels(63)}.com`,
    `a@${labels(63)}.${labels(63)}.${labels(63)}.${labels(60)}`, // 254 characters
    'a@xn--bcher-kva.example',
    'a@1.example',
    'a@b.c',
  ])('%s is accepted unchanged', (customerId) => {
    expect(v.parse(customerIdSchema, customerId)).toBe(customerId);
  });

  test.each([
    '',
    ' ',
    '_a',
    '.a',
    '-a',
    'a b',
    'a/b',
    'a\n',
    'a\0',
    'é',
    'x'.repeat(129),
    '@',
    'a@',
    '@b.co',
    'a@b',
    'a@@b.co',
    'a@b@c.co',
    '.a@b.co',
    'a.@b.co',
    'a..b@c.co',
    'a b@c.co',
    '"a b"@c.co',
    'a@b..co',
    'a@.co',
    'a@b.co.',
    'a@-b.co',
    'a@b-.co',
    'a@b_c.co',
    'a@[127.0.0.1]',
    'a@127.0.0.1',
    'a@bücher.example',
    'ä@b.co',
    'a@b.co\n',
    '<a@b.co>',
    'A <a@b.co>',
    `${'l'.repeat(65)}@example.com`,
    `a@${labels(64)}.com`,
    `a@${labels(63)}.${labels(63)}.${labels(63)}.${labels(61)}`, // 255 characters
  ])('%j is rejected', (customerId) => {
    expect(v.is(customerIdSchema, customerId)).toBe(false);
  });

  test('validating 64 KiB of text that resembles an address takes less than a second', () => {
    for (const part of ['a.', 'a', '@', 'a@', '-', 'a-.', '.', 'a@b.']) {
      const started = performance.now();
      v.is(customerIdSchema, `a@${part.repeat(30_000)}`);
      v.is(customerIdSchema, `${part.repeat(30_000)}@b.co`);
      expect(performance.now() - started).toBeLessThan(1000);
    }
  });

  test('property: without @, it is accepted if and only if every character is allowed at its position', () => {
    const first = /[A-Za-z0-9]/;
    const later = /[A-Za-z0-9_.:-]/;
    const text = fc.string({ unit: fc.constantFrom(...'aZ0_.:- /é\n'), maxLength: 130 });
    fc.assert(
      fc.property(text, (id) => {
        const [start = '', ...rest] = id;
        const isAllowed = first.test(start) && rest.every((char) => later.test(char)) && id.length <= 128;
        expect(v.is(customerIdSchema, id)).toBe(isAllowed);
      }),
    );
  });

  test('property: ordinary addresses are accepted, and rejected with white space at any position', () => {
    fc.assert(
      fc.property(
        fc.emailAddress(),
        fc.constantFrom(' ', '\t', '\n', '\u00A0'),
        fc.nat(300),
        (email, space, at) => {
          expect(v.is(customerIdSchema, email)).toBe(email.length <= 254);
          expect(v.is(customerIdSchema, email.slice(0, at) + space + email.slice(at))).toBe(false);
        },
      ),
    );
  });
});

describe('description', () => {
  test.each(['x', ' x ', '<b>&', '😀'.repeat(5000), 'x'.repeat(5000), '\u200B', 'a\nb'])(
    '%j is accepted',
    (text) => {
      expect(v.parse(descriptionSchema, text)).toBe(text);
    },
  );
  test.each([
    '',
    ' ',
    '\t\r\n',
    '\u00A0\u2003\uFEFF\u0085',
    'a\0',
    '\ud800',
    'a\udc00b',
    'x'.repeat(5001),
    '😀'.repeat(5001),
  ])('%j is rejected', (text) => {
    expect(v.is(descriptionSchema, text)).toBe(false);
  });
});

test('dueDate is returned as sent', () => {
  expect(v.parse(dueDateSchema, '2026-03-31T17:00+0600')).toBe('2026-03-31T17:00+0600');
  expect(v.is(dueDateSchema, '2026-02-30')).toBe(false);
});

describe('create', () => {
  test.each([body, { ...body, dueDate: null }, { ...body, dueDate: '2026-03-31' }])(
    '%j is accepted',
    (input) => {
      expect(validate(createInvoiceBody, input)).toEqual({ ok: true, output: input });
    },
  );

  const cases = [
    ['customerId', 'invalid_customer', [undefined, null, 1, '', 'a b', ['c']]],
    ['amount', 'invalid_amount', [undefined, null, '100', 0, 1.5, true, 1e12]],
    ['currency', 'invalid_currency', [undefined, null, 1, 'EUR', ['BTN']]],
    ['description', 'invalid_description', [undefined, null, 1, '', ' ', 'x'.repeat(5001)]],
    ['dueDate', 'invalid_due_date', [1, '', 'tomorrow', '2026-02-30', {}]],
  ] as const;

  test.each(cases)(
    '%s: every invalid value gets the same message, which names the field, and an absent one gets another',
    (field, code, values) => {
      const messages = values.flatMap((value) => {
        const { [field]: _, ...others } = { dueDate: null, ...body };
        const input = { ...others, ...(value === undefined ? {} : { [field]: value }), zebra: 1 };
        const result = validate(createInvoiceBody, input);
        expect(result).toMatchObject({ ok: false, code, field });
        const message = result.ok ? '' : result.message;
        if (value !== undefined) return [message];
        expect(message).toMatch(new RegExp(`^${field} is required\\b`));
        return [];
      });
      expect(new Set(messages).size).toBe(1);
      expect(messages[0]).toMatch(new RegExp(`^${field} must be .*\\.$`));
    },
  );

  test('the first invalid field in the documented order is reported, and unknown fields after that', () => {
    const order = ['customerId', 'amount', 'currency', 'description', 'dueDate'];
    const wrong = { zebra: 1, dueDate: 0, description: 0, currency: 0, amount: '0', customerId: 0 };
    const input: Record<string, unknown> = { ...wrong };
    for (const field of order) {
      expect(validate(createInvoiceBody, input)).toMatchObject({ field });
      input[field] = { ...body, dueDate: '2026-03-31' }[field];
    }
    expect(validate(createInvoiceBody, input)).toMatchObject({ code: 'unknown_parameter', field: 'zebra' });
  });

  test.each(['id', 'status', 'paymentUrl', 'createdAt', 'tags'])('%s is unknown', (field) => {
    expect(validate(createInvoiceBody, { ...body, [field]: 'x' })).toMatchObject({
      code: 'unknown_parameter',
      field,
    });
  });
});

describe('update', () => {
  test.each([{}, { amount: 1 }, { description: 'x' }, { dueDate: '2026-03-31' }, invoice])(
    '%j is accepted',
    (input) => {
      expect(validate(updateInvoiceBody, input)).toEqual({ ok: true, output: input });
    },
  );

  test('any value of an immutable field is accepted, because a later step compares it', () => {
    const input = {
      id: null,
      customerId: 1,
      currency: [],
      status: {},
      paymentUrl: false,
      createdAt: '',
      updatedAt: 0,
    };
    expect(validate(updateInvoiceBody, input)).toEqual({ ok: true, output: input });
  });

  test.each([
    [{ amount: null }, 'invalid_amount', 'amount'],
    [{ description: null }, 'invalid_description', 'description'],
    [{ dueDate: null }, 'invalid_due_date', 'dueDate'],
    [{ foo: 1, dueDate: 1, amount: 0 }, 'invalid_amount', 'amount'],
    [{ foo: 1 }, 'unknown_parameter', 'foo'],
  ])('%j: %s', (input, code, field) => {
    expect(validate(updateInvoiceBody, input)).toMatchObject({ ok: false, code, field });
  });
});

describe('list', () => {
  const badInstants = [
    '',
    'today',
    '1772323200',
    '2026-02-30',
    '2026-3-1',
    '2026-03-01T25:00:00Z',
    '2026-03-01T12',
    '1969-12-31',
    '2026-03-01\0',
    '\ud800',
    ['2026-03-01', '2026-03-01'],
    '9'.repeat(5000),
  ];

  test.each([
    [{}, { limit: 20, offset: 0 }],
    [
      { customerId: 'a b@c.co', status: 'paid', offset: '5', limit: '10' },
      { limit: 10, offset: 5, status: ['paid'], customerId: 'a+b@c.co' },
    ],
    [{ customerId: 'no/such id?' }, { limit: 20, offset: 0, customerId: 'no/such+id?' }],
    [{ customerId: 'x'.repeat(300) }, { limit: 20, offset: 0, customerId: 'x'.repeat(300) }],
    ...statuses.invoice.map((status) => [{ status }, { limit: 20, offset: 0, status: [status] }] as const),
    [{ status: 'overdue,pending' }, { limit: 20, offset: 0, status: ['overdue', 'pending'] }],
    [
      { currency: 'BTN', createdFrom: '2026-03-01', createdTo: '2026-03-01' },
      {
        limit: 20,
        offset: 0,
        currency: 'BTN',
        createdFrom: Date.UTC(2026, 2, 1),
        createdTo: Date.UTC(2026, 2, 2),
      },
    ],
    [
      { createdFrom: '2026-03-01T06:00:00 06:00', createdTo: '2026-03-01T00:00:00Z' },
      { limit: 20, offset: 0, createdFrom: Date.UTC(2026, 2, 1), createdTo: Date.UTC(2026, 2, 1) + 1 },
    ],
  ])('%j gives %j', (query, output) => {
    expect(validate(listInvoicesQuery, query)).toEqual({ ok: true, output });
  });

  test.each([
    [{ limit: '0' }, 'invalid_limit', 'limit'],
    [{ offset: '-1' }, 'invalid_offset', 'offset'],
    [{ status: '' }, 'invalid_status', 'status'],
    [{ status: 'Paid' }, 'invalid_status', 'status'],
    [{ status: ['paid', 'paid'] }, 'invalid_status', 'status'],
    ...[
      'paid,',
      ',paid',
      'paid,,overdue',
      'paid, overdue',
      'paid,Paid',
      'paid;overdue',
      'paid,__proto__',
    ].map((status) => [{ status }, 'invalid_status', 'status'] as const),
    ...['', 'btn', 'EUR', 'BTN,USD', ['BTN', 'BTN'], '__proto__'].map(
      (currency) => [{ currency }, 'invalid_currency', 'currency'] as const,
    ),
    ...badInstants.map((createdFrom) => [{ createdFrom }, 'invalid_created_from', 'createdFrom'] as const),
    ...badInstants.map((createdTo) => [{ createdTo }, 'invalid_created_to', 'createdTo'] as const),
    [{ createdFrom: '2026-03-02', createdTo: '2026-03-01' }, 'invalid_created_to', 'createdTo'],
    [
      { createdFrom: '2026-03-01T12:00:00.001Z', createdTo: '2026-03-01T12:00:00Z' },
      'invalid_created_to',
      'createdTo',
    ],
    [{ customerId: '' }, 'invalid_customer', 'customerId'],
    [{ customerId: ['a', 'a'] }, 'invalid_customer', 'customerId'],
    [{ page: '1' }, 'unknown_parameter', 'page'],
    [{ page: '1', customerId: '', status: '', offset: '', limit: '' }, 'invalid_limit', 'limit'],
  ])('%j: %s', (query, code, field) => {
    const result = validate(listInvoicesQuery, query);
    expect(result).toMatchObject({ ok: false, code, field });
    expect(result.ok ? '' : result.message).toMatch(new RegExp(`^${field} .*\\.$`));
  });
});

test('the message about a range that ends before it begins names both ends', () => {
  const result = validate(listInvoicesQuery, { createdFrom: '2026-03-02', createdTo: '2026-03-01' });
  expect(result).toMatchObject({ message: expect.stringMatching(/createdTo .* createdFrom/) });
});

describe('responses', () => {
  test('an invoice has exactly the documented fields, and can have null only where older invoices show null', () => {
    expect(v.parse(invoiceSchema, invoice)).toEqual(invoice);
    expect(v.is(invoiceSchema, { ...invoice, extra: 1 })).toBe(false);
    for (const field of Object.keys(invoice)) {
      const { [field]: _, ...others } = invoice as Record<string, unknown>;
      expect(v.is(invoiceSchema, others)).toBe(false);
      const isNullable =
        field === 'number' ||
        ['reminders', 'scheduleId', 'period', 'claim'].includes(field) ||
        versionChanges.some(({ fields }) => fields.invoices[field] === null);
      expect(v.is(invoiceSchema, { ...invoice, [field]: null })).toBe(isNullable);
    }
  });

  test('fields are returned and validated in the documented order, first those of the first version', () => {
    const order = Object.keys(invoice);
    expect(order.slice(0, 10).join(' ')).toBe(
      'id customerId amount currency status description dueDate paymentUrl createdAt updatedAt',
    );
    expect(Object.keys(invoiceSchema.entries)).toEqual(order);
    expect(Object.keys(updateInvoiceBody.entries)).toEqual(order);
  });

  test('a cancellation has exactly three fields', () => {
    const cancellation = { id: invoice.id, status: 'cancelled', deletedAt: invoice.updatedAt };
    expect(v.parse(cancellationSchema, cancellation)).toEqual(cancellation);
    expect(v.is(cancellationSchema, { ...cancellation, status: 'pending' })).toBe(false);
    expect(v.is(cancellationSchema, { ...cancellation, amount: 1 })).toBe(false);
  });
});
