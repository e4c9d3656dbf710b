/**
 * The Standard Schema interface, version 1, copied so that the package needs no dependency.
 *
 * Source: standardschema.dev. Type tests compare it with `@standard-schema/spec`.
 */

/** A schema of any library with the Standard Schema interface. */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** The Standard Schema properties of the schema. */
  readonly '~standard': {
    /** Version of the Standard Schema specification. */
    readonly version: 1
    /** Name of the schema library. */
    readonly vendor: string
    /** Validates a value, synchronously or asynchronously. */
    readonly validate: (value: unknown) => StandardResult<Output> | PromiseLike<StandardResult<Output>>
    /** Input and output types; absent at run time. */
    readonly types?: StandardTypes<Input, Output> | undefined
  }
}

/** The types of a schema; absent at run time. */
export interface StandardTypes<Input, Output> {
  /** Type of the value before validation. */
  readonly input: Input
  /** Type of the value after validation. */
  readonly output: Output
}

/** The result of a validation: a value, or issues. */
export type StandardResult<Output> =
  | {
      /** The value after validation. */
      readonly value: Output
      /** Always absent for a valid value. */
      readonly issues?: undefined
    }
  | {
      /** The reasons why the value is invalid. */
      readonly issues: readonly StandardIssue[]
    }

/** One reason why a value is invalid. */
export interface StandardIssue {
  /** Message of the schema library. */
  readonly message: string
  /** Path to the invalid value, if any. */
  readonly path?:
    | readonly (
        | PropertyKey
        | {
            /** Key or index of the step. */
            readonly key: PropertyKey
          }
      )[]
    | undefined
}

/** The output type of a schema. */
export type InferOutput<S> = S extends {
  readonly '~standard': { readonly types?: StandardTypes<unknown, infer Output> | undefined }
}
  ? Output
  : never
