/**
 * An object with known fields; the unknown ones are kept.
 *
 * Output keys are camelCase, wire keys snake_case of the same words unless a field says otherwise. What no field
 * takes stands under its wire name in `extra`, apart from the fields, because the wire has keys such as `requestId`
 * beside `request_id`.
 */
import { isRecord } from '@brokerwire/core/internal'
import { demoteProblems, exactUndescribed, INVALID, invalid, reportDrift } from '../decode-context.ts'
import { type Decoder, decoder, type Infer } from '../decoder.ts'
import { createExtra, type Extra, NO_EXTRA } from './extra.ts'
import { isShallow } from './json.ts'
import { keyFinder } from './keys.ts'

/** A field that says more than its decoder: {@link optional}, {@link required}, {@link absent}. */
export interface Field<T, Optional extends boolean> {
  readonly value: Decoder<T> | undefined
  readonly optional: Optional
  readonly wire: readonly string[]
}

/** The fields of a record: a decoder alone is a required field. The name `extra` is taken. */
export type Fields = Readonly<Record<string, Decoder<unknown> | Field<unknown, boolean>>> & {
  readonly extra?: never
}

type OptionalKey<F, K extends keyof F> = F[K] extends Field<unknown, true> ? K : never
type FieldValue<F> = F extends Field<infer T, boolean> ? T : Infer<F>

/** What a {@link object} gives. */
export type ObjectOutput<F extends Fields> = {
  readonly [K in keyof F as K extends OptionalKey<F, K> ? never : K]: FieldValue<F[K]>
} & {
  readonly [K in keyof F as OptionalKey<F, K>]?: FieldValue<F[K]> | undefined
} & {
  /** Fields that no definition names, under their wire names. */
  readonly extra: Extra
}

/**
 * A field that may be missing or null.
 *
 * In lenient mode a value that cannot be read is left out and stays in `extra`, with an issue that says why.
 *
 * @param wire - Keys on the wire, the documented one first. @defaultValue the field's name in snake_case
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
 * A field that must be there, under other keys than its name in snake_case: the documented one first.
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

/** A field that other members of a union have: `undefined` here. If it comes nevertheless, it is in `extra`. */
export const absent: Field<never, true> = { value: undefined, optional: true, wire: [] }

/**
 * An object with known fields.
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
    const [first = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), ...others] = wire
    const names: readonly [string, ...string[]] = [first, ...others]
    return value === undefined
      ? []
      : [{ name, wire: names, optional, read: value['~decode'], value: value.definition }]
  })

  return decoder({ kind: 'object', fields: plan }, (value, context) => {
    if (!isRecord(value)) return invalid(context, 'wrong-type', 'an object', value)
    const { path, problems, strict } = context
    const depth = path.length
    const keys = Object.keys(value)
    const findWireKey = keyFinder(value, keys)
    const taken = new Set<string>()
    const output: Record<string, unknown> = {}
    let readable = true

    for (const { name, wire, optional, read } of plan) {
      const key = findWireKey(wire)
      const item = key === undefined ? undefined : value[key]
      path[depth] = key ?? wire[0]
      if (key !== undefined && key !== wire[0])
        reportDrift(context, 'unexpected-key', `the key ${wire[0]}`, key)
      if (optional && (item === undefined || item === null)) {
        if (key !== undefined) taken.add(key)
        if (item === null) reportDrift(context, 'null-for-absent', 'no null', item)
        continue
      }
      const before = problems.length
      const found = item === undefined ? invalid(context, 'missing', 'a value', item) : read(item, context)
      if (found !== INVALID) {
        output[name] = found
        if (key !== undefined) taken.add(key)
      } else if (optional && !strict) demoteProblems(context, before)
      else readable = false
    }

    let extra: Record<string, unknown> | undefined
    for (const key of keys) {
      if (taken.has(key)) continue
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
