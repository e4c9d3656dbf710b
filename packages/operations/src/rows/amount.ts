/** Values of responses that several rows have. */
import {
  array,
  type Decimal,
  type Decoder,
  decimal,
  decoder,
  object,
  openEnum,
  string,
} from '@brokerwire/payloads'

/** A decimal. An empty string means that there is no value, and becomes `undefined`. */
export const amount: Decoder<Decimal | undefined> = decoder(decimal.definition, (value, context) =>
  value === '' ? undefined : decimal['~decode'](value, context),
)

const strings = array(string)

/**
 * A list of strings. Documents show a single string instead, which becomes a list of one string. An empty
 * string becomes an empty list.
 */
export const stringList: Decoder<readonly string[]> = decoder(strings.definition, (value, context) =>
  typeof value === 'string' ? (value === '' ? [] : [value]) : strings['~decode'](value, context),
)

/** The kind of an instrument. Examples in the documents show STOCK instead of EQUITY. */
export const instrumentType = openEnum('EQUITY', 'STOCK', 'OPTION', 'FUTURES', 'CRYPTO', 'EVENT')

/** Fees of an order. */
export const fees = array(object({ type: string, actualValue: amount, receivableValue: amount }))
