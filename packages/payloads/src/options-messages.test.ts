/** Messages for invalid options and arguments. */
import { expect, test } from 'vitest'
import {
  createPayloads,
  type Decimal,
  decimalFromBigInt,
  decimalToBigInt,
  type Instant,
  instantToNanoseconds,
  NumberText,
  payloads,
} from './index.ts'

const schemas = (modules: unknown) => () => payloads.with(modules as never)
const schema = { '~standard': { version: 1, vendor: 'x', validate: () => ({ value: 1 }) } }
const DECIMAL = 'value must be a decimal such as "12.50"'
const INSTANT = 'value must be an instant such as "2026-03-01T12:00:00Z"'

const rows: readonly [call: () => unknown, message: string][] = [
  [
    () => createPayloads({ mode: 'Strict' as never }),
    'mode must be "lenient" or "strict"; received "Strict". Did you mean "strict"?',
  ],
  [schemas(5), 'modules must be an object of schemas; received a number'],
  [schemas({ X: {} }), 'modules.X must be a Standard Schema; received an object'],
  [schemas({ '': schema }), 'modules must be schemas by event type; received an empty event type'],
  [
    schemas({ funding: schema }),
    'modules must have event types as keys; received the module\'s name "funding". Use "FUNDING/TRANSFER" or "FUNDING/INSTANT_FUNDING"',
  ],
  [schemas({ sod: schema }), 'modules must have event types as keys; received the module\'s name "sod"'],
  [() => decimalToBigInt('12.5x' as Decimal, 2), DECIMAL],
  [() => decimalToBigInt(12.5 as never, 2), `${DECIMAL}; received 12.5`],
  [() => decimalToBigInt('1' as Decimal, -1), 'scale must be a whole number from 0 to 2048; received -1'],
  [
    () => decimalToBigInt('0.001' as Decimal, 2),
    'value must be a decimal with at most 2 decimal places. Choose a larger scale than 2',
  ],
  [
    () => decimalFromBigInt(10n ** 600n, 0),
    'value must be a decimal of at most 512 characters; received one of 601',
  ],
  [() => instantToNanoseconds('today' as Instant), INSTANT],
  [() => instantToNanoseconds(new Date(0) as never), `${INSTANT}; received an object`],
  [
    () => Number(new NumberText('1e400')),
    'value must be a number that a JavaScript number holds. Use its text',
  ],
]
test.each(rows.map(([call, message]) => ({ call, message })))('$message', ({ call, message }) => {
  expect(call).toThrow(expect.objectContaining({ message }))
})
