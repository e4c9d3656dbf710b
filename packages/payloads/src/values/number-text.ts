/**
 * A JSON number in an undocumented field that a JavaScript number cannot represent. It is a class and not a
 * string, because the JSON has a number and not a string.
 */
import { notConvertible } from '../payloads-error.ts'

/** A registered symbol, so that another copy of this package recognizes the instances of this copy. */
const BRAND: unique symbol = /* @__PURE__ */ Symbol.for('@brokerwire/payloads/number-text') as never

/**
 * A JSON number that a JavaScript number cannot represent: `9007199254740993`, `12.500000000000000001`, `1e400`.
 *
 * `JSON.stringify` writes it as a string, so that the next parser loses no digits. Arithmetic and comparisons throw instead of
 * rounding: use `text`, or `parseDecimal(text)`.
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
  /** The number as it is in the JSON text. */
  readonly text: string

  /** Marks instances, also those of another copy of the package. @internal */
  declare readonly [BRAND]: true

  /** @param text - A JSON number. */
  constructor(text: string) {
    this.text = text
    Object.defineProperty(this, BRAND, { value: true })
  }

  /** Returns the number as it is in the JSON text. */
  toString(): string {
    return this.text
  }

  /** Returns a string, because the next JSON parser would lose digits of a number. */
  toJSON(): string {
    return this.text
  }

  /**
   * Throws for arithmetic and comparisons, because a number would lose digits.
   *
   * @throws PayloadsError `PAYLOAD_NOT_CONVERTIBLE` always.
   */
  valueOf(): never {
    const expected = 'a number that a JavaScript number holds'
    throw notConvertible('value', expected, '. Use its text')
  }
}

/**
 * Whether `value` is a {@link NumberText}, also of another copy of this package.
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
