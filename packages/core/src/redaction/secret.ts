/**
 * A string that cannot be printed accidentally: string conversion, JSON and Node's `inspect` show a
 * placeholder. The string is in a private field, so a list of properties or a structured clone does not
 * contain it. A debugger still shows it, because the class prevents accidents, not attacks from within the
 * process.
 */
import { CoreError } from '../core-error.ts'
import { typeName } from '../guards.ts'
import { REDACTED } from './redacted.ts'

const NODE_INSPECT = Symbol.for('nodejs.util.inspect.custom')

/** A secret as an option: a `Secret`, or a string, which is converted to a `Secret` immediately. */
export type SecretInput = string | Secret

/**
 * A secret string. String conversion, JSON, `util.inspect`, console formats, lists of properties and structured clones show
 * `[secret]` or nothing. Only `reveal()` returns the string, so a search for that name finds all uses. It prevents accidents: a
 * debugger or a heap dump still shows the string.
 */
export class Secret {
  readonly #text: string

  /** @throws {@link CoreError} `SECRET_INVALID` if `text` is not a string. */
  constructor(text: string) {
    if (typeof text !== 'string') {
      const expected = 'a string'
      const received = typeName(text)
      throw new CoreError(
        'SECRET_INVALID',
        `the value of a Secret must be ${expected}; received ${received}`,
        {
          details: { expected, received },
        },
      )
    }
    this.#text = text
    Object.freeze(this)
  }

  /** Returns the secret string. */
  reveal(): string {
    return this.#text
  }

  /** Returns `[secret]`, never the secret. */
  toString(): string {
    return REDACTED
  }

  /** Returns `[secret]`, never the secret. */
  toJSON(): string {
    return REDACTED
  }

  /** The name of the class, for `Object.prototype.toString`. */
  get [Symbol.toStringTag](): string {
    return 'Secret'
  }

  /** Returns `[secret]` for `util.inspect` and `console.log` of Node. */
  [NODE_INSPECT](): string {
    return REDACTED
  }
}
