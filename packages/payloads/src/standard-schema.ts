/**
 * The Standard Schema interface, version 1, written down structurally so that this package depends on nothing.
 *
 * Source: standardschema.dev. Type tests hold it against `@standard-schema/spec`.
 */

/** The interface of a schema library. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | PromiseLike<StandardResult<Output>>
    readonly types?: StandardTypes<Input, Output> | undefined
  }
}

/** Types only: never there at run time. */
export interface StandardTypes<Input, Output> {
  readonly input: Input
  readonly output: Output
}

/** A value, or issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** One problem. */
export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** The output type of a schema. */
export type InferOutput<S> = S extends {
  readonly '~standard': { readonly types?: StandardTypes<unknown, infer Output> | undefined }
}
  ? Output
  : never
