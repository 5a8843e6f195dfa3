/* The numbers of businesses in France; the database checks them in the same way (app.is_siren, app.is_siret). */

/** The SIREN of La Poste: the digits of its establishments' SIRETs, except the seat's, add up to a multiple of five. */
const LA_POSTE_SIREN = '356000000';

/** A SIREN with a valid Luhn sum that no business has. */
export const NOBODYS_SIREN = '000000000';

export function isSiren(digits: string): boolean {
  return digits !== NOBODYS_SIREN && hasLuhnSum(digits);
}

export function isSiret(digits: string): boolean {
  const sum = Array.from(digits, Number).reduce((total, digit) => total + digit, 0);
  return hasLuhnSum(digits) || (digits.startsWith(LA_POSTE_SIREN) && sum % 5 === 0);
}

/** From the right, every second digit counts twice, and a double of two digits as the sum of both. */
function hasLuhnSum(digits: string): boolean {
  const sum = Array.from(digits, Number).reduceRight((total, digit, place) => {
    const isDoubled = (digits.length - place) % 2 === 0;
    return total + (isDoubled ? digit * 2 - (digit > 4 ? 9 : 0) : digit);
  }, 0);
  return sum % 10 === 0;
}
