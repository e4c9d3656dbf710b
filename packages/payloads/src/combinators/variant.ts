/** A decoder of discriminated unions. */
import { isRecord } from '@brokerwire/core/internal'
import { invalid } from '../decode-context.ts'
import { type Decoder, decoder, type Infer } from '../decoder.ts'
import { nameAt } from './keys.ts'

/**
 * Creates a decoder that selects another decoder by the value of a field, or by the values of several fields
 * joined with `/`.
 *
 * @param by - Keys of the fields on the wire.
 * @param otherwise - Decoder for values without a case. Default: such values are invalid.
 *
 * @example
 * ```ts
 * import { decimal, decodeJson, literal, object, otherNames, string, variant } from '@brokerwire/payloads'
 *
 * const movement = variant(
 *   'type',
 *   { CASH: object({ type: literal('CASH'), amount: decimal }) },
 *   object({ type: otherNames('SHARES'), symbol: string }),
 * )
 * const result = decodeJson(movement, '{"type":"CASH","amount":"4.20"}')
 * if (result.ok && result.value.type === 'CASH') console.log(result.value.amount) // 4.20
 * ```
 */
export function variant<
  const Cases extends Readonly<Record<string, Decoder<unknown>>>,
  Other extends Decoder<unknown> = never,
>(
  by: string | readonly string[],
  cases: Cases,
  otherwise?: Other | undefined,
): Decoder<Infer<Cases[keyof Cases]> | Infer<Other>> {
  type Output = Infer<Cases[keyof Cases]> | Infer<Other>
  const fields = typeof by === 'string' ? [by] : by
  const byName = new Map(Object.entries(cases))
  const definition = {
    kind: 'variant',
    by: fields,
    cases: new Map([...byName].map(([name, item]) => [name, item.definition])),
    otherwise: otherwise?.definition,
  } as const
  const expected = `${fields.join('/')}: one of ${[...byName.keys()].join(', ')}`
  return decoder<Output>(definition, (value, context) => {
    if (!isRecord(value)) return invalid(context, 'wrong-type', 'an object', value)
    const name = fields.map((field) => nameAt(value, field, context)).join('/')
    const chosen = byName.get(name) ?? otherwise
    if (chosen === undefined) return invalid(context, 'wrong-format', expected, name)
    return chosen['~decode'](value, context) as Output
  })
}
