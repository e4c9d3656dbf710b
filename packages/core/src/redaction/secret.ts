/**
 * A text that cannot be printed by accident: string conversion, JSON and Node's inspect all show a placeholder.
 *
 * The text sits in a private field, so that no listing of properties and no structured clone carries it. A debugger
 * still shows it: this guards against accidents, not against whoever holds the process.
 */
import { CoreError } from '../core-error.ts'
import { describe } from '../guards.ts'
import { REDACTED } from './redacted.ts'

const NODE_INSPECT = Symbol.for('nodejs.util.inspect.custom')

/** Where a secret is asked for, a plain string will do; it is wrapped at once. */
export type SecretInput = string | Secret

/** A secret text. `reveal()` is the only way to it, so that every use can be found by searching for that word. */
export class Secret {
  readonly #text: string

  /** @throws {@link CoreError} `SECRET_INVALID` where `text` is no string. */
  constructor(text: string) {
    if (typeof text !== 'string') {
      const expected = 'a string'
      const received = describe(text)
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

  /** The text itself. */
  reveal(): string {
    return this.#text
  }

  toString(): string {
    return REDACTED
  }

  toJSON(): string {
    return REDACTED
  }

  get [Symbol.toStringTag](): string {
    return 'Secret'
  }

  [NODE_INSPECT](): string {
    return REDACTED
  }
}
