import { Console } from 'node:console'
import { Writable } from 'node:stream'
import { format, inspect } from 'node:util'
import { serialize } from 'node:v8'
import { expect, test } from 'vitest'
import { Secret } from './secret.ts'

const TEXT = 'topsecret'
const secret = new Secret(TEXT)
const error = Object.assign(new Error('outer', { cause: { secret } }), {
  secret,
  details: { deep: { secret } },
})

test.each<[string, () => unknown]>([
  ['inspect', () => inspect(secret)],
  [
    'inspect with everything shown',
    () => inspect({ secret }, { showHidden: true, depth: null, getters: true }),
  ],
  ['inspect without custom functions', () => inspect(secret, { customInspect: false, showHidden: true })],
  ['inspect through a proxy', () => inspect(new Proxy(secret, {}), { showProxy: true })],
  ['inspect of an error that carries it', () => inspect(error, { depth: null })],
  ...['%s', '%o', '%O', '%j', '%d', '%i', '%f', '%c'].map((specifier): [string, () => unknown] => [
    `the format ${specifier}`,
    () => format(specifier, secret),
  ]),
  ['the format without specifier', () => format(secret, { secret })],
  ['v8 serialization', () => serialize({ secret }).toString('latin1')],
])('is not shown by %s', (_, print) => {
  expect(print()).not.toContain(TEXT)
})

test('is not shown by any method of a console', () => {
  let written = ''
  const sink = new Writable({
    write(chunk, _encoding, done) {
      written += String(chunk)
      done()
    },
  })
  const out = new Console({ stdout: sink, stderr: sink })
  for (const method of ['log', 'error', 'debug', 'info', 'warn', 'trace', 'dir', 'table'] as const) {
    out[method](secret)
    out[method]({ secret })
  }
  out.log('%s %o %O %j', secret, secret, secret, secret)
  expect(written).toContain('[secret]')
  expect(written).not.toContain(TEXT)
})
