import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { REDACTED } from './redacted.ts'
import { createRedactor, WITHHELD } from './redactor.ts'

describe('secrets', () => {
  const unicode = (upper: boolean) => (text: string) =>
    text.replace(/\W/g, (unit) => {
      const hex = unit.charCodeAt(0).toString(16).padStart(4, '0')
      return `\\u${upper ? hex.toUpperCase() : hex}`
    })
  const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)
  const inHtml = (text: string): string =>
    text.replace(/\W/gu, (found) => `&#x${found.codePointAt(0)?.toString(16)};`)
  test.each<[form: string, of: (secret: string) => string]>([
    ['as they are', (secret) => secret],
    ['in a URL', encodeURIComponent],
    [
      'in a URL in small letters',
      (secret) => encodeURIComponent(secret).replace(/%../g, (hex) => hex.toLowerCase()),
    ],
    ['in a form', (secret) => new URLSearchParams([['', secret]]).toString().slice(1)],
    ['in JSON', (secret) => JSON.stringify(secret).slice(1, -1)],
    ['in JSON, with slashes escaped', (secret) => JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/')],
    ['in JSON, all but letters escaped', unicode(false)],
    ['in JSON, all but letters escaped in capitals', unicode(true)],
    ['in HTML', (secret) => secret.replace(/[&<>"']/g, (unit) => `&#${unit.charCodeAt(0)};`)],
    ['in a URL within a URL', (secret) => encodeURIComponent(encodeURIComponent(secret))],
    ['in a form in JSON', (secret) => unicode(false)(encodeURIComponent(secret))],
    ['in JSON in JSON in JSON', (secret) => inJson(inJson(inJson(secret)))],
    ['in JSON in a URL in HTML', (secret) => inHtml(encodeURIComponent(inJson(secret)))],
  ])('%s are taken out', (_form, of) => {
    for (const secret of ['tok/en+abc==12345678', 'a b\'(c)!*~é😀\n"\\|[^$.?{}]-_x', '/', '\ud800']) {
      if (secret === '\ud800' && /URL|form/.test(_form)) continue
      expect(createRedactor(['another', secret])(`<${of(secret)}> and <${of(secret)}>`)).toBe(
        `<${REDACTED}> and <${REDACTED}>`,
      )
    }
  })

  test('nothing else is', () => {
    const text = 'a.b and a+b, 100 % [secret]'
    expect(createRedactor(['a.c', 'axb', 'a%b'])(text)).toBe(text)
    expect(createRedactor(['', ''])(text)).toBe(text)
  })

  test('those that overlap, or stand side by side, leave nothing of them', () => {
    expect(createRedactor(['abc', 'abcdef', 'bcd'])('abcdef abcd')).toBe('[secret] [secret]')
    expect(createRedactor(['xyz', 'yzabcdef'])('xyzabcdef')).toBe('[secret]')
    expect(createRedactor(['ab'])('ababa')).toBe('[secret][secret]a')
  })

  test('of any kind, in any text around them, in every form', () => {
    const encoders = [encodeURIComponent, (text: string) => JSON.stringify(text).slice(1, -1), unicode(false)]
    const any = fc.string({ unit: 'grapheme', minLength: 6, maxLength: 60 })
    fc.assert(
      fc.property(any, any, any, fc.constantFrom(...encoders), (before, secret, behind, encode) => {
        const shown = createRedactor([secret])(`${encode(before)}<${encode(secret)}>${encode(behind)}`)
        expect(shown).toContain('<[secret]>')
        expect(createRedactor([secret])(`${before}${secret}${behind}`)).not.toContain(secret)
      }),
    )
  })

  test('are looked for in texts that were made to be searched slowly', () => {
    for (const unit of ['\\', '%', '+', '%F0%9F%98', '\\u005', '😀', '&é', '&#000', '\r\n\t', '\u00ad']) {
      const secret = unit.repeat(300)
      const text = `${secret.slice(1)}x`.repeat(30)
      expect(createRedactor([secret])(text)).toBe(text)
      expect(createRedactor([secret])(`${text}${secret}`)).toContain('[secret]')
    }
  })
})

describe('the work', () => {
  const secret = (length: number): string => {
    let state = 1
    const digit = (): string => {
      state = (state * 48_271) % 2_147_483_647
      return (state % 16).toString(16)
    }
    return Array.from({ length }, digit).join('')
  }

  test('is bounded: a text that repeats a secret too often is withheld as a whole', () => {
    const redact = createRedactor(['a'.repeat(1000)])
    expect(redact('a'.repeat(100_000))).toBe(WITHHELD)
    expect(redact(`<${'a'.repeat(1010)}>`)).toBe('<[secret]>')
    // A secret of punctuation characters, each of which an unknown entity may represent.
    expect(createRedactor([`${'/'.repeat(1000)}!`])(`&sol;${'/'.repeat(100_000)}`)).toBe(WITHHELD)
  })

  test('does not grow with the secret, and a long one is found where the text is cut within it', () => {
    const thrice = (text: string): string =>
      Array.from(text, (unit) => `%255Cu00${unit.charCodeAt(0).toString(16)}`).join('')
    for (const length of [20, 4000, 40_000]) {
      const redact = createRedactor(['another', secret(length)])
      for (const encode of [(text: string) => text, thrice, btoa]) {
        const text = `${'.'.repeat(90)}${encode(secret(length))}${'.'.repeat(10_000)}`
        expect(redact(text, 100)).toBe(`${'.'.repeat(90)}${REDACTED}`)
        expect(redact(text, 90)).toBe('.'.repeat(90))
      }
    }
    // A string that is complete is not treated as truncated.
    expect(createRedactor([secret(4000)])(secret(3000), 5000)).toBe(secret(3000))
  })
})

describe('the token and the signature of a request', () => {
  const token = 'tok/en+abc==12345678'
  const signature = 'd/Zt+3N0ZS9h+i9hbmQgb24='
  const redact = createRedactor([token, signature])
  const bytesOf = (text: string): number[] => [...new TextEncoder().encode(text)]
  const each = (text: string, as: (code: number, at: number) => string): string =>
    bytesOf(text).map(as).join('')

  const inJsonText = (text: string): string => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/')

  test.each<[form: string, of: (secret: string) => string]>([
    ['percent-encoded whole', (secret) => each(secret, (code) => `%${code.toString(16)}`)],
    [
      'percent-encoded here and there',
      (secret) => each(secret, (code, at) => (at % 3 ? String.fromCharCode(code) : `%${code.toString(16)}`)),
    ],
    ['percent-encoded three times', (secret) => [1, 2, 3].reduce((text) => encodeURIComponent(text), secret)],
    ['as a byte string', (secret) => each(secret, (code) => `\\x${code.toString(16)}`)],
    ['in octal digits', (secret) => each(secret, (code) => `\\${code.toString(8).padStart(3, '0')}`)],
    ['as code points', (secret) => each(secret, (code) => `\\u{${code.toString(16)}}`)],
    ['as numbered entities', (secret) => each(secret, (code) => `&#${code};`)],
    [
      'as named entities',
      (secret) => secret.replaceAll('+', '&plus;').replaceAll('/', '&sol;').replaceAll('=', '&equals;'),
    ],
    [
      'as entities of every kind, and bare',
      (secret) => secret.replace('+', '&#43;').replace('/', '&sol;').replace('=', '&Equal;'),
    ],
    [
      'as named entities whose signs are named',
      (secret) => secret.replaceAll('+', '&amp;plus&semi;').replaceAll('/', '&amp;&num;47&semi;'),
    ],
    [
      'percent-encoded, with named entities',
      (secret) => encodeURIComponent(secret).replaceAll('%', '&percnt;'),
    ],
    [
      'as code points, with named entities',
      (secret) => secret.replaceAll('+', '&bsol;u&lcub;2b&rcub;').replaceAll('/', '&bsol;&sol;'),
    ],
    ['in octal digits, as few as there are', (secret) => each(secret, (code) => `\\${code.toString(8)}`)],
    [
      'as code points of eight digits',
      (secret) => each(secret, (code) => `\\U${code.toString(16).padStart(8, '0')}`),
    ],
    [
      'as JavaScript\u2019s escape writes them',
      (secret) => each(secret, (code) => `%u00${code.toString(16)}`),
    ],
    ['as entities with zeros before', (secret) => each(secret, (code) => `&#x0000000${code.toString(16)};`)],
    [
      'as entities in folded lines of a JSON text',
      (secret) => inJsonText(each(secret, (code) => `&#${code};`).replace(/.{7}(?=.)/g, '$&\r\n\t')),
    ],
    ['with soft hyphens within', (secret) => [...secret].join('\u00ad')],
    ['with named soft hyphens within', (secret) => secret.replace(/.{3}(?=.)/g, '$&&shy;')],
    [
      'with soft hyphens of two spellings within, in a URL',
      (secret) => secret.replace(/^(.)(.)/, '$1%26shy%3B$2%26%23173%3B'),
    ],
    ['with places to break a line within', (secret) => secret.replace(/.{4}(?=.)/g, '$&\u200b')],
    ['in lines', (secret) => secret.replace(/.{5}(?=.)/g, '$&\r\n')],
    ['in folded lines', (secret) => secret.replace(/.{5}(?=.)/g, '$&\r\n\t')],
    [
      'in folded lines that went through a form',
      (secret) => new URLSearchParams([['', secret.replace(/.{5}(?=.)/g, '$&\r\n ')]]).toString().slice(1),
    ],
    ['in lines that are percent-encoded', (secret) => secret.replace(/.{5}(?=.)/g, '$&%0d%0a')],
    ['in lines of a string literal', (secret) => inJsonText(secret).replace(/.{4}(?=.)/g, '$&\\\n')],
    ['with zero bytes between, as in UTF-16', (secret) => [...secret].join('\0')],
    ['in hexadecimal digits', (secret) => each(secret, (code) => code.toString(16))],
    ['in hexadecimal capitals', (secret) => each(secret, (code) => code.toString(16)).toUpperCase()],
    ['in the alphabet of URLs', (secret) => secret.replaceAll('+', '-').replaceAll('/', '_')],
  ])('%s are taken out', (_form, of) => {
    for (const secret of [token, signature]) {
      expect(redact(`is "${of(secret)}" right?`)).toBe(`is "${REDACTED}" right?`)
    }
  })

  test('in two or three encodings within one another, whole or in part, are taken out', () => {
    const percent = (code: number): string => `%${code.toString(16).padStart(2, '0')}`
    const unicode = (code: number): string => `\\u${code.toString(16).padStart(4, '0')}`
    const entity = (code: number): string => `&#${code};`
    /** Encodes some characters of the string, and always the character that begins an escape of this kind. */
    const part = (as: (code: number) => string, every: number) => (text: string) =>
      text.replace(/[ -~]/g, (unit, at: number) => {
        const encoded = as(unit.charCodeAt(0))
        return at % every === 0 || unit < '0' || encoded.startsWith(unit) ? encoded : unit
      })
    const anyEncoder = fc.oneof(
      fc
        .tuple(fc.constantFrom(percent, unicode), fc.integer({ min: 1, max: 5 }))
        .map(([as, every]) => part(as, every)),
      fc.constant(part(entity, 1)),
      fc.constantFrom(
        encodeURIComponent,
        (text: string) => JSON.stringify(text).slice(1, -1),
        (text: string) => text.replace(/.{7}(?=.)/g, '$&\r\n\t'),
        (text: string) => [...text].join('\u00ad'),
      ),
    )
    fc.assert(
      fc.property(fc.array(anyEncoder, { minLength: 1, maxLength: 3 }), (encoders) => {
        const shown = redact(`<${encoders.reduce((text, encode) => encode(text), token)}>`)
        expect(shown).toBe('<[secret]>')
      }),
      { numRuns: 1000 },
    )
  })

  test('a named entity matches its one punctuation character only', () => {
    const text = 'tok/en.abc==12345678 &lt; tok&sol;en+abc==123&four;5678 tok&sol;&sol;en+abc==12345678'
    expect(redact(text)).toBe(text)
    expect(createRedactor(['a/b', '\u00e9t\u00e9'])('a&sol;b a-b aa&sol;b, &eacute;t\u00e9')).toBe(
      `${REDACTED} a-b a${REDACTED}, ${REDACTED}`,
    )
  })

  test('without padding are taken out', () => {
    expect(redact(`is ${signature.replace(/=+$/, '')} right?`)).toBe(`is ${REDACTED} right?`)
  })

  test.each(['', 'x', 'xy', 'Bearer '])('in the base64 of "%s" and themselves are taken out', (before) => {
    for (const secret of [token, signature]) {
      const base64 = btoa(`${before}${secret}, and more`)
      for (const text of [base64, base64.replaceAll('+', '-').replaceAll('/', '_')]) {
        const shown = redact(`<${text}>`)
        expect(shown).toContain(REDACTED)
        // Some bits of the first and the last byte remain, and none of the other bytes.
        const left = shown.slice(1, -1).split(REDACTED)
        expect(left[0]?.length).toBeLessThanOrEqual(Math.ceil((before.length * 8) / 6) + 1)
        expect(left[1]?.length).toBeLessThanOrEqual(Math.ceil((', and more'.length * 8) / 6) + 4)
      }
    }
  })

  test('in base64 that is broken into lines are taken out', () => {
    for (const secret of [token, signature]) {
      const shown = redact(`<${btoa(secret).replace(/.{16}/g, '$&\r\n')}>`)
      // Some bits of the last byte remain.
      expect(shown).toMatch(/^<\[secret\].{0,4}\s*>$/)
    }
  })

  test('are seen to their end where a text is cut', () => {
    for (const of of [(same: string) => same, encodeURIComponent]) {
      for (let before = 0; before < 40; before += 1) {
        const shown = redact(`${'.'.repeat(before)}${of(token)}${'.'.repeat(1000)}`, 30)
        expect(shown.replaceAll(REDACTED, '')).toMatch(/^\.{0,30}$/)
        expect(shown).toContain(before < 30 ? REDACTED : '.'.repeat(30))
      }
    }
    expect(redact('abc', 2)).toBe('ab')
    expect(createRedactor([])('abc', 2)).toBe('ab')
  })

  test('are no part of what has no place for them', () => {
    const text =
      'a%20b &amp; \\n %zz &nosuch; &#99999999; \\u{ffffff} \\x1 \\U0011ffff \\8 %u12 a\u00adb \r\n\t c'
    expect(redact(text)).toBe(text)
  })
})
