/**
 * A text that cannot be printed by accident: string conversion, JSON and Node's inspect all show a placeholder.
 *
 * The text sits in a private field, so that neither a debugger's property listing nor a structured clone carries it.
 */

const PLACEHOLDER = '[secret]'
const NODE_INSPECT = Symbol.for('nodejs.util.inspect.custom')

/** Where a secret is asked for, a plain string will do; it is wrapped at once. */
export type SecretInput = string | Secret

/** A secret text. `reveal()` is the only way to it, so that every use can be found by searching for that word. */
export class Secret {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
    Object.freeze(this)
  }

  /** The text itself. */
  reveal(): string {
    return this.#text
  }

  toString(): string {
    return PLACEHOLDER
  }

  toJSON(): string {
    return PLACEHOLDER
  }

  get [Symbol.toStringTag](): string {
    return 'Secret'
  }

  [NODE_INSPECT](): string {
    return PLACEHOLDER
  }
}

/** The text of a secret input, from whichever copy of {@link Secret} it came. `undefined` where it is neither. */
export function revealSecret(input: unknown): string | undefined {
  if (typeof input === 'string') return input
  if (typeof input !== 'object' || input === null) return undefined
  const reveal = (input as { reveal?: unknown }).reveal
  if (typeof reveal !== 'function') return undefined
  const text: unknown = reveal.call(input)
  return typeof text === 'string' ? text : undefined
}
