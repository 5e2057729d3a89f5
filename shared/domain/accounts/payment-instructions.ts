/** Decides which payment instructions of an account are those of an invoice. Pure. */
import type { Currency } from '../../base/money.ts';

/** The setting that holds the instructions of each currency. */
export const instructionSettings = {
  BTN: 'paymentInstructionsBtn',
  USD: 'paymentInstructionsUsd',
  INR: 'paymentInstructionsInr',
} as const satisfies Record<Currency, string>;

type CurrencyInstructions = (typeof instructionSettings)[Currency];

/** Says how to pay without the page. Lines end with a line feed. */
export interface InstructionSettings extends Readonly<Record<CurrencyInstructions, string | undefined>> {
  /** Those of each currency that has none of its own. */
  readonly paymentInstructions: string | undefined;
}

export type InstructionSetting = keyof InstructionSettings;

/** The names of the settings. */
export const instructionNames: readonly InstructionSetting[] = [
  'paymentInstructions',
  ...Object.values(instructionSettings),
];

/** Returns the instructions for an invoice in a currency: its own, else the general ones. Undefined: there are none. */
export function instructionsFor(
  settings: Partial<InstructionSettings>,
  currency: Currency,
): string | undefined {
  return settings[instructionSettings[currency]] ?? settings.paymentInstructions;
}
