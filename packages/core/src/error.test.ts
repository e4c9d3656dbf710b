import { describe, expect, test, vi } from 'vitest'
import { CoreError, isCoreError } from './core-error.ts'
import { BrokerwireError, type BrokerwireErrorOptions, errorGuard, isBrokerwireError } from './error.ts'

interface OtherDetails {
  OTHER_BUSY: { readonly waitMs: number }
  OTHER_WRONG: { readonly option: string }
}

class OtherError<C extends keyof OtherDetails = keyof OtherDetails> extends BrokerwireError<
  C,
  OtherDetails[C]
> {
  override readonly name = 'OtherError'
  constructor(code: C, message: string, options: BrokerwireErrorOptions<OtherDetails[C]>) {
    super('other', code, message, options)
  }
}

const isOtherError = errorGuard<{ [C in keyof OtherDetails]: OtherError<C> }>('other')
const busy = new OtherError('OTHER_BUSY', 'wait', { details: { waitMs: 5 }, retryable: true })

describe('an error', () => {
  test('has a literal name, a code, details, and is an Error with a stack', () => {
    expect(busy).toBeInstanceOf(Error)
    expect(busy).toMatchObject({
      name: 'OtherError',
      code: 'OTHER_BUSY',
      message: 'wait',
      retryable: true,
      details: { waitMs: 5 },
    })
    expect(busy.stack).toContain('error.test')
    expect(String(busy)).toBe('OtherError: wait')
  })

  test('is not retryable by default', () => {
    expect(new OtherError('OTHER_WRONG', 'no', { details: { option: 'x' } }).retryable).toBe(false)
  })

  test('links to the description of its code', () => {
    expect(busy.help).toBe('https://brokerwire.example/reference/errors#other_busy')
    expect(Object.keys(busy)).not.toContain('help')
    expect(JSON.stringify(busy)).not.toContain('help')
  })

  test('has a cause only if one is passed', () => {
    expect('cause' in busy).toBe(false)
    const none = new OtherError('OTHER_WRONG', 'no', { details: { option: 'x' }, cause: undefined })
    expect('cause' in none).toBe(false)
    const cause = new Error('below')
    expect(new OtherError('OTHER_WRONG', 'no', { details: { option: 'x' }, cause }).cause).toBe(cause)
  })
})

describe('its JSON form', () => {
  const withCause = (cause: unknown): unknown =>
    JSON.parse(JSON.stringify(new OtherError('OTHER_WRONG', 'no', { details: { option: 'x' }, cause })))

  test('has the properties that may be logged', () => {
    expect(JSON.parse(JSON.stringify(busy))).toEqual({
      name: 'OtherError',
      code: 'OTHER_BUSY',
      message: 'wait',
      retryable: true,
      details: { waitMs: 5 },
    })
  })

  test("has only the name and code of a cause, because a parser's message may quote its input", () => {
    const cause = Object.assign(new SyntaxError('Unexpected token in "topsecret"'), { code: 'E_PARSE' })
    expect(withCause(cause)).toMatchObject({ cause: { name: 'SyntaxError', code: 'E_PARSE' } })
    expect(JSON.stringify(withCause(cause))).not.toContain('topsecret')
    expect(withCause(busy)).toMatchObject({ cause: { name: 'OtherError', code: 'OTHER_BUSY' } })
  })

  test('omits a code that is not a string, and a cause that is not an error', () => {
    expect(withCause(Object.assign(new Error('x'), { code: 20 }))).toMatchObject({ cause: { name: 'Error' } })
    expect(withCause('topsecret')).not.toHaveProperty('cause')
  })
})

describe('the guards', () => {
  test('tell the packages and the codes apart', () => {
    const core = new CoreError('ENDPOINT_INVALID', 'm', {
      details: { option: 'o', expected: 'e', received: 'r' },
    })
    expect(isOtherError(busy)).toBe(true)
    expect(isOtherError(busy, 'OTHER_BUSY')).toBe(true)
    expect(isOtherError(busy, 'OTHER_WRONG')).toBe(false)
    expect(isOtherError(core)).toBe(false)
    expect(isCoreError(core, 'ENDPOINT_INVALID')).toBe(true)
    expect(isBrokerwireError(core) && isBrokerwireError(busy)).toBe(true)
  })

  test.each([
    [undefined],
    [null],
    ['OTHER_BUSY'],
    [new Error('x')],
    [{ name: 'OtherError', code: 'OTHER_BUSY' }],
  ])('do not recognize %o', (value) => {
    expect(isBrokerwireError(value)).toBe(false)
    expect(isOtherError(value)).toBe(false)
  })

  test('recognize an error that a second copy of the package threw', async () => {
    vi.resetModules()
    const copy = await import('./core-error.ts')
    expect(copy.CoreError).not.toBe(CoreError)
    const foreign = new copy.CoreError('ENDPOINT_UNKNOWN', 'm', {
      details: { option: 'o', region: 'us', environment: 'sandbox' },
    })
    expect(foreign).not.toBeInstanceOf(CoreError)
    expect(isCoreError(foreign, 'ENDPOINT_UNKNOWN')).toBe(true)
    expect(isCoreError(foreign, 'ENDPOINT_INVALID')).toBe(false)
    expect(copy.isCoreError(new CoreError('ENDPOINT_UNKNOWN', 'm', { details: foreign.details }))).toBe(true)
  })
})
