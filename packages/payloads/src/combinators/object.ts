/**
 * A decoder of objects with known fields. Undocumented fields are kept in `extra`. Keys are camelCase in the
 * output, and by default the same words in snake_case on the wire. Undocumented fields are in a separate
 * object, because the wire may have both `requestId` and `request_id`.
 */
import { isRecord, separateWords } from '@brokerwire/core/internal'
import { demoteProblems, exactUndescribed, INVALID, invalid, reportDrift } from '../decode-context.ts'
import { type Decoder, decoder, type Infer } from '../decoder.ts'
import { createExtra, type Extra, NO_EXTRA } from './extra.ts'
import { isShallow } from './json.ts'
import { keyFinder } from './keys.ts'

/** A field with more settings than its decoder: {@link optional}, {@link required} or {@link absent}. */
export interface Field<T, Optional extends boolean> {
  /** Decoder of the value. `undefined` if the field is never present. */
  readonly value: Decoder<T> | undefined
  /** Whether the field may be absent or null. */
  readonly optional: Optional
  /** Keys of the field on the wire. Empty for the default, the name in snake_case. */
  readonly wire: readonly string[]
}

/** The fields of an object. A decoder alone is a required field. */
export type Fields = Readonly<Record<string, Decoder<unknown> | Field<unknown, boolean>>> & {
  /** Reserved for the undocumented fields. */
  readonly extra?: never
}

type OptionalKey<F, K extends keyof F> = F[K] extends Field<unknown, true> ? K : never
type FieldValue<F> = F extends Field<infer T, boolean> ? T : Infer<F>

/** The output of an {@link object}. */
export type ObjectOutput<F extends Fields> = {
  readonly [K in keyof F as K extends OptionalKey<F, K> ? never : K]: FieldValue<F[K]>
} & {
  readonly [K in keyof F as OptionalKey<F, K>]?: FieldValue<F[K]> | undefined
} & {
  /** Undocumented fields, under their wire names. */
  readonly extra: Extra
}

/**
 * Creates a field that may be absent or null.
 *
 * In lenient mode an invalid value is omitted and stays in `extra`, with an issue that has the reason.
 *
 * @param wire - Keys on the wire, the documented one first. Default: the field's name in snake_case.
 *
 * @example
 * ```ts
 * import { decodeJson, instant, object, optional } from '@brokerwire/payloads'
 *
 * const session = object({ openedAt: optional(instant) }) // opened_at on the wire
 * const result = decodeJson(session, '{"opened_at":null}')
 * if (result.ok) console.log(result.value.openedAt) // undefined
 * ```
 */
export function optional<T>(value: Decoder<T>, ...wire: readonly string[]): Field<T, true> {
  return { value, optional: true, wire }
}

/**
 * Creates a required field whose keys on the wire differ from its name in snake_case. Pass the documented key
 * first.
 *
 * @example
 * ```ts
 * import { decodeJson, object, required, string } from '@brokerwire/payloads'
 *
 * const order = object({ orderId: required(string, 'orderId', 'order_id') })
 * const result = decodeJson(order, '{"order_id":"A1"}')
 * if (result.ok) console.log(result.value.orderId) // A1
 * ```
 */
export function required<T>(value: Decoder<T>, ...wire: readonly [string, ...string[]]): Field<T, false> {
  return { value, optional: false, wire }
}

/**
 * A field that only other members of a union have. It is always `undefined`. If the wire has the field, its
 * value is in `extra`.
 */
export const absent: Field<never, true> = { value: undefined, optional: true, wire: [] }

/**
 * Creates a decoder of objects with known fields.
 *
 * @example
 * ```ts
 * import { decimal, decodeJson, object, string } from '@brokerwire/payloads'
 *
 * const balance = object({ currency: string, settledCash: decimal }) // settled_cash on the wire
 * const result = decodeJson(balance, '{"currency":"USD","settled_cash":10.50,"later":true}')
 * if (result.ok) console.log(result.value.settledCash, { ...result.value.extra }) // 10.50 { later: true }
 * ```
 */
export function object<const F extends Fields>(fields: F): Decoder<ObjectOutput<F>> {
  const plan = Object.entries(fields).flatMap(([name, field]) => {
    const { value, optional, wire } = '~decode' in field ? { value: field, optional: false, wire: [] } : field
    const [first = separateWords(name, '_'), ...others] = wire
    const names: readonly [string, ...string[]] = [first, ...others]
    return value === undefined
      ? []
      : [{ name, wire: names, optional, read: value['~decode'], value: value.definition }]
  })

  /** The documented keys that are no other spelling of another field. */
  const documented = new Set(plan.map(({ wire }) => wire[0]))
  for (const { wire } of plan) for (const key of wire.slice(1)) documented.delete(key)

  return decoder({ kind: 'object', fields: plan }, (value, context) => {
    if (!isRecord(value)) return invalid(context, 'wrong-type', 'an object', value)
    const { path, problems, strict } = context
    const depth = path.length
    const keys = Object.keys(value)
    // In most objects every key is documented. A field without its documented key is then absent.
    const findOtherKey = keys.every((key) => documented.has(key)) ? undefined : keyFinder(value, keys)
    const taken: string[] = []
    const output: Record<string, unknown> = {}
    let readable = true

    for (const { name, wire, optional, read } of plan) {
      const first = wire[0]
      const key = Object.hasOwn(value, first) ? first : findOtherKey?.(wire)
      const item = key === undefined ? undefined : value[key]
      path[depth] = key ?? first
      if (key !== undefined && key !== first) reportDrift(context, 'unexpected-key', `the key ${first}`, key)
      if (optional && (item === undefined || item === null)) {
        if (key !== undefined) taken.push(key)
        if (item === null) reportDrift(context, 'null-for-absent', 'no null', item)
        continue
      }
      const before = problems.length
      const found = item === undefined ? invalid(context, 'missing', 'a value', item) : read(item, context)
      if (found !== INVALID) {
        output[name] = found
        if (key !== undefined) taken.push(key)
      } else if (optional && !strict) demoteProblems(context, before)
      else readable = false
    }

    let extra: Record<string, unknown> | undefined
    for (const key of keys) {
      if (taken.includes(key)) continue
      path[depth] = key
      reportDrift(context, 'unknown-field', 'a documented field', value[key])
      if (isShallow(value[key])) {
        extra ??= createExtra()
        extra[key] = exactUndescribed(context, value[key])
      } else {
        invalid(context, 'too-deep', 'less nesting', value[key])
        readable = false
      }
    }
    path.length = depth
    output.extra = extra ?? NO_EXTRA
    return readable ? (output as ObjectOutput<F>) : INVALID
  })
}
