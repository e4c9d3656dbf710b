/**
 * From JSON text to a typed value. Never throws: what cannot be decoded is delivered as such, with its text.
 *
 * The text is needed beside its value: `JSON.parse` alone loses the digits of numbers.
 */
import { describe, type FieldsOf, integer, oneOf, readOptions } from '@brokerwire/core/internal'
import { type Decoder, problemText } from './decoder.ts'
import { exactValue, type JsonText, mayLoseDigits } from './exact-values.ts'
import type { Issue, PathStep } from './issue.ts'
import { optionInvalid, PayloadsError } from './payloads-error.ts'
import { drift, type Reading, startReading, UNREADABLE } from './reading.ts'
import { readSourceNumbers, type SourceNode, type SourceNumbers, sourceAt } from './source-numbers.ts'

/** A decoded value, or why there is none. */
export type DecodeResult<T> =
  | {
      readonly ok: true
      readonly value: T
      /** Lenient: what was left out, and what the frame overruled. Strict: every difference from the documents. */
      readonly issues: readonly Issue[]
    }
  | {
      readonly ok: false
      readonly error: PayloadsError
      /** The payload as received. */
      readonly raw: string
    }

/**
 * `'lenient'`: reads what can be read without guessing, and says nothing of harmless drift. `'strict'`: an unreadable
 * optional field fails the decoding, and every difference from the documents is among the issues.
 */
export type DecodeMode = 'lenient' | 'strict'

/** Options of {@link decodeJson}. */
export interface DecodeOptions {
  /** @defaultValue 'lenient' */
  readonly mode?: DecodeMode | undefined
  /** Longest text that is parsed, in UTF-16 units, from 1 to 2^30. @defaultValue 1048576 */
  readonly maxLength?: number | undefined
}

const DECODE_OPTIONS = {
  mode: oneOf(['lenient', 'strict'], 'lenient'),
  maxLength: integer({ min: 1, max: 2 ** 30, default: 1_048_576 }),
} satisfies FieldsOf<DecodeOptions>

/** Options as they are used. @throws PayloadsError `PAYLOAD_OPTION_INVALID`. */
export function readDecodeOptions(options: DecodeOptions): {
  readonly strict: boolean
  readonly maxLength: number
} {
  const { mode, maxLength } = readOptions(optionInvalid, options, DECODE_OPTIONS)
  return { strict: mode === 'strict', maxLength }
}

const DEFAULTS = readDecodeOptions({})

/**
 * Decodes JSON text. Never throws for what it reads, unless a decoder of the caller's own does.
 *
 * @throws PayloadsError `PAYLOAD_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { decimal, decodeJson, record } from '@brokerwire/payloads'
 *
 * const result = decodeJson(record({ cash: decimal }), '{"cash":12.500000000000000001}')
 * if (result.ok) console.log(result.value.cash) // 12.500000000000000001
 * else console.log(result.error.message, result.raw)
 * ```
 */
export function decodeJson<T>(
  decoder: Decoder<T>,
  raw: string,
  options?: DecodeOptions | undefined,
): DecodeResult<T> {
  const { strict, maxLength } = options === undefined ? DEFAULTS : readDecodeOptions(options)
  const json = parseJson(raw, maxLength)
  if (!json.ok) return json
  return decodeParsed(decoder, json.value, raw, strict)
}

/** Decodes what `JSON.parse` made of `raw`. Never throws. */
export function decodeParsed<T>(
  decoder: Decoder<T>,
  value: unknown,
  raw: string,
  strict: boolean,
): DecodeResult<T> {
  const json: JsonText = { text: raw, mayLoseDigits: undefined }
  const clean = strict ? undefined : decoder['~straightLine']?.(value, json)
  if (clean !== undefined) return { ok: true, value: clean, issues: NO_ISSUES }
  const reading = startReadingText(json, strict)
  return conclude(reading, decoder['~read'](value, reading), raw)
}

/** The state before the first value of a text: its numbers are read again from it, at the first one. */
export function startReadingText(json: JsonText, strict: boolean): Reading {
  let numbers: SourceNumbers | undefined
  const sourceOf = (path: readonly PathStep[]): SourceNode => {
    numbers ??= readSourceNumbers(json.text)
    return sourceAt(numbers, path)
  }
  return startReading(strict, {
    numberAt: (path) => {
      const node = sourceOf(path)
      return typeof node === 'string' ? node : undefined
    },
    exact: (value, path) => (mayLoseDigits(json) ? exactValue(value, sourceOf(path)) : value),
  })
}

/** Parses JSON text within the limit. Never throws. */
export function parseJson(raw: string, maxLength: number): DecodeResult<unknown> {
  if (typeof raw !== 'string') return failed('PAYLOAD_NOT_JSON', `JSON text, received ${describe(raw)}`, '')
  if (raw.length > maxLength) return failed('PAYLOAD_TOO_LARGE', `at most ${maxLength} characters`, raw)
  try {
    return { ok: true, value: JSON.parse(raw), issues: NO_ISSUES }
  } catch {
    // The parser's own message quotes the text: it is not kept.
    return failed('PAYLOAD_NOT_JSON', 'JSON text', raw)
  }
}

/** @internal */
export const NO_ISSUES: readonly Issue[] = Object.freeze([])

/** The result of a reading that has ended. */
export function conclude<T>(reading: Reading, output: T | typeof UNREADABLE, raw: string): DecodeResult<T> {
  const { problems, issues, strict } = reading
  if (output === UNREADABLE) {
    const message = problems.slice(0, 3).map(problemText).join('; ')
    const more = problems.length > 3 ? `; and ${problems.length - 3} more` : ''
    const error = new PayloadsError('PAYLOAD_INVALID', `${message}${more}`, { details: { problems } })
    return { ok: false, error, raw }
  }
  if (strict) {
    for (const path of readSourceNumbers(raw).duplicates) {
      reading.path.splice(0, reading.path.length, ...path)
      drift(reading, 'duplicate-key', 'each key once', undefined)
    }
  }
  return { ok: true, value: output, issues: issues.length === 0 ? NO_ISSUES : issues }
}

/** A result without a value, for a payload that no decoder saw. */
export function failed(
  code: 'PAYLOAD_NOT_JSON' | 'PAYLOAD_TOO_LARGE' | 'PAYLOAD_CONTENT_TYPE',
  expected: string,
  raw: string,
): DecodeResult<never> {
  return {
    ok: false,
    error: new PayloadsError(code, `payload: expected ${expected}`, { details: { expected } }),
    raw,
  }
}
