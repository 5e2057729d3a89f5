/**
 * Checks the numbers of tax authorities, and returns them in the form in which documents show them.
 *
 * - Only the changes of the seller profile import this file, because the package `stdnum` is large.
 * - `stdnum` knows the check digits of the member states of the European Union and the prefixes of the IRS. Its list of Indian
 *   states lacks Ladakh, so `gstin.ts` has the check digit of a GSTIN.
 */
import { validate as validateAustria } from 'stdnum/lib/cjs/at/uid.js';
import { validate as validateBelgium } from 'stdnum/lib/cjs/be/vat.js';
import { validate as validateBulgaria } from 'stdnum/lib/cjs/bg/vat.js';
import { validate as validateCyprus } from 'stdnum/lib/cjs/cy/vat.js';
import { validate as validateCzechia } from 'stdnum/lib/cjs/cz/dic.js';
import { validate as validateGermany } from 'stdnum/lib/cjs/de/vat.js';
import { validate as validateDenmark } from 'stdnum/lib/cjs/dk/cvr.js';
import { validate as validateEstonia } from 'stdnum/lib/cjs/ee/kmkr.js';
import { validate as validateSpain } from 'stdnum/lib/cjs/es/nif.js';
import { validate as validateFinland } from 'stdnum/lib/cjs/fi/alv.js';
import { validate as validateFrance } from 'stdnum/lib/cjs/fr/tva.js';
import { validate as validateNorthernIreland } from 'stdnum/lib/cjs/gb/vat.js';
import { validate as validateGreece } from 'stdnum/lib/cjs/gr/vat.js';
import { validate as validateCroatia } from 'stdnum/lib/cjs/hr/oib.js';
import { validate as validateHungary } from 'stdnum/lib/cjs/hu/anum.js';
import { validate as validateIreland } from 'stdnum/lib/cjs/ie/vat.js';
import { validate as validateItaly } from 'stdnum/lib/cjs/it/iva.js';
import { validate as validateLithuania } from 'stdnum/lib/cjs/lt/pvm.js';
import { validate as validateLuxembourg } from 'stdnum/lib/cjs/lu/tva.js';
import { validate as validateLatvia } from 'stdnum/lib/cjs/lv/pvn.js';
import { validate as validateMalta } from 'stdnum/lib/cjs/mt/vat.js';
import { validate as validateNetherlands } from 'stdnum/lib/cjs/nl/btw.js';
import { validate as validatePoland } from 'stdnum/lib/cjs/pl/nip.js';
import { validate as validatePortugal } from 'stdnum/lib/cjs/pt/nif.js';
import { validate as validateRomania } from 'stdnum/lib/cjs/ro/cui.js';
import { validate as validateSweden } from 'stdnum/lib/cjs/se/vat.js';
import { validate as validateSlovenia } from 'stdnum/lib/cjs/si/ddv.js';
import { validate as validateSlovakia } from 'stdnum/lib/cjs/sk/dph.js';
import { validate as validateEin } from 'stdnum/lib/cjs/us/ein.js';
import { type CheckedTaxId, checkGstin, compact } from './gstin.ts';

type Validate = (value: string) => { readonly isValid: boolean };

/** The checks of VAT numbers, by the two letters that they begin with: those of Article 215 of Directive 2006/112/EC, and XI. */
const vatChecks: Readonly<Record<string, Validate>> = {
  AT: validateAustria,
  BE: validateBelgium,
  BG: validateBulgaria,
  CY: validateCyprus,
  CZ: validateCzechia,
  DE: validateGermany,
  DK: validateDenmark,
  EE: validateEstonia,
  EL: validateGreece,
  ES: validateSpain,
  FI: validateFinland,
  FR: validateFrance,
  HR: validateCroatia,
  HU: validateHungary,
  IE: validateIreland,
  IT: validateItaly,
  LT: validateLithuania,
  LU: validateLuxembourg,
  LV: validateLatvia,
  MT: validateMalta,
  NL: validateNetherlands,
  PL: validatePoland,
  PT: validatePortugal,
  RO: validateRomania,
  SE: validateSweden,
  SI: validateSlovenia,
  SK: validateSlovakia,
  XI: validateNorthernIreland,
};

function checkVat(value: string): CheckedTaxId {
  const vat = compact(value);
  const check = vatChecks[vat.slice(0, 2)];
  if (!check)
    return {
      problem:
        'A VAT number begins with the two letters of a member state of the European Union, such as DE136695976.',
    };
  return check(vat.slice(2)).isValid
    ? { value: vat }
    : {
        problem: 'The VAT number is not valid: its check digit or length does not fit. Check all characters.',
      };
}

function checkEin(value: string): CheckedTaxId {
  const ein = compact(value);
  return validateEin(ein).isValid
    ? { value: `${ein.slice(0, 2)}-${ein.slice(2)}` }
    : { problem: 'An EIN has 9 digits with a prefix of the IRS, such as 12-3456789. Check it.' };
}

/** No check digit of a TPN is published. */
function checkTpn(value: string): CheckedTaxId {
  const tpn = compact(value);
  return /^[A-Z0-9]{5,15}$/.test(tpn)
    ? { value: tpn }
    : { problem: 'A TPN has 5 to 15 letters and digits. Check it.' };
}

const checks: Readonly<Record<string, (value: string) => CheckedTaxId>> = {
  bt_tpn: checkTpn,
  in_gstin: checkGstin,
  us_ein: checkEin,
  eu_vat: checkVat,
};

/** Checks a tax number of a kind. A number of a kind without a check is returned without spaces around it. */
export function checkTaxId(type: string, value: string): CheckedTaxId {
  return checks[type]?.(value) ?? { value: value.trim() };
}
