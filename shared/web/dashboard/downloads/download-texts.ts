/** The texts of downloads. */

export const downloadTexts = {
  title: 'Download',
  back: 'Back to the list',
  empty: 'No records match the filters, so there is nothing to download.',
  noneSelected: 'No invoice is selected. Select at least one in the list.',
  tooManySelected: 'More than 100 invoices are selected. Select fewer, or use the filters of the list.',
  tooMany: (total: number) =>
    `${total.toLocaleString('en-US')} records match the filters. A file can have 5,000. Choose a shorter time with the filters, and download each part. Or export all of them with the API or the command line: npx remit exports create.`,
};
