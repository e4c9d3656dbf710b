/** Conversion of names in camelCase, such as those of options, to names on the wire and to flags. */

/** Returns a name in camelCase in lower case, with a separator before each capital: `separateWords('limitPrice', '_')` is `limit_price`. */
export const separateWords = (name: string, separator: '_' | '-' | ' '): string =>
  name.replace(/[A-Z]/g, (letter) => separator + letter.toLowerCase())
