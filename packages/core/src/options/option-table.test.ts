import { expect, test } from 'vitest'
import {
  anyRow,
  booleanRow,
  functionRow,
  integerRow,
  listRow,
  objectRow,
  oneOfRow,
  optionalRow,
  readOptions,
  textRow,
} from './option-table.ts'

const fail = (option: string, expected: string, received: string, message?: string): Error =>
  new Error(message ?? `${option}: expected ${expected}, got ${received}`)

const TABLE = {
  size: integerRow(1, 10, 5),
  loud: booleanRow(false),
  mode: oneOfRow(['a', 'b'], 'b'),
  hook: functionRow(() => 1),
  onEnd: functionRow<() => void>(),
  inner: optionalRow(objectRow<{ readonly a?: number }>()),
  name: optionalRow(textRow),
  names: listRow('an array of names', textRow, []),
  port: anyRow<object | undefined>(),
}
const read = (input: unknown, name = 'options') => readOptions(fail, name, input, TABLE)

test('what is not given has its default', () => {
  const { hook, ...rest } = read({})
  expect(rest).toEqual({
    size: 5,
    loud: false,
    mode: 'b',
    name: undefined,
    onEnd: undefined,
    inner: undefined,
    names: [],
    port: undefined,
  })
  expect(hook()).toBe(1)
})

test('what is given is read', () => {
  const port = {}
  const onEnd = (): void => {}
  const input = {
    size: 7,
    loud: true,
    mode: 'a',
    hook: () => 2,
    onEnd,
    inner: { a: 1 },
    name: 'n',
    names: ['x'],
    port,
  }
  const { hook, ...rest } = read(input)
  expect(rest).toEqual({
    size: 7,
    loud: true,
    mode: 'a',
    onEnd,
    inner: { a: 1 },
    name: 'n',
    names: ['x'],
    port,
  })
  expect(hook()).toBe(2)
})

test.each([
  [undefined, 'options: expected an object, got undefined'],
  [{ sise: 1 }, "unknown option 'sise': did you mean 'size'?"],
  [{ size: 11 }, 'size: expected a whole number from 1 to 10'],
  [{ loud: 'yes' }, 'loud: expected true or false'],
  [{ mode: 'c' }, "mode: expected one of 'a', 'b'"],
  [{ hook: 1 }, 'hook: expected a function'],
  [{ onEnd: 1 }, 'onEnd: expected a function'],
  [{ inner: 1 }, 'inner: expected an object'],
  [{ name: '' }, 'name: expected a non-empty string'],
  [{ names: 'x' }, 'names: expected an array of names'],
  [{ names: ['x', 1] }, 'names[1]: expected a non-empty string'],
])('%j is refused', (input, text) => {
  expect(() => read(input)).toThrow(text)
})

test('an option of an option is named with both', () => {
  expect(() => read({ size: 0 }, 'queue')).toThrow('queue.size: expected')
  expect(() => read(1, 'queue')).toThrow('queue: expected an object')
})

test('a list without a default is needed', () => {
  const table = { names: listRow('a non-empty array of names', textRow) }
  for (const names of [undefined, []]) {
    expect(() => readOptions(fail, 'options', { names }, table)).toThrow('a non-empty array of names')
  }
})

test("what was written into every object's prototype is no option", () => {
  Object.defineProperty(Object.prototype, 'loud', { value: true, configurable: true })
  try {
    expect(read({}).loud).toBe(false)
  } finally {
    Reflect.deleteProperty(Object.prototype, 'loud')
  }
})
