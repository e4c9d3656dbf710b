/**
 * The digits of a number that would be inexact as a JavaScript number.
 *
 * Used in undescribed fields, which may be decimals, identifiers or quantities. Not a string, because the JSON had none.
 */
import { notConvertible } from '../payloads-error.ts'

/** In the registry of symbols, so that another copy of this package knows it. */
const BRAND: unique symbol = /* @__PURE__ */ Symbol.for('@brokerwire/payloads/number-text') as never

/**
 * A JSON number whose digits a JavaScript number would lose: `9007199254740993`, `12.500000000000000001`, `1e400`.
 *
 * `JSON.stringify` writes it as a string of its digits, which the next reader does not lose. Arithmetic and comparisons
 * with it throw instead of rounding: take `text`, or `parseDecimal(text)`.
 *
 * @example
 * ```ts
 * import { isNumberText } from '@brokerwire/payloads'
 *
 * declare const event: { readonly extra: { readonly quota: unknown } }
 *
 * if (isNumberText(event.extra.quota)) console.log(event.extra.quota.text) // 12.500000000000000001
 * ```
 */
export class NumberText {
  /** The number as it stood in the JSON text. */
  readonly text: string

  /** @internal */
  declare readonly [BRAND]: true

  /** @param text - A JSON number. */
  constructor(text: string) {
    this.text = text
    Object.defineProperty(this, BRAND, { value: true })
  }

  toString(): string {
    return this.text
  }

  /** Returns a string, because the next JSON parser would lose digits of a number. */
  toJSON(): string {
    return this.text
  }

  /**
   * Where a number is wanted.
   *
   * @throws PayloadsError `PAYLOAD_NOT_CONVERTIBLE`.
   */
  valueOf(): never {
    const expected = 'a number that a JavaScript number holds'
    throw notConvertible('value', expected, '. Use its text')
  }
}

/**
 * Whether `value` is a {@link NumberText}, from whichever copy of this package.
 *
 * @example
 * ```ts
 * import { decodeJson, isNumberText, json } from '@brokerwire/payloads'
 *
 * const result = decodeJson(json, '9007199254740993')
 * if (result.ok && isNumberText(result.value)) console.log(result.value.text) // 9007199254740993
 * ```
 */
export function isNumberText(value: unknown): value is NumberText {
  return typeof value === 'object' && value !== null && BRAND in value
}
