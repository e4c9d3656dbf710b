/** Definitions of decoders, as data. */

/** The definition of a decoder. */
export type Definition =
  | { readonly kind: 'string' | 'decimal' | 'instant' | 'integer-like' | 'boolean-like' | 'json' }
  | { readonly kind: 'open-enum'; readonly values: readonly string[] }
  | { readonly kind: 'literal'; readonly values: readonly string[] }
  | { readonly kind: 'array'; readonly item: Definition }
  | { readonly kind: 'object'; readonly fields: readonly FieldDefinition[] }
  | {
      readonly kind: 'variant'
      readonly by: readonly string[]
      readonly cases: ReadonlyMap<string, Definition>
      readonly otherwise: Definition | undefined
    }

/** A field of a record. */
export interface FieldDefinition {
  /** The key of the output. */
  readonly name: string
  /** Keys on the wire: the documented one first. */
  readonly wire: readonly [string, ...string[]]
  readonly optional: boolean
  readonly value: Definition
}
