/** Definitions of decoders, as data. */

/** The definition of a decoder, by the `kind` of its value. */
export type Definition =
  | {
      /** Kind of a scalar value, or any JSON. */
      readonly kind: 'string' | 'decimal' | 'instant' | 'integer-like' | 'boolean-like' | 'json'
    }
  | {
      /** Kind of a string that may have other values too. */
      readonly kind: 'open-enum'
      /** The known values of the string. */
      readonly values: readonly string[]
    }
  | {
      /** Kind of a string with fixed values. */
      readonly kind: 'literal'
      /** All values of the string. */
      readonly values: readonly string[]
    }
  | {
      /** Kind of an array of values. */
      readonly kind: 'array'
      /** Definition of each array item. */
      readonly item: Definition
    }
  | {
      /** Kind of an object with known fields. */
      readonly kind: 'object'
      /** Definitions of the known fields. */
      readonly fields: readonly FieldDefinition[]
    }
  | {
      /** Kind of a discriminated union of objects. */
      readonly kind: 'variant'
      /** Keys of the fields that select the case. */
      readonly by: readonly string[]
      /** Definition of each case, by the values of the fields in `by`, joined with `/`. */
      readonly cases: ReadonlyMap<string, Definition>
      /** Definition for any other values of these fields; `undefined` if other values are invalid. */
      readonly otherwise: Definition | undefined
    }

/** A field of an object. */
export interface FieldDefinition {
  /** Key of the field in the output. */
  readonly name: string
  /** Keys of the field on the wire, the documented one first. */
  readonly wire: readonly [string, ...string[]]
  /** Whether the field may be absent or null. */
  readonly optional: boolean
  /** Definition of the field's value. */
  readonly value: Definition
}
