/** Defines the options with which lists are printed as CSV. */
import type { OptionSpec } from './command.ts';

/** The options of all lists. */
export const csvOptions: Readonly<Record<string, OptionSpec>> = {
  csv: {
    about:
      'Print CSV for a spreadsheet, with amounts in units of the currency. Fields that are lists of objects, such as lines, are left out.',
  },
  bom: { about: 'With --csv: begin with a byte order mark. Excel needs it for other scripts than Latin.' },
};
